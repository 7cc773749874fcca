//! One gradient of paths within a horizon, on one thread: against the bare products, and a million states against
//! three hundred thousand.

use revealed::worlds::{World, road_like};
use revealed::{Evaluation, Likelihood};

use crate::clock::{fastest, likelihood, seconds, shown, some_demonstration, table};
use crate::roofline::roofline;

/// States, transitions, horizon and discount. The first two are of the size of the paper's network of Porto; the last
/// two are compared with each other.
const CASES: [(usize, usize, usize, f64); 4] = [
    (292_604, 594_933, 400, 1.0),
    (292_604, 594_933, 400, 0.99),
    (300_000, 609_900, 100, 1.0),
    (1_000_000, 2_033_000, 100, 1.0),
];

/// A Markdown table. In each round, everything is timed once.
pub fn run(rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let mut worlds = Vec::new();
    for (states, transitions, _, discount) in CASES {
        eprintln!("paths: {states} states, discount {discount}");
        let world = road_like(states, transitions, 1).and_then(|world| world.with_discount(discount));
        worlds.push(world.map_err(words)?);
    }
    let mut engines = Vec::new();
    for (world, case) in worlds.iter().zip(CASES) {
        engines.push(prepare(world, case.2).map_err(words)?);
    }
    let mut times = vec![[const { Vec::new() }; 2]; CASES.len()];
    for round in 0..rounds {
        eprintln!("paths: round {}", round + 1);
        for (((engine, answer), world), (times, case)) in engines.iter_mut().zip(&worlds).zip(times.iter_mut().zip(CASES)) {
            times[0].push(seconds(|| assert_eq!(engine.evaluate(&world.theta).as_ref(), Ok(&*answer))));
            times[1].push(roofline(&world.mdp, case.2));
        }
    }
    let times: Vec<[f64; 2]> = times.iter().map(|of| [fastest(&of[0]), fastest(&of[1])]).collect();
    let of_state = |at: usize| times[at][0] / CASES[at].0 as f64;
    let rows: Vec<Vec<String>> = (CASES.iter().zip(&times))
        .map(|(&(states, _, horizon, discount), [ours, bare])| {
            let nanoseconds = 1e9 * ours / (states * horizon) as f64;
            let ratio = format!("{:.2}", ours / bare);
            let row = [states.to_string(), horizon.to_string(), discount.to_string(), shown(*ours), shown(*bare)];
            row.into_iter().chain([ratio, format!("{nanoseconds:.2} ns")]).collect()
        })
        .collect();
    let head = ["states", "L", "discount", "one thread", "2L bare products", "ratio", "of a state and step"];
    Ok(format!(
        "### One gradient of paths within a horizon\n\n{}\nA state costs {:.2} times as much at {} states as at {}.\n",
        table(&head, &rows),
        of_state(3) / of_state(2),
        CASES[3].0,
        CASES[2].0
    ))
}

/// The engine and its answer. The first evaluation also touches every page for the first time.
fn prepare(world: &World, horizon: usize) -> Result<(Likelihood<'_>, Evaluation), revealed::Error> {
    let mut engine = likelihood(world, &some_demonstration(&world.mdp)?, horizon, 1)?;
    let answer = engine.evaluate(&world.theta)?;
    Ok((engine, answer))
}
