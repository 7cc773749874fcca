//! `model-free`: the importance-sampling estimator against the exact gradient, and where it leans to short paths.
//!
//! The error of the gradient is that of E_θ[φ], whatever the demonstrations are.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain, taxi};
use revealed::{
    Baseline, Ends, Error as EngineError, PathDistribution, Policy, SampleColumns, Samples, Stop, Trajectory, rollouts,
    samples_from_rollouts,
};

use crate::Settings;
use crate::axis::Axis;
use crate::canvas::{BLUE, GREEN, GREY, VERMILION};
use crate::chart::{Curve, Marker, curves};
use crate::error::Error;
use crate::figure::Figure;
use crate::plan::{Plan, Recipe, Row, Unit};
use crate::results::Results;
use crate::section::{Number, Section, Table, Verdict};
use crate::stats::{Mean, log_slope, mean, shown};

/// The problems on which the rate is measured.
const RATES: [&str; 3] = ["FrozenLake4x4", "NChain5", "Taxi"];
/// Ways to estimate the mean length of the paper's paths, which may end anywhere.
const LENGTHS: [&str; 3] = ["prefixes", "stopping", "stopping-untold"];
/// The same where every path weighs as much: the longest are the rarest and count most.
const COUNTING: &str = "counting";
const ROLLOUTS: [usize; 5] = [100, 400, 1600, 6400, 25_600];
const QUICK_ROLLOUTS: [usize; 4] = [100, 400, 1600, 6400];
/// Of the last case, which needs few to be right.
const FEW_ROLLOUTS: [usize; 5] = [4, 16, 64, 256, 1024];
/// The probability that the stopping sampler stops in a state.
const STOPS: f64 = 0.5;
/// Monte Carlo: the error falls with the root of the number of rollouts.
const RATE: (f64, f64) = (0.4, 0.6);

/// A problem with a known θ and a set of paths.
struct Problem {
    world: World,
    theta: Vec<f64>,
    longest: usize,
    ends: Ends,
}

impl Problem {
    fn named(name: &str) -> Result<Problem, EngineError> {
        let lake = |theta: Vec<f64>, longest| {
            Ok(Problem { world: frozen_lake(&FROZEN_LAKE_4X4, true)?, theta, longest, ends: Ends::Anywhere })
        };
        match name {
            // Step, return and stay, which pay 0, 2 and 10 in truth.
            "NChain5" => {
                let world = n_chain(5, 0.2, 2.0, 10.0, StepFeatures::Kinds)?;
                Ok(Problem { world, theta: vec![0.0, 0.2, 1.0], longest: 8, ends: Ends::Horizon })
            }
            // Step, delivery and illegal.
            "Taxi" => {
                let world = taxi(StepFeatures::Kinds)?.with_discount(0.9)?;
                Ok(Problem { world, theta: vec![-0.1, 2.0, -1.0], longest: 10, ends: Ends::Anywhere })
            }
            COUNTING => lake(vec![0.0; 16], 20),
            // Goals are worth more than starts, and steps cost something.
            _ => lake((0..16).map(|cell| -0.8 + 0.05 * f64::from(cell)).collect(), 10),
        }
    }

    /// E_θ[φ] by the engine.
    fn exact(&self) -> Result<Vec<f64>, EngineError> {
        let stop = if self.ends == Ends::Horizon { Stop::Horizon } else { Stop::Anywhere };
        let reward = self.world.features.reward(&self.world.mdp, &self.theta)?;
        let paths = PathDistribution::new(&self.world.mdp, reward, self.longest, stop)?;
        Ok(self.world.features.expectation(&self.world.mdp, paths.occupancy()))
    }

    fn sampled(&self, n: usize, seed: u64) -> Result<SampleColumns, EngineError> {
        let policy = Policy::uniform(&self.world.mdp);
        let rollouts = rollouts(&self.world.mdp, &policy, n, self.longest, seed)?;
        samples_from_rollouts(&self.world.mdp, &self.world.features, &rollouts, &policy, self.ends)
    }

