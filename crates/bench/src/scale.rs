//! A model of the cost of one gradient of the recursive logit, checked on networks on which it was not measured, and
//! what a study with a parameter for every link of the world would cost.

use std::collections::BTreeSet;

use revealed::{Demonstrations, RouteChoice, Trajectory, Work};

use crate::clock::{seconds, shown, table};
use crate::routes::{COSTS, Drawing, Grid, MEMORY, grid};

/// The junctions on a side of the grids from which the cost is estimated, and of those on which it is checked.
const MEASURED: [usize; 2] = [50, 110];
const CHECKED: [usize; 3] = [80, 160, 230];
/// Trips between ends that are all different, and trips among few ends.
const FEW: usize = 20;
const APART: usize = 2_000;
const TOGETHER: [usize; 2] = [150, 20_000];
const THREADS: usize = 2;
/// Barnes et al. (2024), "Massively Scalable Inverse Reinforcement Learning in Google Maps".
const STUDY: Study = Study { parameters: 360e6, trips: 110e6, nodes: 124e3, gpu_years: 1.4 };
/// Assumptions: links for each node, and evaluations of a search.
const LINKS_OF_NODE: f64 = 2.5;
const EVALUATIONS: f64 = 500.0;
const YEAR: f64 = 365.25 * 86_400.0;

struct Study {
    parameters: f64,
    trips: f64,
    nodes: f64,
    gpu_years: f64,
}

/// Seconds = factor · states^power.
#[derive(Clone, Copy)]
struct Power {
    factor: f64,
    power: f64,
}

impl Power {
    /// Through two points: a number of states and seconds.
    fn through([(n, time), (m, other)]: [(f64, f64); 2]) -> Power {
        let power = (other / time).ln() / (m / n).ln();
        Power { factor: time / n.powf(power), power }
    }

    fn at(self, n: f64) -> f64 {
        self.factor * n.powf(self.power)
    }
}

/// The cost of the order, of a gradient without trips, of each distinct first or last state, and of each pair of them.
struct Cost {
    order: Power,
    states: Power,
    end: Power,
    pair: Power,
}

impl Cost {
    fn gradient(&self, n: f64, ends: f64, pairs: f64) -> f64 {
        self.states.at(n) + self.end.at(n) * ends + self.pair.at(n) * pairs
    }
}

/// What was measured on one grid.
struct Measured {
    n: f64,
    order: f64,
    /// Ends, pairs and seconds: few trips, trips that are apart, and trips together.
    gradients: [(f64, f64, f64); 3],
}

impl Measured {
    /// The seconds of the order, of the states, of an end, and of a pair.
    fn costs(&self) -> [f64; 4] {
        let [few, apart, together] = self.gradients;
        let least = 1e-9;
        // Two equations for an end and a pair: each gradient minus that of few trips.
        let [a, b] = [apart, together].map(|(ends, pairs, time)| (ends - few.0, pairs - few.1, time - few.2));
        let determinant = a.0 * b.1 - b.0 * a.1;
        let end = ((a.2 * b.1 - b.2 * a.1) / determinant).max(least);
        let pair = ((a.0 * b.2 - b.0 * a.2) / determinant).max(least);
        [self.order, (few.2 - end * few.0 - pair * few.1).max(least), end, pair]
    }
}

/// Markdown tables.
pub fn run(rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let [small, large] = MEASURED.map(|side| measure(side, rounds));
    let (small, large) = (small.map_err(words)?, large.map_err(words)?);
    let [order, states, end, pair] =
        std::array::from_fn(|k| Power::through([(small.n, small.costs()[k]), (large.n, large.costs()[k])]));
    let cost = Cost { order, states, end, pair };
    let mut rows = Vec::new();
    for side in CHECKED {
        let found = measure(side, rounds).map_err(words)?;
        let (ends, pairs, time) = found.gradients[1];
        let said = cost.gradient(found.n, ends, pairs);
        let numbers = [found.n, ends, pairs].map(|number| format!("{number:.0}"));
        let times = [found.order, cost.order.at(found.n), time, said].map(shown);
        rows.push(numbers.into_iter().chain(times).chain([format!("{:.2}", said / time)]).collect());
    }
    let head = ["states", "distinct ends", "pairs", "order", "model", "gradient", "model", "model / measured"];
    let terms = [("order", cost.order), ("states", cost.states), ("each end", cost.end), ("each pair", cost.pair)];
    let terms: Vec<Vec<String>> = terms
        .iter()
        .map(|(name, of)| vec![name.to_string(), format!("{:.3e}", of.factor), format!("{:.2}", of.power)])
        .collect();
    Ok(format!(
        "### The cost of one gradient: factor · states^power seconds, {THREADS} threads\n\n{}\n### The model elsewhere\n\n\
         {}\n### A study of the world\n\n{}",
        table(&["term", "factor", "power"], &terms),
        table(&head, &rows),
        study(&cost)
    ))
}

