//! `revealed bench labyrinth`: where mice go next in a maze.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use clap::Args;
use revealed_reproduce::public_data::{Labyrinth, LabyrinthChoice, LabyrinthFiles, LabyrinthRow};
use serde_json::{Value, json};

use crate::args::work::Threads;
use crate::files::output_file::{check_optional, write_json};
use crate::files::picture::{check_picture, write_picture};
use crate::terminal::progress_bar::{Bar, Done};
use crate::terminal::{Failure, Output, interrupt};

/// Mice in a labyrinth: the next step, given where they were (Rosenberg et al. 2021; SWIRL, Ke et al. 2025)
#[derive(Args)]
#[command(after_help = "Example:\n  revealed bench labyrinth labyrinth --picture labyrinth.svg -o labyrinth.json")]
pub struct LabyrinthArgs {
    /// Folder with emissions500new.npy and trans_probs.npy
    folder: PathBuf,
    /// Where to keep the table and what cross-validation compared (.json)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where to draw what the mice were after (.svg or .png)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    threads: Threads,
}

/// Chooses, learns, predicts and prints.
pub fn run(args: &LabyrinthArgs, output: Output) -> Result<(), Failure> {
    check_optional(args.output.as_deref(), &[], "the table", "json")?;
    args.picture.as_deref().map(check_picture).transpose()?;
    let files = LabyrinthFiles::load(&args.folder)?;
    interrupt::listen();
    let begun = Instant::now();
    let bar = Mutex::new(Bar::new());
    let done = |done: usize, all: usize| {
        if let Ok(mut bar) = bar.lock() {
            bar.show("fits", Done::Of(done, all), String::new);
        }
    };
    let found = files.study(args.threads.threads, &done);
    if let Ok(bar) = bar.into_inner() {
        bar.finish();
    }
    let found = found?;
    let seconds = begun.elapsed().as_secs_f64();
    let json = in_json(&found, seconds);
    let mut words = text(&found, seconds);
    if let Some(file) = &args.output {
        write_json(file, &json)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    if let (Some(file), Some(picture)) = (&args.picture, found.picture()) {
        write_picture(file, &picture)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    output.print(&words, &json)
}

fn choice(choice: LabyrinthChoice) -> Value {
    json!({ "order": choice.order, "shrinkage": choice.shrinkage, "penalty": choice.penalty })
}

fn in_json(found: &Labyrinth, seconds: f64) -> Value {
    let row = |row: &LabyrinthRow| {
        json!({
            "name": row.name,
            "published": row.published,
            "cross_validated": row.cross_validated,
            "held_out": row.held_out,
        })
    };
    let compared = |(of, nats): &(LabyrinthChoice, f64)| {
        let mut said = choice(*of);
        said["cross_validated"] = json!(nats);
        said
    };
    let [train, test, steps] = found.sizes;
    json!({
        "bench": "labyrinth",
        "split": { "rule": "sequences 0, 5, 10, ... test", "train": train, "test": test, "test_steps": steps },
        "rows": found.rows.iter().map(row).collect::<Vec<_>>(),
        "compared": found.compared.iter().map(compared).collect::<Vec<_>>(),
        "chosen": choice(found.chosen),
        "product": { "states": found.size[0], "features": found.size[1] },
        "held_out": found.best().map(|row| row.held_out),
        "nodes": found.nodes,
        "seconds": seconds,
    })
}

fn text(found: &Labyrinth, seconds: f64) -> String {
    let [train, test, steps] = found.sizes;
    let mut text = format!(
        "the actions of {test} test sequences (0, 5, 10, …), {steps} steps, in nats a step; {train} sequences train\n  \
         {:<34}{:>16}{:>12}\n",
        "", "cross-validated", "test"
    );
    for row in &found.rows {
        let validated = row.cross_validated.map_or(String::new(), |nats| format!("{nats:.4}"));
        let note = match (row.published, row.name == format!("history of order {}", found.chosen.order)) {
            (true, _) => "  as published",
            (false, true) => "  chosen",
            (false, false) => "",
        };
        let _ = writeln!(text, "  {:<34}{validated:>16}{:>12.4}{note}", row.name, row.held_out);
    }
    let LabyrinthChoice { order, shrinkage, penalty } = found.chosen;
    let _ = writeln!(
        text,
        "chosen by five folds of the training part: order {order}, penalty {penalty} for windows of one state, {shrinkage} \
         times as much for each state more"
    );
    let _ = writeln!(text, "{} states with histories, {} features, {seconds:.1} s", found.size[0], found.size[1]);
    text
}
