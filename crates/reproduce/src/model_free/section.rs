//! What `model-free` finds.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::{COUNTING, LENGTHS, RATES, STOPS};
use crate::error::Error;
use crate::figure::Figure;
use crate::plan::Recipe;
use crate::results::Results;
use crate::section::{Number, Section, Table, Verdict};
use crate::stats::{Mean, intervals, log_slope, mean, shown};

/// Monte Carlo: the error falls with the root of the number of rollouts.
const RATE: (f64, f64) = (0.4, 0.6);

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

fn rate(rates: &[Points]) -> Canvas {
    let looks = [(BLUE, Marker::Circle), (VERMILION, Marker::Square), (GREEN, Marker::Triangle)];
    let mut lines: Vec<Curve> = (rates.iter().zip(RATES).zip(looks))
        .map(|((points, name), (colour, marker))| Curve {
            name: name.to_string(),
            colour,
            marker,
            points: intervals(&points.error),
        })
        .collect();
    if let Some(&(first, at_first)) = rates.first().and_then(|points| points.error.first()) {
        let guide = |&(x, _): &(f64, Mean)| (x, Interval::exactly(0.7 * at_first.mean * (first / x).sqrt()));
        let points = rates[0].error.iter().map(guide).collect();
        lines.push(Curve { name: "slope -1/2".to_string(), colour: GREY, marker: Marker::Dashes, points });
    }
    curves(&Axis::log("rollouts"), &Axis::log("error of the gradient"), &lines)
}

fn length_chart(lengths: &[Points]) -> Canvas {
    let looks = [
        ("prefixes", BLUE, Marker::Circle),
        ("stopping, told", GREEN, Marker::Triangle),
        ("stopping, not told", VERMILION, Marker::Square),
    ];
    let mut lines: Vec<Curve> = (lengths.iter().zip(looks))
        .map(|(points, (name, colour, marker))| Curve {
            name: name.to_string(),
            colour,
            marker,
            points: intervals(&points.total),
        })
        .collect();
    lines.extend(lengths.first().map(exact_line));
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &lines)
}

fn counting_chart(counting: &Points) -> Canvas {
    let line = Curve { name: "prefixes".to_string(), colour: BLUE, marker: Marker::Circle, points: intervals(&counting.total) };
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &[line, exact_line(counting)])
}

fn exact_line(points: &Points) -> Curve {
    let exact = Interval::exactly(points.exact_total);
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
