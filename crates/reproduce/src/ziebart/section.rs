//! What `ziebart` finds.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use super::{ALGORITHMS, CHOICES, FIRST_STEP, PATHS, STEPS};
use crate::error::Error;
use crate::expert;
use crate::figure::Figure;
use crate::lake;
use crate::plan::Recipe;
use crate::results::Results;
use crate::section::{Cell, Section, Table, Verdict};
use crate::stats::{Mean, mean, quantile, shown};

fn of(results: &Results, choices: &str, algorithm: &str, column: &str) -> Result<Mean, Error> {
    let rows = results.with("choices", choices).filter(|row| row.text("algorithm") == algorithm);
    Ok(mean(&rows.map(|row| row.number(column)).collect::<Result<Vec<_>, _>>()?))
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let best = CHOICES[0].name;
    let [exact_ile, exact_ll] = [of(results, best, "exact", "ile")?, of(results, best, "exact", "log_likelihood")?];
    let [old_ile, old_ll] = [of(results, best, "2008-against", "ile")?, of(results, best, "2008-against", "log_likelihood")?];
    let [new_ile, new_ll] = [of(results, best, "2010-against", "ile")?, of(results, best, "2010-against", "log_likelihood")?];
    let right = [of(results, best, "2008", "ile")?, of(results, best, "2010", "ile")?];
    let rows = results.with("choices", best).filter(|row| row.text("algorithm") == "exact");
    let errors = rows.map(|row| row.number("ile")).collect::<Result<Vec<_>, _>>()?;
    let close = |ours: Mean, paper: f64, slack: f64| (ours.mean - paper).abs() <= ours.half_width.max(0.0) + slack;
    // The paper's ± seems to be a whole width: half of it counts.
    let likelihoods = close(exact_ll, -133.0, 7.78 / 2.0) && close(old_ll, -336.0, 31.2 / 2.0);
    let error_of_2008 = close(old_ile, 634.0, 0.05);
    let comes_out = |holds: bool| if holds { "comes out" } else { "does not come out" };
    let words = format!(
        "The log-likelihood of the exact algorithm and that of Ziebart 2008 {}; the error of Ziebart 2008 {}, with steps against the gradient. The error of the \
         exact algorithm is {exact_ile} where the paper has 55.2 ({}); that of Ziebart 2010 is {new_ile} and not 596.7. Stepping with \
         the gradient, Ziebart 2008 has {} and Ziebart 2010 {}{}. Their likelihoods stay far below the exact one either way.",
        if likelihoods { "come out" } else { "do not both come out" },
        comes_out(error_of_2008),
        match close(exact_ile, 55.2, 18.3 / 2.0) {
            true => "the intervals meet",
            false => "the intervals do not meet, and few data sets make the mean",
        },
        right[0],
        right[1],
        if right[1].high() < exact_ile.mean {
            ", less than the exact algorithm: this advantage of the exact one is due to a sign"
        } else {
            ""
        }
    );
    let widths = [(exact_ll, 7.78), (old_ll, 31.2), (new_ll, 33.0)].map(|(mean, paper)| (2.0 * mean.half_width, paper));
    let alike = widths.iter().all(|(ours, paper)| (ours / paper - 1.0).abs() < 0.5);
    let widths = match alike {
        true => format!(
            " The paper's ± seems to be the whole width of the interval: twice our ± for the log-likelihoods is {}.",
            widths.map(|(ours, _)| shown(ours)).join(", ")
        ),
        false => String::new(),
    };
    let mut figures = vec![Figure::new(
        "comparison",
        format!(
            "Inverse learning error of each algorithm. Mean and 90 % interval over {} data sets; the paper's value where it has one.",
            recipe.repeats
        ),
        comparison(results)?,
    )];
    if let Some(theta) = first_theta(results, "exact") {
        let caption =
            "The reward that the exact algorithm learns from the first data set, and the actions that are optimal for it.";
        figures.push(Figure::new("rewards", caption, lake::true_and_learned(&theta)?));
    }
    Ok(Section {
        title: "Comparison with Ziebart's algorithms on FrozenLake4x4".to_string(),
        paper: "With 50 demonstration paths the exact algorithm has an inverse learning error of 55.2 ± 18.3, Ziebart's algorithm of 2008 one of 634.0 ± 0.0, and that of \
                2010 one of 596.7 ± 3.9; the log-likelihoods are -133 ± 7.78, -336 ± 31.2 and -365 ± 33.0. So the exact algorithm is better by a factor of \
                over ten."
            .to_string(),
        ours: format!(
            "Exact: error {exact_ile}, log-likelihood {exact_ll}. Half of its errors are {} or less, and the largest is {}: few data sets make the mean. \
             With steps against the gradient, as in an early version of the authors' program, Ziebart 2008: {old_ile}, {old_ll}; \
             Ziebart 2010: {new_ile}, {new_ll}.{widths}",
            shown(quantile(&errors, 0.5)),
            shown(quantile(&errors, 1.0))
        ),
        verdict: Verdict::Differs(words).with_repeats(recipe.repeats),
        figures,
        tables: vec![algorithms_table(results)?, choices_table(results)?],
        settings: settings(recipe),
        numbers: vec![
            exact_ile.number("exact_ile", Some(55.2)),
            exact_ll.number("exact_log_likelihood", Some(-133.0)),
            old_ile.number("ziebart2008_against_ile", Some(634.0)),
            old_ll.number("ziebart2008_against_log_likelihood", Some(-336.0)),
            new_ile.number("ziebart2010_against_ile", Some(596.7)),
            new_ll.number("ziebart2010_against_log_likelihood", Some(-365.0)),
            right[0].number("ziebart2008_ile", None),
            right[1].number("ziebart2010_ile", None),
            of(results, best, "2008", "mismatch")?.number("ziebart2008_mismatch", None),
            of(results, best, "2010", "mismatch")?.number("ziebart2010_mismatch", None),
        ],
    })
}

