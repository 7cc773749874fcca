//! `revealed mixed`: recursive logits in which coefficients differ from traveller to traveller.

use std::path::PathBuf;

use clap::Args;
use revealed::{Cluster, Distribution, ErrorKind, Features, MixedLogit, RandomCoefficient, Sharing};
use revealed_formats::{MixedRecord, mixed_table};

use crate::args::errors::kind_of_errors;
use crate::args::feature::feature_named;
use crate::args::problem::ProblemAndDemos;
use crate::args::work::Work;
use crate::files::output_file::check_output;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Learn a mixed recursive logit (random coefficients), and test it against the plain one
#[derive(Args)]
#[command(after_help = "Example:\n  revealed mixed streets.json streets.jsonl --random length -o mixed.json")]
pub struct MixedArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// Features whose coefficients are normal over travellers (names or numbers, with commas between them)
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    random: Vec<String>,
    /// The same for lognormal coefficients, which are always positive
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    positive: Vec<String>,
    /// The same for lognormal coefficients with a minus, which are always negative
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    negative: Vec<String>,
    /// Demonstrations of one traveller, who has the same coefficients in all of them: those with the same value in this
    /// column of `trip`, such as driver, or origin-destination [default: each is of another traveller]
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Draws of each traveller. More give a more exact likelihood; the time is in proportion
    #[arg(long, value_name = "R", default_value_t = MixedLogit::default().draws)]
    draws: usize,
    /// The same draws for all travellers: an evaluation takes R eliminations instead of R for each traveller. The errors
    /// of the simulation do not average out then, so take more draws
    #[arg(long)]
    common_draws: bool,
    /// The same seed gives the same draws
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Errors of the z-values: from the second derivatives, or the robust ones (sandwich)
    #[arg(long, value_parser = kind_of_errors(), default_value = "model")]
    errors: ErrorKind,
    /// Where to write what was learned (.json)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

impl MixedArgs {
    fn model(&self, features: &Features) -> Result<MixedLogit, Failure> {
        let all = [
            ("--random", &self.random, Distribution::Normal),
            ("--positive", &self.positive, Distribution::Positive),
            ("--negative", &self.negative, Distribution::Negative),
        ];
        let mut random = Vec::new();
        for (option, names, distribution) in all {
            for name in names {
                random.push(RandomCoefficient { feature: feature_named(name, features, option)?, distribution });
            }
        }
        let sharing = if self.common_draws { Sharing::Common } else { Sharing::Own };
        let panel = self.panel.as_deref().map_or(Cluster::Each, Cluster::from_name);
        Ok(MixedLogit { random, draws: self.draws, sharing, seed: self.seed, panel, errors: self.errors })
    }
}

/// Learns, writes and prints.
pub fn run(args: &MixedArgs, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[&args.files.problem, &args.files.demos], "what was learned")?;
    if args.random.is_empty() && args.positive.is_empty() && args.negative.is_empty() {
        let words = "no coefficient is random: give --random, --positive or --negative";
        return Err(Failure::Usage(words.to_string()));
    }
    let (problem, demos) = args.files.load()?;
    let model = args.model(&problem.features)?;
    let bar = Bar::named("mixed recursive logit");
    let fit = watched(bar, |watch| model.fit(&problem.mdp, &problem.features, &demos, &args.work.of_engine(), watch));
    let fit = fit.map_err(|error| Failure::in_demos(error, &args.files.demos).if_interrupted("nothing is written"))?;
    let record = MixedRecord::new(&fit, &model);
    record.save(&args.output)?;
    let words = format!("{}written to {}\n", mixed_table(&record), args.output.display());
    output.print(&words, &serde_json::to_value(&record).map_err(Failure::new)?)
}