    /// What a sampler brings that stops at random on its way, and tells the probability of that or not.
    fn stopped(&self, n: usize, seed: u64, told: bool) -> Result<SampleColumns, EngineError> {
        let mdp = &self.world.mdp;
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 0x5705);
        let mut columns = SampleColumns { n_features: mdp.n_states(), ..SampleColumns::default() };
        for path in rollouts(mdp, &Policy::uniform(mdp), n, self.longest, seed)? {
            let (length, log_stop) = stop_on_the_way(&path, &mut rng);
            let mut visits = vec![0.0; mdp.n_states()];
            path.states[..length].iter().for_each(|&state| visits[state] += 1.0);
            columns.features.extend(visits);
            let log_actions: f64 = path.states[..length - 1].iter().map(|&state| -(mdp.choices(state).len() as f64).ln()).sum();
            columns.log_policy.push(log_actions + if told { log_stop } else { 0.0 });
        }
        Ok(columns)
    }
}

/// How many states a sampler sees that stops with [`STOPS`] in each but the last, and the logarithm of the probability of that.
fn stop_on_the_way(path: &Trajectory, rng: &mut Pcg64Mcg) -> (usize, f64) {
    let mut log_stop = 0.0;
    for length in 1..path.states.len() {
        if rng.random_bool(STOPS) {
            return (length, log_stop + STOPS.ln());
        }
        log_stop += (1.0 - STOPS).ln();
    }
    (path.states.len(), log_stop)
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes: &[usize] = if settings.quick { &QUICK_ROLLOUTS } else { &ROLLOUTS };
    let names = RATES.into_iter().chain(LENGTHS);
    let counting = FEW_ROLLOUTS.iter().map(|n| format!("{COUNTING}/{n}"));
    Plan {
        version: 1,
        cases: names.flat_map(|name| sizes.iter().map(move |n| format!("{name}/{n}"))).chain(counting).collect(),
        repeats: settings.repeats(50, 20),
        seeded: true,
        alone: false,
        columns: &[
            "case",
            "rollouts",
            "repeat",
            "error",
            "expected_error",
            "effective_sample_size",
            "largest_share",
            "total",
            "exact_total",
        ],
        timings: &[],
    }
}

/// One set of samples: how far its estimate is from the exact expectation.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let (name, n) = unit.case.split_once('/').unwrap_or((&unit.case, "100"));
    let n: usize = n.parse().unwrap_or(100);
    let problem = Problem::named(name)?;
    let columns = match name {
        "stopping" => problem.stopped(n, unit.seed, true)?,
        "stopping-untold" => problem.stopped(n, unit.seed, false)?,
        _ => problem.sampled(n, unit.seed)?,
    };
    let estimate = Samples::new(&columns, Baseline::One)?.evaluate(&problem.theta)?;
    let exact = problem.exact()?;
    let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let error = length(&mut estimate.expectation.iter().zip(&exact).map(|(found, exact)| found - exact));
    // With one indicator per state and no discount, the sum of the expectations is the mean length.
    let numbers = [
        error,
        length(&mut estimate.standard_error.iter().copied()),
        estimate.effective_sample_size,
        estimate.largest_share,
        estimate.expectation.iter().sum(),
        exact.iter().sum(),
    ];
    let mut cells = vec![name.to_string(), n.to_string(), unit.repeat.to_string()];
    cells.extend(numbers.map(|number| number.to_string()));
    Ok(vec![Row { cells, seconds: Vec::new() }])
}

/// What one case shows, by the number of rollouts.
struct Points {
    /// The root of the mean squared error.
    error: Vec<(f64, Mean)>,
    /// What the standard errors said it would be.
    expected: Vec<(f64, Mean)>,
    effective: Vec<Mean>,
    /// The sum of the estimated expectations.
    total: Vec<(f64, Mean)>,
    exact_total: f64,
}

fn points(recipe: &Recipe, results: &Results, name: &str) -> Result<Points, Error> {
    let mut points = Points { error: vec![], expected: vec![], effective: vec![], total: vec![], exact_total: f64::NAN };
    for n in recipe.cases.iter().filter_map(|case| case.split_once('/')).filter(|case| case.0 == name).map(|case| case.1) {
        let all = |column: &str| {
            let rows = results.with("case", name).filter(|row| row.text("rollouts") == n);
            rows.map(|row| row.number(column)).collect::<Result<Vec<f64>, Error>>()
        };
        let x = n.parse().unwrap_or(1.0);
        points.error.push((x, root_mean_square(&all("error")?)));
        points.expected.push((x, root_mean_square(&all("expected_error")?)));
        points.effective.push(mean(&all("effective_sample_size")?));
        points.total.push((x, mean(&all("total")?)));
        points.exact_total = all("exact_total")?.first().copied().unwrap_or(f64::NAN);
    }
    Ok(points)
}

