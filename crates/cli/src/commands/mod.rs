//! The commands: one file each, or one folder if a command has parts. A file contains the arguments of its command,
//! from which `--help` is made, and the function `run`.
//! They may use every other module. A command uses another command only if it also does the work of that command.
//! Begin with `learn`, then `marginals`; `roads` is a command of commands.

mod bench;
mod check;
mod compare;
mod complete;
mod counterfactual;
mod cross_validate;
mod demo;
mod destinations;
mod env;
mod evaluate;
mod learn;
mod lengths;
mod likelihood;
mod marginals;
mod mixed;
mod nested;
mod path;
mod plan;
mod policy;
mod report;
mod reproduce;
mod roads;
mod rollouts;
mod sample;
mod samples;
mod score;
mod summary;
mod table;
mod trips;

use clap::Subcommand;

use crate::terminal::{Failure, Output};

/// The commands, in the order of `revealed --help`.
#[derive(Subcommand)]
pub enum Command {
    Demo(demo::DemoArgs),
    Learn(learn::LearnArgs),
    Summary(summary::SummaryArgs),
    Table(table::TableArgs),
    Trips(trips::TripsArgs),
    Nested(nested::NestedArgs),
    Mixed(mixed::MixedArgs),
    Likelihood(likelihood::LikelihoodArgs),
    Marginals(marginals::MarginalsArgs),
    Path(path::PathArgs),
    Sample(sample::SampleArgs),
    Complete(complete::CompleteArgs),
    Policy(policy::PolicyArgs),
    Destinations(destinations::DestinationsArgs),
    Lengths(lengths::LengthsArgs),
    Counterfactual(counterfactual::CounterfactualArgs),
    Samples(samples::SamplesArgs),
    Plan(plan::PlanArgs),
    Rollouts(rollouts::RolloutsArgs),
    Evaluate(evaluate::EvaluateArgs),
    Score(score::ScoreArgs),
    Report(report::ReportArgs),
    CrossValidate(cross_validate::CrossValidateArgs),
    Compare(compare::CompareArgs),
    Env(env::EnvArgs),
    Check(check::CheckArgs),
    /// Road networks and GPS trips: from a map and trips to forecasts of routes and destinations
    #[command(subcommand, after_help = roads::EXAMPLES)]
    Roads(roads::RoadsCommand),
    Reproduce(reproduce::ReproduceArgs),
    /// Public data, beside published numbers and simple baselines
    #[command(subcommand, after_help = bench::EXAMPLES)]
    Bench(bench::BenchCommand),
}

impl Command {
    /// Does what was asked.
    pub fn run(&self, output: Output) -> Result<(), Failure> {
        match self {
            Command::Demo(args) => demo::run(args, output),
            Command::Learn(args) => learn::run(args, output),
            Command::Summary(args) => summary::run(args, output),
            Command::Table(args) => table::run(args, output),
            Command::Trips(args) => trips::run(args, output),
            Command::Nested(args) => nested::run(args, output),
            Command::Mixed(args) => mixed::run(args, output),
            Command::Likelihood(args) => likelihood::run(args, output),
            Command::Marginals(args) => marginals::run(args, output),
            Command::Path(args) => path::run(args, output),
            Command::Sample(args) => sample::run(args, output),
            Command::Complete(args) => complete::run(args, output),
            Command::Policy(args) => policy::run(args, output),
            Command::Destinations(args) => destinations::run(args, output),
            Command::Lengths(args) => lengths::run(args, output),
            Command::Counterfactual(args) => counterfactual::run(args, output),
            Command::Samples(args) => samples::run(args, output),
            Command::Plan(args) => plan::run(args, output),
            Command::Rollouts(args) => rollouts::run(args, output),
            Command::Evaluate(args) => evaluate::run(args, output),
            Command::Score(args) => score::run(args, output),
            Command::Report(args) => report::run(args, output),
            Command::CrossValidate(args) => cross_validate::run(args, output),
            Command::Compare(args) => compare::run(args, output),
            Command::Env(args) => env::run(args, output),
            Command::Check(args) => check::run(args, output),
            Command::Roads(roads) => roads.run(output),
            Command::Reproduce(args) => reproduce::run(args, output),
            Command::Bench(bench) => bench.run(output),
        }
    }
}
