//! One full gradient (backward, forward, feature expectations) on road-like networks, L = 400.

use revealed::worlds::{World, road_like};

use crate::clock::{fastest, likelihood, seconds, shown, some_demonstration, table};
use crate::peers::{Peers, agree};
use crate::roofline::roofline;

/// Numbers of states and transitions; the last is the size of the paper's network of Porto.
const SIZES: [(usize, usize); 4] = [(1000, 2033), (10_000, 20_332), (100_000, 203_324), (292_604, 594_933)];
const HORIZON: usize = 400;

/// The fastest times of one row, in seconds.
struct Row {
    states: usize,
    discount: f64,
    one: f64,
    two: f64,
    scipy: Option<f64>,
    roofline: f64,
}

/// Markdown tables.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let mut rows = Vec::new();
    for (states, transitions) in SIZES {
        let world = road_like(states, transitions, 1).map_err(|error| error.to_string())?;
        for discount in [1.0, 0.99] {
            eprintln!("gradient: {states} states, discount {discount}");
            let world = world.clone().with_discount(discount).map_err(|error| error.to_string())?;
            rows.push(measure(&world, discount, peers, rounds)?);
        }
    }
    let largest = rows.iter().filter(|row| row.states == SIZES[SIZES.len() - 1].0);
    let [undiscounted, discounted] = [1.0, 0.99].map(|discount| largest.clone().find(|row| row.discount == discount));
    let factor = match (undiscounted, discounted) {
        (Some(undiscounted), Some(discounted)) => discounted.one / undiscounted.one,
        _ => f64::NAN,
    };
    let head = [
        "states",
        "discount",
        "one thread",
        "two threads",
        "speed-up",
        "SciPy CSR",
        "SciPy / one",
        "SciPy / two",
        "2L bare products",
        "one / bare",
    ];
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    Ok(format!(
        "### One gradient on road-like networks, L = {HORIZON}\n\n{}\nAt {} states, discount 0.99 costs {factor:.2} times discount 1 \
         (one thread). Two threads give the same bits as one (asserted).\n",
        table(&head, &cells),
        SIZES[SIZES.len() - 1].0
    ))
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let ratio = |ours: f64| self.scipy.map_or("–".to_string(), |scipy| format!("{:.1}×", scipy / ours));
        vec![
            self.states.to_string(),
            self.discount.to_string(),
            shown(self.one),
            shown(self.two),
            format!("{:.2}×", self.one / self.two),
            self.scipy.map_or("–".to_string(), shown),
            ratio(self.one),
            ratio(self.two),
            shown(self.roofline),
            format!("{:.2}×", self.one / self.roofline),
        ]
    }
}

fn measure(world: &World, discount: f64, peers: &Peers, rounds: usize) -> Result<Row, String> {
    let words = |error: revealed::Error| error.to_string();
    let files = peers.write(world, &format!("roads-{}-{discount}", world.mdp.n_states()))?;
    let demos = some_demonstration(&world.mdp).map_err(words)?;
    let mut one = likelihood(world, &demos, HORIZON, 1).map_err(words)?;
    let mut two = likelihood(world, &demos, HORIZON, 2).map_err(words)?;
    // The first evaluation also touches every page for the first time.
    let answer = one.evaluate(&world.theta).map_err(words)?;
    assert_eq!(answer, two.evaluate(&world.theta).map_err(words)?, "two threads change the bits");
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        times[0].push(seconds(|| assert_eq!(one.evaluate(&world.theta).as_ref(), Ok(&answer))));
        times[1].push(seconds(|| assert_eq!(two.evaluate(&world.theta).as_ref(), Ok(&answer))));
        times[2].push(roofline(&world.mdp, HORIZON));
        if let Some(scipy) = peers.scipy(&files, HORIZON, 2)? {
            agree(answer.log_partition.unwrap_or(f64::NAN), scipy.log_partition.unwrap_or(f64::NAN))?;
            times[3].extend(scipy.seconds);
        }
    }
    let scipy = (!times[3].is_empty()).then(|| fastest(&times[3]));
    let [one, two, roofline] = [0, 1, 2].map(|place| fastest(&times[place]));
    Ok(Row { states: world.mdp.n_states(), discount, one, two, scipy, roofline })
}
