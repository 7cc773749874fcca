//! The section of the report on `ziebart`.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use super::super::{expert, lake};
use super::{ALGORITHMS, CHOICES, FIRST_STEP, PATHS, STEPS};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Cell, Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, mean, quantile, shown};
use crate::work::Recipe;

/// The settings that reproduce the paper best.
const BEST: &str = CHOICES[0].name;

fn of(results: &Results, choices: &str, algorithm: &str, column: &str) -> Result<Mean, Error> {
    let rows = results.with("choices", choices).filter(|row| row.text("algorithm") == algorithm);
    Ok(mean(&rows.map(|row| row.number(column)).collect::<Result<Vec<_>, _>>()?))
}

/// An algorithm's inverse learning error and log-likelihood.
struct Scores {
    ile: Mean,
    log_likelihood: Mean,
}

/// The results that are compared with the paper.
struct Comparison {
    exact: Scores,
    /// Ziebart's algorithms of 2008 and 2010, stepping against the gradient.
    against: [Scores; 2],
    /// The inverse learning errors of the same, stepping with the gradient.
    with_gradient: [Mean; 2],
    /// The mismatch between their expectations and the demonstrations.
    mismatch: [Mean; 2],
    /// The errors of the exact algorithm, one for each data set.
    errors: Vec<f64>,
}

impl Comparison {
    fn read(results: &Results) -> Result<Comparison, Error> {
        let scores = |algorithm: &str| {
            let (ile, log_likelihood) = (of(results, BEST, algorithm, "ile")?, of(results, BEST, algorithm, "log_likelihood")?);
            Ok::<_, Error>(Scores { ile, log_likelihood })
        };
        let rows = results.with("choices", BEST).filter(|row| row.text("algorithm") == "exact");
        Ok(Comparison {
            exact: scores("exact")?,
            against: [scores("2008-against")?, scores("2010-against")?],
            with_gradient: [of(results, BEST, "2008", "ile")?, of(results, BEST, "2010", "ile")?],
            mismatch: [of(results, BEST, "2008", "mismatch")?, of(results, BEST, "2010", "mismatch")?],
            errors: rows.map(|row| row.number("ile")).collect::<Result<Vec<_>, _>>()?,
        })
    }

    fn verdict(&self) -> Verdict {
        let Comparison { exact, against: [old, new], with_gradient: [old_with, new_with], .. } = self;
        let close = |ours: Mean, paper: f64, slack: f64| (ours.mean - paper).abs() <= ours.half_width.max(0.0) + slack;
        // The paper's ± seems to be the whole width of an interval, so half of it is used.
        let likelihoods = close(exact.log_likelihood, -133.0, 7.78 / 2.0) && close(old.log_likelihood, -336.0, 31.2 / 2.0);
        Verdict::Differs(format!(
            "The log-likelihoods of the exact algorithm and of Ziebart 2008 are {}. With steps against the gradient, the error of Ziebart 2008 is {}. The error of the \
             exact algorithm is {}, and 55.2 in the paper ({}). That of Ziebart 2010 is {}, and 596.7 in the paper. With steps along \
             the gradient, the error of Ziebart 2008 is {old_with} and that of Ziebart 2010 is {new_with}{}. In both cases their likelihoods are far below the exact one.",
            if likelihoods { "reproduced" } else { "not both reproduced" },
            if close(old.ile, 634.0, 0.05) { "reproduced" } else { "not reproduced" },
            exact.ile,
            match close(exact.ile, 55.2, 18.3 / 2.0) {
                true => "the intervals overlap",
                false => "the intervals do not overlap, and few data sets dominate the mean",
            },
            new.ile,
            if new_with.high() < exact.ile.mean {
                ". The latter is less than that of the exact algorithm, so the advantage of the exact algorithm is due to a wrong sign"
            } else {
                ""
            }
        ))
    }

    fn ours(&self) -> String {
        let Comparison { exact, against: [old, new], .. } = self;
        format!(
            "Exact: error {}, log-likelihood {}. Half of its errors are {} or less, and the largest is {}: few data sets dominate the mean. \
             With steps against the gradient, as in an early version of the authors' program, Ziebart 2008: {}, {}; \
             Ziebart 2010: {}, {}.{}",
            exact.ile,
            exact.log_likelihood,
            shown(quantile(&self.errors, 0.5)),
            shown(quantile(&self.errors, 1.0)),
            old.ile,
            old.log_likelihood,
            new.ile,
            new.log_likelihood,
            self.about_widths()
        )
    }

