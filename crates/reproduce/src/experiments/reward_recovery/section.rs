//! The section of the report on `reward-recovery`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, Marker, VERMILION, curves};

use super::super::{expert, lake};
use super::DRAWN;
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Cell, Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, mean, shown};
use crate::work::Recipe;

/// An error below this is rounding of the values, which are solved to 1e-10.
const ZERO: f64 = 1e-6;

/// The label of the paper's figure.
const PAPERS: &str = "fig:experiment-quality";

/// Means by the number of paths.
struct ErrorCurve(Vec<(f64, Mean)>);

impl ErrorCurve {
    fn read(recipe: &Recipe, results: &Results, world: &str, column: &str) -> Result<ErrorCurve, Error> {
        let mut points = Vec::new();
        for (name, paths) in recipe.cases.iter().filter_map(|case| case.split_once('/')).filter(|case| case.0 == world) {
            let rows = results.with("world", name).filter(|row| row.text("paths") == paths);
            let values = rows.map(|row| row.number(column)).collect::<Result<Vec<_>, _>>()?;
            points.push((paths.parse().unwrap_or(1.0), mean(&values)));
        }
        Ok(ErrorCurve(points))
    }

    /// With the fewest paths.
    fn first(&self) -> Mean {
        self.0.first().map_or(Mean::NONE, |point| point.1)
    }

    /// With this many paths.
    fn at(&self, paths: f64) -> Mean {
        self.0.iter().find(|point| point.0 == paths).map_or(Mean::NONE, |point| point.1)
    }

    /// With the most paths.
    fn last(&self) -> Mean {
        self.0.last().map_or(Mean::NONE, |point| point.1)
    }

    /// From the fewest paths to the most.
    fn change(&self) -> String {
        format!("{} → {}", self.first(), self.last())
    }

    /// Whether the error falls by more than its uncertainty.
    fn falls(&self) -> bool {
        self.last().high() < self.first().low()
    }
}

/// The errors in each world.
struct Errors {
    lake: ErrorCurve,
    /// From episodes that reach the goal.
    successes: ErrorCurve,
    chain: ErrorCurve,
    /// Over the states that a path can reach.
    taxi: ErrorCurve,
    taxi_all: ErrorCurve,
    /// With three weights.
    kinds: ErrorCurve,
    /// With weights in ±1.
    narrow: ErrorCurve,
    /// The share of episodes on FrozenLake that reach the goal.
    reached: f64,
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let of = |world: &str, column: &str| ErrorCurve::read(recipe, results, world, column);
    let errors = Errors {
        lake: of("FrozenLake4x4", "ile")?,
        successes: of("FrozenLake4x4-successes", "ile")?,
        chain: of("NChain10", "ile")?,
        taxi: of("Taxi", "ile_reachable")?,
        taxi_all: of("Taxi", "ile")?,
        kinds: of("Taxi-kinds", "ile_reachable")?,
        narrow: of("Taxi-narrow", "ile_reachable")?,
        reached: share_reached(results)?,
    };
    Ok(Section {
        title: "Reward recovery against the number of demonstration paths".to_string(),
        paper: "The algorithm always converges to a lower inverse learning error as the number of paths increases, on Taxi-v3, FrozenLake4x4 and NChain \
                with N = 10. On FrozenLake it converges to an error above zero, because optimal policies reach the goal in only 82 % of the episodes; \
                with successful episodes alone it goes to 0.0 ± 0.0."
            .to_string(),
        ours: errors.ours(),
        verdict: errors.verdict().with_repeats(recipe.repeats),
        figures: figures(recipe, results, &errors)?,
        tables: vec![errors.table()],
        settings: settings(recipe),
        numbers: errors.numbers(),
    })
}

impl Errors {
    fn ours(&self) -> String {
        format!(
            "FrozenLake: {}, and {} with successful episodes only; {:.1} % of the optimal policy's episodes reach the goal. NChain: {}. \
             Taxi: {} over the states that can be reached with one weight per state and action, {} with three weights.",
            self.lake.change(),
            self.successes.change(),
            100.0 * self.reached,
            self.chain.change(),
            self.taxi.change(),
            self.kinds.change()
        )
    }

    fn verdict(&self) -> Verdict {
        let mut faults = Vec::new();
        if ![&self.lake, &self.chain, &self.taxi, &self.kinds].into_iter().all(ErrorCurve::falls) {
            faults.push("the error does not fall clearly in every world (more repeats narrow the intervals)".to_string());
        }
        let low = self.lake.last().low();
        if low.is_nan() || low <= 0.0 {
            faults.push("the error on FrozenLake is not clearly above zero".to_string());
        }
        let at_50 = self.successes.at(50.0).mean;
        if at_50.is_nan() || at_50 > ZERO {
            faults.push(format!("the error with 50 successful episodes is {}", shown(at_50)));
        }
        match faults.is_empty() {
            true => Verdict::Reproduced(
                "The error falls with the number of paths in all three worlds, stays above zero on FrozenLake, and is 0.0 ± 0.0 there if only \
                 successful episodes are shown."
                    .to_string(),
            ),
            false => Verdict::Differs(format!("This differs from the paper: {}.", faults.join("; "))),
        }
    }

