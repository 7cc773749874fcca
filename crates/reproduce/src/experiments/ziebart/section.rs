//! The section of the report on `ziebart`.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use super::super::{expert, lake};
use super::distribution::Distribution;
use super::implemented::{STEP, TOLERANCE};
use super::{ALGORITHMS, Algorithm, CHOICES, FIRST_STEP, PAPER_2008, PAPER_2010, PAPER_EXACT, PATHS, STEPS};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Cell, Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, mean, quantile, shown, significant};
use crate::work::Recipe;

/// The settings that reproduce the paper best.
const BEST: &str = CHOICES[0].name;

fn of(results: &Results, choices: &str, algorithm: &str, column: &str) -> Result<Mean, Error> {
    let rows = results.with("choices", choices).filter(|row| row.text("algorithm") == algorithm);
    Ok(mean(&rows.map(|row| row.number(column)).collect::<Result<Vec<_>, _>>()?))
}

/// An algorithm's inverse learning error on both scales, and its log-likelihood.
struct Scores {
    ile: Mean,
    /// On Gymnasium's scale.
    ends: Mean,
    log_likelihood: Mean,
}

impl Scores {
    fn read(results: &Results, algorithm: &str) -> Result<Scores, Error> {
        let of = |column: &str| of(results, BEST, algorithm, column);
        Ok(Scores { ile: of("ile")?, ends: of("ile_ends")?, log_likelihood: of("log_likelihood")? })
    }

    /// The error on both scales.
    fn both(&self) -> String {
        format!("{} ({} on Gymnasium's scale)", self.ile, self.ends)
    }
}

/// The results that are compared with the paper.
struct Comparison {
    exact: Scores,
    /// The exact algorithm over many data sets.
    many: Distribution,
    /// Ziebart's algorithm of 2008 as implemented.
    implemented_2008: Scores,
    /// That of 2010 as implemented, after more and more steps.
    implemented_2010: Vec<Scores>,
    /// Both as published, stepping against the gradient.
    against: [Scores; 2],
    /// Both as published, stepping with the gradient.
    with_gradient: [Scores; 2],
    /// The mismatch between their expectations and the demonstrations.
    mismatch: [Mean; 2],
    /// The worst errors that occur, on the paper's scale and on Gymnasium's.
    worst: [f64; 2],
}

/// The arms of the algorithm of 2010 as implemented.
fn stages() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(|algorithm| algorithm.name.starts_with("2010-implemented-"))
}

impl Comparison {
    fn read(results: &Results) -> Result<Comparison, Error> {
        let scores = |algorithm: &str| Scores::read(results, algorithm);
        let worst = |column: &str| {
            let all = results.with("choices", BEST).map(|row| row.number(column)).collect::<Result<Vec<_>, _>>()?;
            Ok::<_, Error>(quantile(&all, 1.0))
        };
        Ok(Comparison {
            exact: scores("exact")?,
            many: Distribution::read(results)?,
            implemented_2008: scores("2008-implemented-3000")?,
            implemented_2010: stages().map(|algorithm| scores(algorithm.name)).collect::<Result<Vec<_>, _>>()?,
            against: [scores("2008-against")?, scores("2010-against")?],
            with_gradient: [scores("2008")?, scores("2010")?],
            mismatch: [of(results, BEST, "2008", "mismatch")?, of(results, BEST, "2010", "mismatch")?],
            worst: [worst("ile")?, worst("ile_ends")?],
        })
    }

