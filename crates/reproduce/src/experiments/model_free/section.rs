//! The section of the report on `model-free`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::{COUNTING, LENGTHS, RATES, STOPS};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, log_slope, mean, shown};
use crate::work::Recipe;

/// The slopes that count as the Monte Carlo rate: the error is proportional to n^(-1/2) for n rollouts.
const RATE: std::ops::RangeInclusive<f64> = 0.4..=0.6;

/// The results of one case, by the number of rollouts.
struct Points {
    /// The root mean square error.
    error: Vec<(f64, Mean)>,
    /// The error that the standard errors predict.
    expected: Vec<(f64, Mean)>,
    effective: Vec<Mean>,
    /// The sum of the estimated expectations.
    total: Vec<(f64, Mean)>,
    exact_total: f64,
}

impl Points {
    fn read(recipe: &Recipe, results: &Results, name: &str) -> Result<Points, Error> {
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

    fn slope(&self) -> f64 {
        -log_slope(&self.error.iter().map(|(x, y)| (*x, y.mean)).collect::<Vec<_>>())
    }

    fn first(&self) -> Mean {
        self.total.first().map_or(Mean::NONE, |point| point.1)
    }

    fn last(&self) -> Mean {
        self.total.last().map_or(Mean::NONE, |point| point.1)
    }
}

/// The root of the mean square, with the interval of the mean square.
fn root_mean_square(values: &[f64]) -> Mean {
    let square = mean(&values.iter().map(|value| value * value).collect::<Vec<_>>());
    let root = square.mean.sqrt();
    Mean { mean: root, half_width: square.half_width / (2.0 * root) }
}

/// The results of all cases.
struct Estimates {
    /// Of the problems of [`RATES`].
    rates: Vec<Points>,
    slopes: Vec<f64>,
    /// Of the samplers of [`LENGTHS`].
    lengths: Vec<Points>,
    counting: Points,
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let read = |name: &&str| Points::read(recipe, results, name);
    let rates = RATES.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let estimates = Estimates {
        slopes: rates.iter().map(Points::slope).collect(),
        rates,
        lengths: LENGTHS.iter().map(read).collect::<Result<Vec<_>, _>>()?,
        counting: read(&COUNTING)?,
    };
    Ok(Section {
        title: "Model-free learning: importance sampling against the exact gradient".to_string(),
        paper: "The estimator of Relative Entropy IRL can be adapted to MaxEnt IRL with the baseline policy's probability replaced by 1. This may be biased towards shorter \
                demonstrations, as they will have larger weights; a comparison with the exact algorithms is left to future work."
            .to_string(),
        ours: estimates.ours(),
        verdict: estimates.verdict().with_repeats(recipe.repeats),
        figures: estimates.figures(recipe.repeats),
        tables: vec![table(&estimates.rates)],
        settings: settings(recipe),
        numbers: estimates.numbers(),
    })
}

impl Estimates {
    /// The exact mean length of a path that may end anywhere.
    fn exact(&self) -> f64 {
        self.lengths[0].exact_total
    }

    /// The estimated mean length with the most rollouts: from prefixes, from stopped paths with
    /// their probability of stopping, and from stopped paths without it.
    fn last_lengths(&self) -> [Mean; 3] {
        [0, 1, 2].map(|sampler| self.lengths[sampler].last())
    }

    fn at_rate(&self) -> bool {
        self.slopes.iter().all(|slope| RATE.contains(slope))
    }

    fn is_biased(&self) -> bool {
        let ([prefixes, _, untold], exact) = (self.last_lengths(), self.exact());
        untold.high() < exact - 1.0
            && (prefixes.mean - exact).abs() < 0.05
            && self.counting.first().high() < self.counting.exact_total
    }

    fn slopes(&self) -> String {
        let words = self.slopes.iter().zip(RATES).map(|(slope, name)| format!("{slope:.2} on {name}"));
        words.collect::<Vec<_>>().join(", ")
    }

    fn ours(&self) -> String {
        let ([prefixes, told, untold], counting) = (self.last_lengths(), &self.counting);
        format!(
            "The error of the gradient falls with the number $n$ of rollouts as $n^{{-b}}$, where $b$ is {}{}. The weights do not favour short paths: $1/\\pi$ grows \
             with the length. \
             There are two other biases towards short paths. First, a sampler may stop by itself. If its weights ignore the probability of stopping, the \
             estimated mean length with the most rollouts is {untold} instead of {}. With that probability it is {told}, and from prefixes {prefixes}. \
             Second, the longest paths are rare and have the largest weights, so few rollouts miss them. If all paths have equal weight, the estimate \
             with the fewest rollouts is {} instead of {}, and {} with the most.",
            self.slopes(),
            if self.at_rate() { ": the Monte Carlo rate" } else { ", while the Monte Carlo rate is 0.5" },
            shown(self.exact()),
            counting.first(),
            shown(counting.exact_total),
            counting.last()
        )
    }

