//! One gradient at the size of Porto under a memory budget.

use revealed::worlds::road_like;
use revealed::{Likelihood, Options, Work};

use crate::clock::{fastest, seconds, shown, some_demonstration, table};

const BUDGETS: [usize; 4] = [2_000_000_000, 500_000_000, 250_000_000, 200_000_000];

/// The growth of the process that is allowed in addition to the working arrays.
const BESIDES: usize = 100_000_000;

/// A Markdown table.
pub fn run(rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let world = road_like(292_604, 594_933, 1).map_err(words)?;
    let demos = some_demonstration(&world.mdp).map_err(words)?;
    forget_peak();
    let before = resident("VmRSS:");
    let mut rows = Vec::new();
    let mut first = None;
    // Smallest first, because the process does not return memory to the system.
    for &memory in BUDGETS.iter().rev() {
        eprintln!("memory: {} MB", memory / 1_000_000);
        let options = Options { horizon: Some(400.into()), work: Work { threads: Some(1), memory }, ..Options::default() };
        let mut engine = Likelihood::new(&world.mdp, &world.features, &demos, &options).map_err(words)?;
        let answer = engine.evaluate(&world.theta).map_err(words)?;
        let grown = resident("VmHWM:").zip(before).map(|(peak, before)| 1024 * peak.saturating_sub(before));
        // The layout of the network, the features' sums and the allocator's overhead come on top of the arrays.
        assert!(
            grown.is_none_or(|grown| grown <= memory + BESIDES),
            "the process grew by {grown:?} bytes on a budget of {memory}"
        );
        let peak = grown.map_or("–".to_string(), |grown| format!("{} MB", grown / 1_000_000));
        assert_eq!(first.get_or_insert(answer.clone()), &answer, "a budget changes the bits");
        let times: Vec<f64> = (0..rounds).map(|_| seconds(|| assert!(engine.evaluate(&world.theta).is_ok()))).collect();
        rows.push((memory, fastest(&times), peak));
    }
    let fastest_of_all = rows.iter().find(|row| row.0 == BUDGETS[0]).map_or(f64::NAN, |row| row.1);
    let cells: Vec<Vec<String>> = (rows.iter().rev())
        .map(|(memory, time, peak)| {
            vec![format!("{} MB", memory / 1_000_000), peak.clone(), shown(*time), format!("{:.2}×", time / fastest_of_all)]
        })
        .collect();
    let head = ["budget", "grown by (with layout)", "one thread", "against 2000 MB"];
    Ok(format!(
        "### One gradient at 292604 states, L = 400, under a memory budget (same bits, asserted)\n\n{}",
        table(&head, &cells)
    ))
}

/// Resets the peak to the current memory of the process (Linux).
fn forget_peak() {
    // If this is impossible, the peak includes earlier parts, and the assertion in `run` may fail.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// One entry of /proc/self/status, in kB.
fn resident(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