    /// The lowest and the highest mean error of 2010 as implemented, over the numbers of steps.
    fn range_2010(&self) -> (f64, f64) {
        let means = || self.implemented_2010.iter().map(|scores| scores.ile.mean);
        (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max))
    }

    /// The paper's numbers that do not come out, with the faults of the implementation.
    fn missed(&self) -> Vec<&'static str> {
        let close = |ours: Mean, paper: f64, slack: f64| (ours.mean - paper).abs() <= ours.half_width.max(0.0) + slack;
        let (low, high) = self.range_2010();
        let likely = |scores: &Scores| close(scores.log_likelihood, PAPER_2010[1].0, PAPER_2010[1].1 / 2.0);
        let found = [
            ("the error of the exact algorithm", self.many.holds_paper()),
            // The paper's ± seems to be the whole width of an interval, so half of it is used.
            ("its log-likelihood", close(self.exact.log_likelihood, PAPER_EXACT[1].0, PAPER_EXACT[1].1 / 2.0)),
            ("the error of 2008", close(self.implemented_2008.ile, PAPER_2008[0].0, 0.05)),
            ("the error of 2010", (low..=high).contains(&PAPER_2010[0].0)),
            ("the log-likelihood of 2008", close(self.implemented_2008.log_likelihood, PAPER_2008[1].0, PAPER_2008[1].1 / 2.0)),
            ("the log-likelihood of 2010", self.implemented_2010.iter().any(likely)),
        ];
        found.into_iter().filter(|(_, comes_out)| !comes_out).map(|(name, _)| name).collect()
    }

    /// Whether the exact algorithm has a lower error than 2010 as published: on the paper's scale, and on Gymnasium's.
    fn exact_is_better(&self) -> [bool; 2] {
        let [_, new] = &self.with_gradient;
        [self.many.mean.mean < new.ile.mean, self.exact.ends.mean < new.ends.mean]
    }

    fn verdict(&self) -> Verdict {
        let missed = self.missed();
        let numbers = match missed.is_empty() {
            true => "The paper's numbers come out with the faults of an early implementation".to_string(),
            false => format!(
                "With the faults of an early implementation, the paper's numbers come out but for {}",
                missed.join(" and ")
            ),
        };
        let conclusion = match self.exact_is_better() {
            [true, true] => "The exact algorithm is better on both scales",
            [false, false] => {
                "The exact algorithm is better on neither scale, so the paper's factor of ten is due to the implementation"
            }
            _ => "So the scale decides which of them is better, and the paper's factor of ten is due to the implementation",
        };
        let (low, high) = self.range_2010();
        let [_, new] = &self.with_gradient;
        let words = format!(
            "{numbers}. Exact: {} over {} data sets; {:.1} % of the means of 50 of them are at least the paper's 55.2. As implemented, the error of 2008 is {} (paper: \
             634.0), and that of 2010 goes from {low:.1} to {high:.1} with the number of steps (paper: 596.7). The worst errors that occur are {} and, on Gymnasium's \
             scale, {}. As published and with the gradient, the error of 2010 is {}, and {} on Gymnasium's scale, where the exact algorithm has {}. {conclusion}.",
            self.many.mean,
            self.many.errors.len(),
            100.0 * self.many.at_least(PAPER_EXACT[0].0),
            self.implemented_2008.both(),
            shown(self.worst[0]),
            shown(self.worst[1]),
            new.ile,
            new.ends,
            self.exact.ends,
        );
        match missed.is_empty() && self.exact_is_better() == [true; 2] {
            true => Verdict::Reproduced(words),
            false => Verdict::Differs(words),
        }
    }

    fn ours(&self) -> String {
        let [old, new] = &self.against;
        let [old_with, new_with] = &self.with_gradient;
        let values = self.many.values.iter().take(4).map(|(value, share)| format!("{value:.1} ({:.1} %)", 100.0 * share));
        let steps = |algorithm: &Algorithm| algorithm.title.rsplit(", ").next().unwrap_or_default();
        let by_steps =
            stages().zip(&self.implemented_2010).map(|(stage, scores)| format!("{} after {}", scores.ile, steps(stage)));
        let by_steps = by_steps.collect::<Vec<_>>().join(", ");
        let (low, high) = self.many.range();
        format!(
            "Exact: the error takes {} values over {} data sets, most often {}. Its mean is {}, and 90 % of the means of 50 data sets lie between \
             {low:.1} and {high:.1}. The log-likelihood is {}. As implemented, 2008 has the error {}, and 2010 has {by_steps}. As \
             published, against the gradient: {} and {}. With the gradient: {} and {}.{}",
            self.many.values.len(),
            self.many.errors.len(),
            values.collect::<Vec<_>>().join(", "),
            self.many.mean,
            self.exact.log_likelihood,
            self.implemented_2008.both(),
            old.both(),
            new.both(),
            old_with.both(),
            new_with.both(),
            self.about_widths()
        )
    }

    /// A sentence on the paper's ±, if it seems to be the whole width of our intervals.
    fn about_widths(&self) -> String {
        let [old, new] = &self.against;
        let widths = [(&self.exact, PAPER_EXACT), (old, PAPER_2008), (new, PAPER_2010)];
        let widths = widths.map(|(scores, paper)| (2.0 * scores.log_likelihood.half_width, paper[1].1));
        match widths.iter().all(|(ours, paper)| (ours / paper - 1.0).abs() < 0.5) {
            true => format!(
                " The paper's ± seems to be the whole width of the interval: twice our ± for the log-likelihoods is {}.",
                widths.map(|(ours, _)| significant(ours, 2)).join(", ")
            ),
            false => String::new(),
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let Comparison { exact, against: [old, new], with_gradient: [old_with, new_with], mismatch, .. } = self;
        let mut numbers = vec![
            exact.ile.number("exact_ile", Some(PAPER_EXACT[0].0)),
            exact.ends.number("exact_ile_ends", None),
            exact.log_likelihood.number("exact_log_likelihood", Some(PAPER_EXACT[1].0)),
            self.implemented_2008.ile.number("ziebart2008_implemented_ile", Some(PAPER_2008[0].0)),
            self.implemented_2008.ends.number("ziebart2008_implemented_ile_ends", None),
            self.implemented_2008.log_likelihood.number("ziebart2008_implemented_log_likelihood", Some(PAPER_2008[1].0)),
            old.ile.number("ziebart2008_against_ile", Some(PAPER_2008[0].0)),
            old.log_likelihood.number("ziebart2008_against_log_likelihood", Some(PAPER_2008[1].0)),
            new.ile.number("ziebart2010_against_ile", Some(PAPER_2010[0].0)),
            new.log_likelihood.number("ziebart2010_against_log_likelihood", Some(PAPER_2010[1].0)),
            old_with.ile.number("ziebart2008_ile", None),
            new_with.ile.number("ziebart2010_ile", None),
            new_with.ends.number("ziebart2010_ile_ends", None),
            mismatch[0].number("ziebart2008_mismatch", None),
            mismatch[1].number("ziebart2010_mismatch", None),
            Number::new("worst_ile", None, self.worst[0]),
            Number::new("worst_ile_ends", None, self.worst[1]),
        ];
        for (algorithm, scores) in stages().zip(&self.implemented_2010) {
            let name = algorithm.name.replace("2010-implemented-", "ziebart2010_implemented_ile_");
            numbers.push(scores.ile.number(name, Some(PAPER_2010[0].0)));
        }
        numbers.extend(self.many.numbers());
        numbers
    }
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let comparison = Comparison::read(results)?;
    Ok(Section {
        title: "Comparison with Ziebart's algorithms on FrozenLake4x4".to_string(),
        paper: "With 50 demonstration paths the exact algorithm has an inverse learning error of 55.2 ± 18.3, Ziebart's algorithm of 2008 one of 634.0 ± 0.0, and that of \
                2010 one of 596.7 ± 3.9; the log-likelihoods are -133 ± 7.78, -336 ± 31.2 and -365 ± 33.0. So the exact algorithm is better by a factor of \
                over ten."
            .to_string(),
        ours: comparison.ours(),
        verdict: comparison.verdict().with_repeats(recipe.repeats),
        figures: figures(recipe, results)?,
        tables: vec![comparison.many.table(), algorithms_table(results)?, choices_table(results)?],
        settings: settings(recipe),
        numbers: comparison.numbers(),
    })
}