/// The cost of the study on some machines like this one.
fn study(cost: &Cost) -> String {
    let links = STUDY.nodes * LINKS_OF_NODE;
    let metros = STUDY.parameters / links;
    let trips = STUDY.trips / metros;
    // Each trip has ends of its own, as long as there are links.
    let ends = (2.0 * trips).min(2.0 * links);
    let gradient = cost.gradient(links, ends, trips);
    let all = metros * (cost.order.at(links) + EVALUATIONS * gradient);
    let days = |machines: f64| format!("{:.1} days", all / machines / 86_400.0);
    let rows = [1.0, 10.0, 100.0].map(|machines| vec![format!("{machines:.0}"), days(machines)]);
    format!(
        "{metros:.0} metros of {links:.0} links, {trips:.0} trips in each, {ends:.0} distinct ends; one gradient of a metro \
         takes {}, its order {}; {EVALUATIONS:.0} evaluations. The study itself took {:.0} GPU-days.\n\n{}",
        shown(gradient),
        shown(cost.order.at(links)),
        STUDY.gpu_years * YEAR / 86_400.0,
        table(&["machines of two cores", "time"], &rows)
    )
}

fn measure(side: usize, rounds: usize) -> Result<Measured, revealed::Error> {
    let grid = grid(side)?;
    let [places, pairs] = TOGETHER;
    let mut order = f64::INFINITY;
    let mut gradients = [(0.0, 0.0, f64::INFINITY); 3];
    for (trips, found) in [trips(&grid, side * side, FEW), trips(&grid, side * side, APART), trips(&grid, places, pairs)]
        .iter()
        .zip(&mut gradients)
    {
        let demos = Demonstrations::new(&grid.mdp, trips)?;
        let work = Work { memory: MEMORY, ..Work::on(THREADS) };
        let mut choice = None;
        order = order.min(seconds(|| choice = Some(RouteChoice::new(&grid.mdp, &grid.features, &demos, &work))));
        let mut choice = choice.expect("it ran")?;
        let of = |which: fn(&Trajectory) -> usize| trips.iter().map(which).collect::<BTreeSet<usize>>().len() as f64;
        let last = |trip: &Trajectory| trip.states[trip.states.len() - 1];
        let both: BTreeSet<[usize; 2]> = trips.iter().map(|trip| [trip.states[0], last(trip)]).collect();
        (found.0, found.1) = (of(|trip| trip.states[0]) + of(last), both.len() as f64);
        for _ in 0..rounds {
            let mut point = None;
            found.2 = found.2.min(seconds(|| point = Some(choice.evaluate(&COSTS))));
            point.expect("it ran")?;
        }
    }
    Ok(Measured { n: grid.mdp.n_states() as f64, order, gradients })
}

/// Trips between so many junctions that are drawn.
fn trips(grid: &Grid, places: usize, n: usize) -> Vec<Trajectory> {
    let mut draw = Drawing::new();
    let mut place = || [draw.below(grid.side), draw.below(grid.side)];
    let places: Vec<[usize; 2]> = (0..places).map(|_| place()).collect();
    let mut draw = Drawing::new();
    let mut trips = Vec::new();
    while trips.len() < n {
        let [from, to] = [(); 2].map(|()| places[draw.below(places.len())]);
        trips.extend(grid.trip(from, to));
    }
    trips
}
