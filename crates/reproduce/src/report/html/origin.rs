//! Where the results come from.

use std::fmt::{self, Write};

use super::super::table::{Cell, Table};
use super::tables::table;
use super::{Chapter, Counts, Page};
use crate::folder::Provenance;

/// The program, the machine, the day, the seed and the time of each experiment. It is the only part of the page that
/// differs between two runs with the same results, so it has lines of its own.
pub(super) fn write(html: &mut String, page: &Page<'_>, counts: &mut Counts) -> fmt::Result {
    let known = |chapter: &Chapter<'_>| page.provenance.get(chapter.experiment.name()).cloned();
    let all: Vec<(&Chapter<'_>, Option<Provenance>)> = page.chapters.iter().map(|chapter| (chapter, known(chapter))).collect();
    if all.is_empty() {
        return Ok(());
    }
    let rows = all.iter().map(|(chapter, provenance)| row(chapter, provenance.as_ref())).collect();
    let seconds: f64 = all.iter().filter_map(|(_, provenance)| provenance.as_ref()).map(|one| one.seconds).sum();
    let mut machines: Vec<&str> =
        all.iter().filter_map(|(_, provenance)| provenance.as_ref()).map(|one| one.machine.as_str()).collect();
    machines.sort_unstable();
    machines.dedup();
    let header = ["experiment", "seed", "repeats", "version", "commit", "finished", "seconds"];
    let note = format!(
        "Machine: {}. All experiments together took {}. A + after a commit means that files differed from it.",
        if machines.is_empty() { "not recorded".to_string() } else { machines.join("; ") },
        duration(seconds)
    );
    html.push_str("\n<section id=\"provenance\">\n<h2>Provenance</h2>\n<div class=\"tables\">");
    table(html, &Table::new("Where the results come from", &header, rows, note), counts)?;
    html.write_str("\n</div>\n</section><!-- provenance -->")
}

fn row(chapter: &Chapter<'_>, provenance: Option<&Provenance>) -> Vec<Cell> {
    let none = || "not recorded".to_string();
    let [seed, repeats] = match chapter.seed {
        Some((seed, repeats)) => [seed.to_string(), repeats.to_string()],
        None => ["–", "–"].map(str::to_string),
    };
    let of = |pick: &dyn Fn(&Provenance) -> String| provenance.map_or_else(none, pick);
    let cells = [
        chapter.experiment.name().to_string(),
        seed,
        repeats,
        of(&|one| one.version.clone()),
        of(&|one| one.commit.clone().unwrap_or_else(none)),
        of(&|one| one.date.clone()),
        of(&|one| format!("{:.1}", one.seconds)),
    ];
    cells.map(Cell::from).to_vec()
}

/// A time in the unit that suits it.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.1} s"),
        seconds if seconds < 5400.0 => format!("{:.1} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