    /// A sentence on the paper's ±, if it seems to be the whole width of our intervals.
    fn about_widths(&self) -> String {
        let [old, new] = &self.against;
        let widths = [(&self.exact, 7.78), (old, 31.2), (new, 33.0)];
        let widths = widths.map(|(scores, paper)| (2.0 * scores.log_likelihood.half_width, paper));
        match widths.iter().all(|(ours, paper)| (ours / paper - 1.0).abs() < 0.5) {
            true => format!(
                " The paper's ± seems to be the whole width of the interval: twice our ± for the log-likelihoods is {}.",
                widths.map(|(ours, _)| shown(ours)).join(", ")
            ),
            false => String::new(),
        }
    }

    fn numbers(&self) -> Vec<Number> {
        let Comparison { exact, against: [old, new], with_gradient, mismatch, .. } = self;
        vec![
            exact.ile.number("exact_ile", Some(55.2)),
            exact.log_likelihood.number("exact_log_likelihood", Some(-133.0)),
            old.ile.number("ziebart2008_against_ile", Some(634.0)),
            old.log_likelihood.number("ziebart2008_against_log_likelihood", Some(-336.0)),
            new.ile.number("ziebart2010_against_ile", Some(596.7)),
            new.log_likelihood.number("ziebart2010_against_log_likelihood", Some(-365.0)),
            with_gradient[0].number("ziebart2008_ile", None),
            with_gradient[1].number("ziebart2010_ile", None),
            mismatch[0].number("ziebart2008_mismatch", None),
            mismatch[1].number("ziebart2010_mismatch", None),
        ]
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
        tables: vec![algorithms_table(results)?, choices_table(results)?],
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
        "Ours: mean ± half of the 90 % interval (Student's t). \"ILE, episodes end\" is the error on Gymnasium's scale, where the goal gives its reward once. Its largest value is \
         6.340. log L is the exact log-likelihood for the θ that was learned, per demonstration. The mismatch is the largest difference between \
         a feature's mean over the demonstrations and the algorithm's expectation at its θ. It is 0 if the algorithm converged inside the bounds.",
    ))
}

fn choices_table(results: &Results) -> Result<Table, Error> {
    let mut rows = Vec::new();
    for choices in &CHOICES {
        let episodes =
            if choices.longest == expert::UNLIMITED { "no limit".to_string() } else { format!("{} states", choices.longest) };
        let bounds = format!("[{}, {}]", choices.bounds.0, choices.bounds.1);
        let ours = |column: &str| Ok::<_, Error>(of(results, choices.name, "exact", column)?.to_string());
        rows.push(
            [choices.discount.to_string(), bounds, episodes, ours("longest")?, ours("ile")?, ours("log_likelihood")?]
                .map(Cell::from)
                .to_vec(),
        );
    }
    Ok(Table::new(
        "How the exact row depends on settings that the paper does not state",
        &["discount", "bounds of θ", "episodes", "longest demonstration", "ILE", "log-likelihood"],
        rows,
        "The paper: 55.2 ± 18.3 and -133 ± 7.78. The comparison above uses the first line. With 50 repeats, its log-likelihood is the nearest to the paper's.",
    ))
}

fn figures(recipe: &Recipe, results: &Results) -> Result<Vec<Figure>, Error> {
    let caption = format!(
        "Inverse learning error of each algorithm. Mean and 90 % interval over {} data sets; the paper's value where it has one.",
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
    let shown = ["exact", "2008-against", "2010-against", "2008", "2010", "causal"];
    let labels = ["exact", "2008\nagainst", "2010\nagainst", "2008\nwith", "2010\nwith", "causal"];
    let paper = |name: &str| ALGORITHMS.iter().find(|algorithm| algorithm.name == name).and_then(|algorithm| algorithm.paper);
    let ours = shown.iter().map(|name| Ok(of(results, BEST, name, "ile")?.interval())).collect::<Result<Vec<_>, Error>>()?;
    let interval = |[(middle, half_width), _]: [(f64, f64); 2]| Interval { middle, half_width };
    let papers = shown.iter().map(|name| paper(name).map_or(Interval::exactly(f64::NAN), interval)).collect();
    Ok(bars(
        "algorithm, and the direction of its steps",
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