    fn table(&self) -> Table {
        let shown = |mean: Mean| if mean.mean.is_nan() { "–".to_string() } else { mean.to_string() };
        let row = |what: &str, paper: &str, curve: &ErrorCurve| {
            let ours = [curve.first(), curve.at(50.0), curve.last()].map(|mean| Cell::from(shown(mean)));
            [what.into(), paper.into()].into_iter().chain(ours).collect::<Vec<Cell>>()
        };
        let rows = vec![
            row("FrozenLake4x4", "falls, to a value above 0", &self.lake),
            row("FrozenLake4x4, successful episodes only", "0.0 ± 0.0", &self.successes),
            row("NChain, N = 10", "falls", &self.chain),
            row("Taxi, one weight per (s, a), states that a path can reach", "falls", &self.taxi),
            row("Taxi, the same, all 500 states", "falls", &self.taxi_all),
            row("Taxi, one weight per (s, a) in ±1 instead of ±10, from 10 paths on", "(not in the paper)", &self.narrow),
            row("Taxi, three weights: step, delivery, illegal", "(not in the paper)", &self.kinds),
        ];
        Table::new(
            "Inverse learning error from the fewest paths to the most",
            &["", "paper", "fewest paths", "50 paths", "most paths"],
            rows,
            "Mean ± half of the 90 % interval (Student's t). The paper has a figure and no table, so we compare with its text. It has \
             one number for 50 paths on FrozenLake, 55.2 ± 18.3, in the comparison with Ziebart's algorithms. 96 of Taxi's \
             500 states (the passenger is at the destination already) can never be reached. No demonstration contains \
             them, and they add a constant to the error.",
        )
    }

    fn numbers(&self) -> Vec<Number> {
        vec![
            self.lake.at(50.0).number("frozenlake_50", None),
            self.lake.last().number("frozenlake_last", None),
            self.successes.last().number("frozenlake_successes_last", Some(0.0)),
            Number::new("share_reached", Some(0.82), self.reached),
            self.chain.last().number("nchain_last", None),
            self.taxi.last().number("taxi_reachable_last", None),
            self.kinds.last().number("taxi_kinds_last", None),
            self.narrow.last().number("taxi_narrow_last", None),
            self.chain.first().number("nchain_first", None),
            self.taxi.first().number("taxi_reachable_first", None),
        ]
    }
}

/// Of all episodes on FrozenLake, those that reached the goal.
fn share_reached(results: &Results) -> Result<f64, Error> {
    let (mut reached, mut all) = (0.0, 0.0);
    for row in results.with("world", "FrozenLake4x4") {
        reached += row.number("reached")?;
        all += row.number("paths")?;
    }
    Ok(reached / all)
}

fn figures(recipe: &Recipe, results: &Results, errors: &Errors) -> Result<Vec<Figure>, Error> {
    let first = |name: &str, errors: &ErrorCurve| Curve::new(name, BLUE, Marker::Circle, intervals(&errors.0));
    let second = |name: &str, errors: &ErrorCurve| Curve::new(name, VERMILION, Marker::Square, intervals(&errors.0));
    let repeats = format!("Mean and 90 % interval over {} data sets.", recipe.repeats);
    let lake = draw(&[first("all episodes", &errors.lake), second("successful episodes only", &errors.successes)]);
    let taxi = draw(&[first("one weight per (s, a)", &errors.taxi), second("three weights", &errors.kinds)]);
    let mut figures = vec![
        Figure::new("frozenlake", format!("FrozenLake4x4. {repeats} The largest error possible is 634.0."), lake)
            .of_paper(PAPERS),
        Figure::new("nchain", format!("NChain, N = 10. {repeats}"), draw(&[first("NChain", &errors.chain)])).of_paper(PAPERS),
        Figure::new("taxi", format!("Taxi, over the 404 states that a path can reach. {repeats}"), taxi).of_paper(PAPERS),
    ];
    if let Some(theta) = drawn(results) {
        let caption = "FrozenLake4x4: the true reward, and the one learned from the first data set of 50 paths. Arrows are the actions of the optimal \
                       policies; S start, H hole, G goal. Each map has its own colour scale.";
        figures.push(Figure::new("rewards", caption, lake::true_and_learned(&theta)?));
    }
    Ok(figures)
}

fn draw(errors: &[Curve]) -> Canvas {
    curves(&Axis::log("demonstration paths"), &Axis::linear("inverse learning error"), errors)
}

/// The weights of the data set whose reward is drawn.
fn drawn(results: &Results) -> Option<Vec<f64>> {
    let first = |row: &Record<'_>| (row.text("world"), row.text("paths")) == DRAWN && row.text("repeat") == "0";
    lake::read_theta(results.rows().find(first)?.text("theta"))
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        ("data sets", format!("{} independent data sets of each size", recipe.repeats)),
        (
            "learning",
            "no discount; paths may end anywhere, up to the longest demonstration; θ in ±1 (FrozenLake, NChain) or ±10 (Taxi, whose true rewards go \
             from -10 to 20); not stated in the paper"
                .to_string(),
        ),
        (
            "episodes",
            "until they end by themselves on FrozenLake and Taxi, 20 states on NChain, which never ends; not stated in the paper".to_string(),
        ),
        ("inverse learning error", expert::SCALE.to_string()),
        (
            "bounds",
            "the table also has Taxi with θ in ±1. With six actions in a state, such weights are too close to each other: detours outnumber the paths that deliver. \
             The comparison with Ziebart's algorithms shows the effect of the bounds on FrozenLake"
                .to_string(),
        ),
    ])
}