/// The root of the mean square, and of the ends of its interval.
fn root_mean_square(values: &[f64]) -> Mean {
    let square = mean(&values.iter().map(|value| value * value).collect::<Vec<_>>());
    let root = square.mean.sqrt();
    Mean { mean: root, half_width: square.half_width / (2.0 * root) }
}

impl Points {
    fn slope(&self) -> f64 {
        -log_slope(&self.error.iter().map(|(x, y)| (*x, y.mean)).collect::<Vec<_>>())
    }

    fn last(&self) -> Mean {
        self.total.last().map_or(Mean { mean: f64::NAN, half_width: f64::NAN }, |point| point.1)
    }

    fn first(&self) -> Mean {
        self.total.first().map_or(Mean { mean: f64::NAN, half_width: f64::NAN }, |point| point.1)
    }
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let rates = RATES.iter().map(|name| points(recipe, results, name)).collect::<Result<Vec<_>, _>>()?;
    let lengths = LENGTHS.iter().map(|name| points(recipe, results, name)).collect::<Result<Vec<_>, _>>()?;
    let counting = points(recipe, results, COUNTING)?;
    let slopes: Vec<f64> = rates.iter().map(Points::slope).collect();
    let at_rate = slopes.iter().all(|slope| (RATE.0..=RATE.1).contains(slope));
    let exact = lengths[0].exact_total;
    let (prefixes, told, untold) = (lengths[0].last(), lengths[1].last(), lengths[2].last());
    let biased =
        untold.high() < exact - 1.0 && (prefixes.mean - exact).abs() < 0.05 && counting.first().high() < counting.exact_total;
    let slopes_in_words =
        slopes.iter().zip(RATES).map(|(slope, name)| format!("{slope:.2} on {name}")).collect::<Vec<_>>().join(", ");
    let mut numbers: Vec<Number> =
        slopes.iter().zip(RATES).map(|(slope, name)| Number::new(format!("slope_{name}"), None, *slope)).collect();
    numbers.extend([
        Number::new("exact_length", None, exact),
        prefixes.number("length_prefixes", None),
        told.number("length_stopping", None),
        untold.number("length_stopping_untold", None),
        Number::new("exact_length_counting", None, counting.exact_total),
        counting.first().number("length_counting_first", None),
        counting.last().number("length_counting_last", None),
    ]);
    Ok(Section {
        title: "Model-free learning: importance sampling against the exact gradient".to_string(),
        paper: "The estimator of Relative Entropy IRL can be adapted to MaxEnt IRL with the baseline policy's probability replaced by 1. This may be biased towards shorter \
                demonstrations, as they will have larger weights; it is left to be explored and evaluated against the exact algorithms."
            .to_string(),
        ours: format!(
            "The error of the gradient falls as n^-slope with slopes {slopes_in_words}{}. Weights do not favour short paths: 1/π grows with the length. \
             Two leanings to short paths are to be expected. A sampler that stops by itself and does not tell how likely that was does not get \
             the mean length right ({untold} instead of {} with the most rollouts; {told} if it tells, {prefixes} from prefixes). And with few rollouts \
             the longest paths, which are rare and weigh most, are missing: {} instead of {} at first, {} at last, where every path weighs as much.",
            if at_rate { ": the Monte Carlo rate" } else { ", while the Monte Carlo rate is 0.5" },
            shown(exact),
            counting.first(),
            shown(counting.exact_total),
            counting.last()
        ),
        verdict: match at_rate && biased {
            true => Verdict::Reproduced(
                "The adapted estimator converges to the exact gradient at the Monte Carlo rate; the bias that the paper expects is there, but not for the reason it gives."
                    .to_string(),
            ),
            false => Verdict::Differs(format!("The slopes are {slopes_in_words}, and the leanings are not all clear: see the numbers.")),
        }
        .with_repeats(recipe.repeats),
        figures: vec![
            Figure::new("rate", format!("Error of the estimated gradient, root mean square over {} sets of samples with 90 % interval.", recipe.repeats), rate(&rates)),
            Figure::new(
                "length",
                format!("FrozenLake4x4: the estimated mean length of a path. Mean and 90 % interval over {} sets of samples.", recipe.repeats),
                length_chart(&lengths),
            ),
            Figure::new(
                "counting",
                "FrozenLake4x4 with θ = 0 and paths of up to 20 states, estimated from prefixes: until rollouts are many, long paths are missing.".to_string(),
                counting_chart(&counting),
            ),
        ],
        tables: vec![table(&rates)],
        settings: settings(recipe),
        numbers,
    })
}

