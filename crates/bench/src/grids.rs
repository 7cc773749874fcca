//! One gradient on slippery grids, L = 100: small problems, where overhead dominates.

use revealed::worlds::{frozen_lake, random_lake};

use crate::clock::{fastest, likelihood, seconds, shown, some_demonstration, table};
use crate::peers::{Peers, agree};

const SIDES: [usize; 4] = [4, 8, 16, 32];
const HORIZON: usize = 100;

/// A Markdown table.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let mut rows = Vec::new();
    for side in SIDES {
        eprintln!("grids: {} states", side * side);
        let map = random_lake(side, 0.8, 1).map_err(words)?;
        let rows_of_map: Vec<&str> = map.iter().map(String::as_str).collect();
        let mut world = frozen_lake(&rows_of_map, true).map_err(words)?;
        // A reward that varies over the grid, so that the problem is not trivial.
        world.theta = (0..side * side).map(|state| (state * 7 % 5) as f64 / 10.0 - 0.3).collect();
        let files = peers.write(&world, &format!("lake-{side}"))?;
        let demos = some_demonstration(&world.mdp).map_err(words)?;
        let mut engine = likelihood(&world, &demos, HORIZON, 1).map_err(words)?;
        let answer = engine.evaluate(&world.theta).map_err(words)?;
        let repeats = 20_000 / (side * side).max(10);
        let (mut ours, mut scipy, mut imitation) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(
                seconds(|| (0..repeats).for_each(|_| assert_eq!(engine.evaluate(&world.theta).as_ref(), Ok(&answer))))
                    / repeats as f64,
            );
            if let Some(theirs) = peers.scipy(&files, HORIZON, 20)? {
                agree(answer.log_partition.unwrap_or(f64::NAN), theirs.log_partition.unwrap_or(f64::NAN))?;
                scipy.extend(theirs.seconds);
            }
        }
        if let Some(theirs) = peers.imitation(&files, HORIZON, 5)? {
            imitation.extend(theirs.seconds);
        }
        let against = |times: &[f64]| match times {
            [] => ["–".to_string(), "–".to_string()],
            times => [shown(fastest(times)), format!("{:.0}×", fastest(times) / fastest(&ours))],
        };
        let mut row = vec![(side * side).to_string(), world.mdp.n_transitions().to_string(), shown(fastest(&ours))];
        row.extend(against(&scipy));
        row.extend(against(&imitation));
        rows.push(row);
    }
    let head = ["states", "transitions", "revealed, one thread", "SciPy CSR", "ratio", "imitation (causal)", "ratio"];
    Ok(format!("### One gradient on slippery grids, L = {HORIZON}\n\n{}", table(&head, &rows)))
}