    fn verdict(&self) -> Verdict {
        match self.at_rate() && self.is_biased() {
            true => Verdict::Reproduced(
                "The adapted estimator converges to the exact gradient at the Monte Carlo rate. It is biased towards short paths, but not for the paper's reason."
                    .to_string(),
            ),
            false => Verdict::Differs(format!(
                "The slopes are {}. Not all biases are significant: see the numbers.",
                self.slopes()
            )),
        }
    }

    fn figures(&self, repeats: usize) -> Vec<Figure> {
        let rate =
            format!("Error of the estimated gradient, root mean square over {repeats} sets of samples with 90 % interval.");
        let length = format!(
            "FrozenLake4x4: the estimated mean length of a path. Mean and 90 % interval over {repeats} sets of samples."
        );
        let counting = "FrozenLake4x4 with θ = 0 and paths of up to 20 states, estimated from prefixes. With few rollouts, long paths are missing.";
        vec![
            Figure::new("rate", rate, rate_chart(&self.rates)),
            Figure::new("length", length, length_chart(&self.lengths)),
            Figure::new("counting", counting, counting_chart(&self.counting)),
        ]
    }

    fn numbers(&self) -> Vec<Number> {
        let ([prefixes, told, untold], counting) = (self.last_lengths(), &self.counting);
        let slopes = self.slopes.iter().zip(RATES).map(|(slope, name)| Number::new(format!("slope_{name}"), None, *slope));
        let lengths = [
            Number::new("exact_length", None, self.exact()),
            prefixes.number("length_prefixes", None),
            told.number("length_stopping", None),
            untold.number("length_stopping_untold", None),
            Number::new("exact_length_counting", None, counting.exact_total),
            counting.first().number("length_counting_first", None),
            counting.last().number("length_counting_last", None),
        ];
        slopes.chain(lengths).collect()
    }
}

fn rate_chart(rates: &[Points]) -> Canvas {
    let looks = [(BLUE, Marker::Circle), (VERMILION, Marker::Square), (GREEN, Marker::Triangle)];
    let curve =
        |((points, name), (colour, marker)): ((&Points, &str), _)| Curve::new(name, colour, marker, intervals(&points.error));
    let mut lines: Vec<Curve> = rates.iter().zip(RATES).zip(looks).map(curve).collect();
    if let Some(&(first, at_first)) = rates.first().and_then(|points| points.error.first()) {
        let guide = |&(x, _): &(f64, Mean)| (x, Interval::exactly(0.7 * at_first.mean * (first / x).sqrt()));
        lines.push(Curve::new("slope -1/2", GREY, Marker::Dashes, rates[0].error.iter().map(guide).collect()));
    }
    curves(&Axis::log("rollouts"), &Axis::log("error of the gradient"), &lines)
}

fn length_chart(lengths: &[Points]) -> Canvas {
    let looks = [
        ("prefixes", BLUE, Marker::Circle),
        ("stopping, corrected", GREEN, Marker::Triangle),
        ("stopping, not corrected", VERMILION, Marker::Square),
    ];
    let curve =
        |(points, (name, colour, marker)): (&Points, (&str, _, _))| Curve::new(name, colour, marker, intervals(&points.total));
    let mut lines: Vec<Curve> = lengths.iter().zip(looks).map(curve).collect();
    lines.extend(lengths.first().map(exact_line));
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &lines)
}

fn counting_chart(counting: &Points) -> Canvas {
    let line = Curve::new("prefixes", BLUE, Marker::Circle, intervals(&counting.total));
    curves(&Axis::log("rollouts"), &Axis::linear("mean length, states"), &[line, exact_line(counting)])
}

fn exact_line(points: &Points) -> Curve {
    let exact = Interval::exactly(points.exact_total);
    Curve::new("exact", GREY, Marker::Dashes, points.total.iter().map(|point| (point.0, exact)).collect())
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
    Table::new(
        "Error of the gradient, and the error that the estimator reports",
        &["problem", "rollouts", "error", "by standard errors", "effective sample size"],
        rows,
        "The error is the root mean square of the Euclidean distance to the exact gradient; beside it is the root mean square error that the reported standard errors predict. \
         The paper has no numbers for this.",
    )
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        ("sets of samples", format!("{} sets of samples of each size", recipe.repeats)),
        ("sampling policy", "uniform over the actions of a state".to_string()),
        ("FrozenLake4x4", "no discount, paths of up to 10 states that end anywhere (each prefix of a rollout is a sample), θ from -0.8 at the start to -0.05 at the goal".to_string()),
        ("NChain5", "no discount, paths of 8 states, weights 0, 0.2 and 1 for going on, going back and staying at the end".to_string()),
        ("Taxi", "discount 0.9, paths of up to 10 states that end anywhere, weights -0.1, 2 and -1 for steps, deliveries and illegal actions".to_string()),
        ("stopping sampler", format!("stops in each state with probability {STOPS}")),
    ])
}