fn rate(rates: &[Points]) -> crate::Canvas {
    let looks = [(BLUE, Marker::Circle), (VERMILION, Marker::Square), (GREEN, Marker::Triangle)];
    let mut lines: Vec<Curve> = (rates.iter().zip(RATES).zip(looks))
        .map(|((points, name), (colour, marker))| Curve {
            name: name.to_string(),
            colour,
            marker,
            points: points.error.clone(),
        })
        .collect();
    if let Some(&(first, at_first)) = rates.first().and_then(|points| points.error.first()) {
        let guide = |&(x, _): &(f64, Mean)| (x, Mean { mean: 0.7 * at_first.mean * (first / x).sqrt(), half_width: f64::NAN });
        let points = rates[0].error.iter().map(guide).collect();
        lines.push(Curve { name: "slope -1/2".to_string(), colour: GREY, marker: Marker::Dashes, points });
    }
    curves(&Axis::log("rollouts"), &Axis::log("error of the gradient"), &lines)
}

fn length_chart(lengths: &[Points]) -> crate::Canvas {
    let looks = [
        ("prefixes", BLUE, Marker::Circle),
        ("stopping, told", GREEN, Marker::Triangle),
        ("stopping, not told", VERMILION, Marker::Square),
    ];
    let mut lines: Vec<Curve> = (lengths.iter().zip(looks))
        .map(|(points, (name, colour, marker))| Curve { name: name.to_string(), colour, marker, points: points.total.clone() })
        .collect();
    lines.extend(lengths.first().map(exact_line));
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &lines)
}

fn counting_chart(counting: &Points) -> crate::Canvas {
    let line = Curve { name: "prefixes".to_string(), colour: BLUE, marker: Marker::Circle, points: counting.total.clone() };
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &[line, exact_line(counting)])
}

fn exact_line(points: &Points) -> Curve {
    let exact = Mean { mean: points.exact_total, half_width: f64::NAN };
    Curve {
        name: "exact".to_string(),
        colour: GREY,
        marker: Marker::Dashes,
        points: points.total.iter().map(|point| (point.0, exact)).collect(),
    }
}

fn table(rates: &[Points]) -> Table {
    let mut rows = Vec::new();
    for (points, name) in rates.iter().zip(RATES) {
        for (((n, error), (_, expected)), effective) in points.error.iter().zip(&points.expected).zip(&points.effective) {
            rows.push(vec![
                name.into(),
                n.to_string().into(),
                error.to_string().into(),
                shown(expected.mean).into(),
                effective.to_string().into(),
            ]);
        }
    }
    Table {
        caption: "Error of the gradient, and what the estimator itself said of it".to_string(),
        header: ["problem", "rollouts", "error", "by standard errors", "effective sample size"].map(str::to_string).to_vec(),
        rows,
        note: "The error is the root mean square of the Euclidean distance to the exact gradient; beside it the root mean square of what the reported standard errors promise. \
               The paper has no numbers here."
            .to_string(),
    }
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    let all = [
        ("sets of samples", format!("{} sets of samples of each size", recipe.repeats)),
        ("sampling policy", "uniform over the actions of a state".to_string()),
        ("FrozenLake4x4", "no discount, paths of up to 10 states that end anywhere (each prefix of a rollout is a sample), θ from -0.8 at the start to -0.05 at the goal".to_string()),
        ("NChain5", "no discount, paths of 8 states, weights 0, 0.2 and 1 for going on, going back and staying at the end".to_string()),
        ("Taxi", "discount 0.9, paths of up to 10 states that end anywhere, weights -0.1, 2 and -1 for steps, deliveries and illegal actions".to_string()),
        ("the sampler that stops", format!("stops in each state with probability {STOPS}")),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_of_stopping_sum_to_one() {
        let path = Trajectory::new(vec![0, 1, 2, 3], vec![0, 0, 0]);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut seen = std::collections::BTreeMap::new();
        let mut counts = [0; 5];
        for _ in 0..10_000 {
            let (length, log_stop) = stop_on_the_way(&path, &mut rng);
            seen.insert(length, log_stop);
            counts[length] += 1;
        }
        assert!((seen.values().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        for (length, log_stop) in seen {
            assert!((f64::from(counts[length]) / 10_000.0 - log_stop.exp()).abs() < 0.02, "{length}");
        }
    }
}