fn algorithms_table(results: &Results) -> Result<Table, Error> {
    let mut rows = Vec::new();
    for algorithm in &ALGORITHMS {
        let printed = |index: usize| {
            algorithm.paper.map_or("".to_string(), |paper| format!("{:?} ± {:?}", paper[index].0, paper[index].1))
        };
        let ours = |column: &str| of(results, BEST, algorithm.name, column);
        let ile = ours("ile")?;
        let off = algorithm
            .paper
            .is_some_and(|paper| (ile.mean - paper[0].0).abs() > ile.half_width.max(0.0) + paper[0].1 / 2.0 + 0.05);
        let ile = if off { Cell::marked(ile.to_string()) } else { ile.to_string().into() };
        rows.push(vec![
            algorithm.title.into(),
            printed(0).into(),
            ile,
            ours("ile_ends")?.to_string().into(),
            printed(1).into(),
            ours("log_likelihood")?.to_string().into(),
            ours("mismatch")?.to_string().into(),
        ]);
    }
    Ok(Table::new(
        "Each algorithm with 50 demonstration paths",
        &["algorithm", "ILE, paper", "ILE, ours", "ILE, episodes end", "log L, paper", "log L, ours", "mismatch"],
        rows,
        "All algorithms learn from the same data sets, as many as there are repeats; the table of the exact algorithm's errors has more of them, and so another mean. Ours: \
         mean ± half of the 90 % interval (Student's t). \"ILE, episodes end\" is the error on Gymnasium's scale, where the goal gives its reward once. Its largest value is \
         6.340. log L is the exact log-likelihood for the θ that was learned, per demonstration. The mismatch is the largest difference between \
         a feature's mean over the demonstrations and the algorithm's expectation at its θ. It is 0 if the algorithm converged inside the bounds.",
    ))
}

