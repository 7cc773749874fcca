//! `revealed roads learn`: what drivers are after, from matched paths.

use std::path::Path;

use revealed::{Demonstrations, Ends, MaxEnt, Method};
use revealed_formats::{Problem, demonstrations};
use revealed_roads::split;

use crate::args::roads::Learn;
use crate::bounds;
use crate::commands::learn::{Asked, check_output, search};
use crate::failure::Failure;
use crate::output::Output;

/// Learns and writes the model, and the paths that are held out.
pub fn run(args: &Learn, output: Output) -> Result<(), Failure> {
    let inputs: [&Path; 2] = [&args.roads, &args.paths];
    check_output(&args.output, &inputs, "the model")?;
    for file in args.held_out.iter().chain(&args.train) {
        check_output(file, &inputs, "the paths")?;
    }
    let outputs: Vec<&Path> =
        [Some(&args.output), args.held_out.as_ref(), args.train.as_ref()].into_iter().flatten().map(|file| &**file).collect();
    if let Some(twice) = (1..outputs.len()).find(|&place| outputs[..place].contains(&outputs[place])) {
        let message = "two things would be written to it: give the model, --held-out and --train files of their own";
        return Err(Failure::new(format!("{}: {message}", outputs[twice].display())));
    }
    let problem = Problem::load(&args.roads)?;
    let mut paths = demonstrations::load(&args.paths)?;
    let n_paths = paths.len();
    paths.retain(|path| path.states.len() <= args.longest);
    if paths.len() < n_paths {
        let left_out = n_paths - paths.len();
        eprintln!("note: {left_out} of {n_paths} paths have more than {} states and are left out (--longest)", args.longest);
    }
    let train = match &args.held_out {
        None => paths,
        Some(file) => {
            let (train, test) = split(&paths, 1.0 - args.share, args.seed)?.of(&paths);
            eprintln!("note: {} paths are learned from, {} are held out, no route is in both", train.len(), test.len());
            demonstrations::save(&test, file)?;
            train
        }
    };
    if let Some(file) = &args.train {
        demonstrations::save(&train, file)?;
    }
    let demos = Demonstrations::new(&problem.mdp, &train).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let method = Method::from(args.inference);
    let settings = MaxEnt {
        method,
        options: args.work.options(args.ends.map_or(method.usual_ends(), Ends::from), args.horizon),
        bounds: bounds::parse(args.search.bounds.as_deref(), problem.features.n_features())?,
        l2: args.search.l2,
        max_iterations: args.search.max_iterations,
        ..MaxEnt::default()
    };
    let level = args.search.summary.then_some(args.search.level);
    let asked = Asked { demos: &args.paths, output: &args.output, resume: args.search.resume, level };
    search(settings, &problem, &demos, &asked, output)
}