fn algorithms_table(results: &Results) -> Result<Table, Error> {
    let best = CHOICES[0].name;
    let mut rows = Vec::new();
    for algorithm in &ALGORITHMS {
        let printed = |index: usize| {
            algorithm.paper.map_or("".to_string(), |paper| format!("{:?} ± {:?}", paper[index].0, paper[index].1))
        };
        let ours = |column: &str| of(results, best, algorithm.name, column);
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
    let header = ["algorithm", "ILE, paper", "ILE, ours", "ILE, episodes end", "log L, paper", "log L, ours", "mismatch"];
    Ok(Table {
        caption: "Each algorithm with 50 demonstration paths".to_string(),
        header: header.map(str::to_string).to_vec(),
        rows,
        note: "Ours: mean ± half of the 90 % interval (Student's t). \"ILE, episodes end\" is the error on Gymnasium's scale, where the goal pays once: 6.340 is the \
               largest possible. log L is the exact log-likelihood for the θ that was learned, per demonstration. The mismatch is the largest difference between \
               a feature's mean over the demonstrations and what the algorithm expects at its θ: 0 where it converged inside the bounds."
            .to_string(),
    })
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
    let header = ["discount", "bounds of θ", "episodes", "longest demonstration", "ILE", "log-likelihood"];
    Ok(Table {
        caption: "How the exact row depends on what the paper does not tell".to_string(),
        header: header.map(str::to_string).to_vec(),
        rows,
        note: "The paper: 55.2 ± 18.3 and -133 ± 7.78. The comparison above uses the first line; of these, its log-likelihood is nearest to the paper's with 50 repeats."
            .to_string(),
    })
}

fn comparison(results: &Results) -> Result<Canvas, Error> {
    let best = CHOICES[0].name;
    let shown = ["exact", "2008-against", "2010-against", "2008", "2010", "causal"];
    let labels = ["exact", "2008\nagainst", "2010\nagainst", "2008\nwith", "2010\nwith", "causal"];
    let paper = |name: &str| ALGORITHMS.iter().find(|algorithm| algorithm.name == name).and_then(|algorithm| algorithm.paper);
    let ours = shown.iter().map(|name| Ok(of(results, best, name, "ile")?.interval())).collect::<Result<Vec<_>, Error>>()?;
    let interval = |[(middle, half_width), _]: [(f64, f64); 2]| Interval { middle, half_width };
    let papers = shown.iter().map(|name| paper(name).map_or(Interval::exactly(f64::NAN), interval)).collect();
    let series = [
        Bars { name: "ours".to_string(), colour: BLUE, values: ours },
        Bars { name: "paper".to_string(), colour: VERMILION, values: papers },
    ];
    Ok(bars(
        "algorithm, and the direction of its steps",
        &Axis::linear("inverse learning error"),
        &labels.map(str::to_string),
        &series,
    ))
}

fn first_theta(results: &Results, algorithm: &str) -> Option<Vec<f64>> {
    let row =
        results.with("choices", CHOICES[0].name).find(|row| row.text("algorithm") == algorithm && row.text("repeat") == "0")?;
    lake::read_theta(row.text("theta"))
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    let all = [
        (
            "data sets",
            format!("{} independent data sets of {PATHS} episodes of an optimal policy, successful or not", recipe.repeats),
        ),
        ("discount of learning", "1, as Ziebart's algorithms have none".to_string()),
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
            "self-loops in that of 2008, which knows no ends; ends in that of 2010".to_string(),
        ),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}