fn choices_table(results: &Results) -> Result<Table, Error> {
    let (mut rows, mut apart) = (Vec::new(), Vec::new());
    for choices in &CHOICES {
        let episodes =
            if choices.longest == expert::UNLIMITED { "no limit".to_string() } else { format!("{} states", choices.longest) };
        let bounds = format!("[{}, {}]", choices.bounds.0, choices.bounds.1);
        let ours = |column: &str| Ok::<_, Error>(of(results, choices.name, "exact", column)?.to_string());
        apart.push((of(results, choices.name, "exact", "log_likelihood")?.mean - PAPER_EXACT[1].0).abs());
        rows.push(
            [choices.discount.to_string(), bounds, episodes, ours("longest")?, ours("ile")?, ours("log_likelihood")?]
                .map(Cell::from)
                .to_vec(),
        );
    }
    let first = apart.iter().all(|&other| apart[0] <= other);
    let nearest = if first { " Its log-likelihood is the nearest to the paper's." } else { "" };
    let [ile, log_likelihood] = PAPER_EXACT.map(|(value, half_width)| format!("{value} ± {half_width}"));
    Ok(Table::new(
        "How the exact row depends on settings that the paper does not state",
        &["discount", "bounds of θ", "episodes", "longest demonstration", "ILE", "log-likelihood"],
        rows,
        format!("The paper: {ile} and {log_likelihood}. The comparison above uses the first line.{nearest}"),
    ))
}

fn figures(recipe: &Recipe, results: &Results) -> Result<Vec<Figure>, Error> {
    let caption = format!(
        "Inverse learning error of each algorithm: as implemented after 3,000 steps (impl.), and as published with steps against the gradient (down) and along it (up). Mean \
         and 90 % interval over {} data sets; the paper's value where it has one.",
        recipe.repeats
    );
    let mut figures = vec![Figure::new("comparison", caption, chart(results)?)];
    if let Some(theta) = first_theta(results, "exact") {
        let caption =
            "The reward that the exact algorithm learns from the first data set, and the actions that are optimal for it.";
        figures.push(Figure::new("rewards", caption, lake::true_and_learned(&theta)?));
    }
    Ok(figures)
}

fn chart(results: &Results) -> Result<Canvas, Error> {
    let shown =
        ["exact", "2008-implemented-3000", "2010-implemented-3000", "2008-against", "2010-against", "2008", "2010", "causal"];
    let labels = ["exact", "2008\nimpl.", "2010\nimpl.", "2008\ndown", "2010\ndown", "2008\nup", "2010\nup", "causal"];
    let paper = |name: &str| ALGORITHMS.iter().find(|algorithm| algorithm.name == name).and_then(|algorithm| algorithm.paper);
    let ours = shown.iter().map(|name| Ok(of(results, BEST, name, "ile")?.interval())).collect::<Result<Vec<_>, Error>>()?;
    let interval = |[(middle, half_width), _]: [(f64, f64); 2]| Interval { middle, half_width };
    let papers = shown.iter().map(|name| paper(name).map_or(Interval::exactly(f64::NAN), interval)).collect();
    Ok(bars(
        "algorithm",
        &Axis::linear("inverse learning error"),
        &labels.map(str::to_string),
        &[Bars::new("ours", BLUE, ours), Bars::new("paper", VERMILION, papers)],
    ))
}

fn first_theta(results: &Results, algorithm: &str) -> Option<Vec<f64>> {
    let row = results.with("choices", BEST).find(|row| row.text("algorithm") == algorithm && row.text("repeat") == "0")?;
    lake::read_theta(row.text("theta"))
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        (
            "data sets",
            format!("{} independent data sets of {PATHS} episodes of an optimal policy, successful or not", recipe.repeats),
        ),
        ("discount of learning", "1, because Ziebart's algorithms have no discount".to_string()),
        ("bounds", "θ in ±1".to_string()),
        ("episodes", "until they end by themselves".to_string()),
        ("inverse learning error", expert::SCALE.to_string()),
        (
            "as implemented",
            format!(
                "written anew from two commits of the authors' public program; no single commit that we read has all of these faults: $Z_a$ is pooled over states and added once for each outcome; the initial distribution is \
                 added at each step; in 2010, the mask of terminal states is an array of integers used as an index, so that actions are uniform in all states but \
                 the first two; steps of {STEP} against the gradient until no weight changes by {TOLERANCE}. The number of steps in the paper is not known"
            ),
        ),
        (
            "against the gradient",
            format!(
                "{STEPS} projected steps of {FIRST_STEP} / (1 + k/50), from 0; with the gradient, `revealed learn --inference ziebart2008` and so on"
            ),
        ),
        (
            "terminal states in Ziebart's algorithms",
            "self-loops in the algorithm of 2008, where no path ends; ends of paths in that of 2010".to_string(),
        ),
    ])
}
