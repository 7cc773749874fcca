//! Matches trips to a road network and prints what became of them: `matching TRIPS.csv.gz ROADS.npz OUT.jsonl [hmm|particles] [porto]`.
//! With `porto`, trips that leave the paper's 15 km about the city are dropped.

use revealed_roads::matching::{Area, MatchOptions, Matcher, Method, match_all};
use revealed_roads::{Roads, Trips};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let asked = |word: &str| arguments[4..].iter().any(|argument| argument == word);
    let roads = Roads::load(&arguments[2])?;
    let clock = std::time::Instant::now();
    let options = MatchOptions {
        method: if asked("particles") { Method::Particles } else { Method::Hmm },
        area: asked("porto").then_some(Area::PORTO),
        ..MatchOptions::default()
    };
    let matcher = Matcher::new(&roads.network, options)?;
    let (mut confidence, mut length) = (0.0, 0.0);
    let mut lines = Vec::new();
    let tally = match_all(
        &mut Trips::open(&arguments[1])?,
        &matcher,
        0,
        &mut |_, found| {
            if let Ok(found) = found {
                let path = roads.path(&found.segments).expect("each segment may follow the one before");
                confidence += found.confidence;
                length += path.states.iter().map(|&state| roads.length(state)).sum::<f64>();
                let line = serde_json::json!({"id": found.id, "states": path.states, "actions": path.actions, "confidence": found.confidence});
                lines.push(line.to_string());
            }
            Ok(())
        },
        &|_| {},
        &|| false,
    )?;
    println!("{tally}");
    let matched = tally.matched as f64;
    println!(
        "mean confidence {:.3}, {:.2} km a trip, {:.1?}",
        confidence / matched,
        length / matched / 1000.0,
        clock.elapsed()
    );
    revealed_formats::atomic::write(&arguments[3], |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    Ok(())
}
