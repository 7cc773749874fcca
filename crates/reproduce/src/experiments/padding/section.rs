//! The section of the report on `padding`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::{BOUND, DISCOUNT, LONGEST_BY_SIZE, P_FROZEN, PATHS};
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, log_slope, mean};
use crate::work::Recipe;

/// The paper's speedup by padding, at 4x4 and at 8x8. The paper says "about".
const SMALL_GAIN: f64 = 10.0;
const LARGE_GAIN: f64 = 100.0;

/// Slopes up to this count as "slightly higher than linear".
const SLIGHTLY: f64 = 1.25;
/// The groups of the longest path, by their upper ends.
const LENGTHS: [f64; 6] = [12.0, 25.0, 50.0, 100.0, 150.0, 200.0];

/// One size of lake.
struct Size<'a> {
    lake: &'a str,
    problem_size: f64,
    longest: Mean,
    /// Whole fits with Algorithm 1, Algorithm 2 and the engine; `None` where there are none.
    times: [Option<Mean>; 3],
    /// How many fits there are with Algorithms 1 and 2.
    fits: [usize; 2],
    /// How much longer a whole fit with Algorithm 1 takes than with the other two, on the lakes that have both.
    ratios: [Option<Mean>; 2],
    /// The same for one gradient of Algorithms 1 and 2, on all lakes.
    by_gradient: Option<Mean>,
    /// The mean time for one gradient of Algorithms 1 and 2.
    gradients: [Option<f64>; 2],
    /// The gradients of a fit.
    evaluations: f64,
}

impl Size<'_> {
    /// The speedup by padding: of whole fits if there are some, and else of gradients. A fit needs as many of both.
    fn gain(&self) -> Option<Mean> {
        self.ratios[0].or(self.by_gradient)
    }
}

/// The values of a column, where it has some.
fn column(rows: &[Record<'_>], name: &str) -> Result<Vec<f64>, Error> {
    rows.iter().filter_map(|row| row.maybe(name).transpose()).collect()
}

/// The ratios of two columns, in the rows that have both.
fn ratios(rows: &[Record<'_>], above: &str, below: &str) -> Result<Vec<f64>, Error> {
    let ratio = |row: &Record<'_>| Ok(row.maybe(above)?.zip(row.maybe(below)?).map(|(above, below)| above / below));
    rows.iter().filter_map(|row| ratio(row).transpose()).collect()
}

fn some_mean(values: &[f64]) -> Option<Mean> {
    (!values.is_empty()).then(|| mean(values))
}

fn size<'a>(lake: &'a str, rows: &[Record<'_>]) -> Result<Size<'a>, Error> {
    let summary = |name: &str| Ok::<_, Error>(some_mean(&column(rows, name)?));
    let ratio = |below: &str| Ok::<_, Error>(some_mean(&ratios(rows, "seconds_algorithm1", below)?));
    let gradient = |name: &str| Ok::<_, Error>(summary(name)?.map(|mean| mean.mean));
    Ok(Size {
        lake,
        problem_size: rows.first().map_or(Ok(1.0), |row| row.number("problem_size"))?,
        longest: mean(&column(rows, "longest")?),
        times: [summary("seconds_algorithm1")?, summary("seconds_algorithm2")?, summary("seconds_engine")?],
        fits: [column(rows, "seconds_algorithm1")?.len(), column(rows, "seconds_algorithm2")?.len()],
        ratios: [ratio("seconds_algorithm2")?, ratio("seconds_engine")?],
        by_gradient: some_mean(&ratios(rows, "seconds_gradient1", "seconds_gradient2")?),
        gradients: [gradient("seconds_gradient1")?, gradient("seconds_gradient2")?],
        evaluations: mean(&column(rows, "evaluations")?).mean,
    })
}

/// What grows how fast with |S|²|A|, and with L.
struct Slopes {
    /// Of whole fits: Algorithm 1, Algorithm 2, the engine; on the lakes that have fits with Algorithm 1.
    fits: [f64; 3],
    /// Of one gradient: Algorithms 1 and 2; on the lakes that have both.
    gradients: [f64; 2],
    /// Of the number of gradients of a fit.
    evaluations: f64,
    /// Of the ratio of one gradient's times, with the longest path.
    ratio_by_length: f64,
}

impl Slopes {
    fn read(sizes: &[Size<'_>], rows: &[Record<'_>]) -> Result<Slopes, Error> {
        let by_size = |of: &dyn Fn(&Size<'_>) -> Option<f64>| {
            log_slope(&sizes.iter().filter_map(|size| Some((size.problem_size, of(size)?))).collect::<Vec<_>>())
        };
        Ok(Slopes {
            fits: [0, 1, 2].map(|which| by_size(&|size| size.times[0].and(size.times[which]).map(|time| time.mean))),
            gradients: [0, 1].map(|which| by_size(&|size| size.gradients[0].and(size.gradients[which]))),
            evaluations: by_size(&|size| size.times[0].map(|_| size.evaluations)),
            ratio_by_length: log_slope(&by_length(rows)?),
        })
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        for (name, slope) in ["algorithm1", "algorithm2", "engine"].into_iter().zip(self.fits) {
            numbers.push(Number::new(format!("slope_{name}"), None, slope));
        }
        for (name, slope) in ["algorithm1", "algorithm2"].into_iter().zip(self.gradients) {
            numbers.push(Number::new(format!("slope_gradient_{name}"), None, slope));
        }
        numbers.push(Number::new("slope_evaluations", None, self.evaluations));
        numbers.push(Number::new("slope_ratio_by_length", None, self.ratio_by_length));
        numbers
    }
}

/// The longest path of each repeat that has both gradients, and the ratio of their times.
fn by_length(rows: &[Record<'_>]) -> Result<Vec<(f64, f64)>, Error> {
    let point = |row: &Record<'_>| {
        let both = row.maybe("seconds_gradient1")?.zip(row.maybe("seconds_gradient2")?);
        let longest = row.number("longest")?;
        Ok(both.map(|(first, second)| (longest, first / second)))
    };
    rows.iter().filter_map(|row| point(row).transpose()).collect()
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let sizes = recipe.cases.iter().map(|lake| size(lake, &results.with("lake", lake).collect::<Vec<_>>()));
    let sizes = sizes.collect::<Result<Vec<Size<'_>>, Error>>()?;
    let rows: Vec<Record<'_>> = results.rows().collect();
    let points = |which: usize| -> Vec<(f64, Mean)> {
        sizes.iter().filter_map(|size| Some((size.problem_size, size.times[which]?))).collect()
    };
    let slopes = Slopes::read(&sizes, &rows)?;
    let at = |lake: &str| sizes.iter().find(|size| size.lake == lake).and_then(Size::gain);
    let (small, large) = (at("4x4"), at("8x8"));
    let mut numbers = slopes.numbers();
    for (lake, paper, gain) in [("4x4", SMALL_GAIN, small), ("8x8", LARGE_GAIN, large)] {
        numbers.extend(gain.map(|gain| gain.number(format!("times_faster_{lake}"), Some(paper))));
    }
    for size in &sizes {
        numbers.extend(size.ratios[1].map(|ratio| ratio.number(format!("engine_times_faster_{}", size.lake), None)));
    }
    let worst = column(&rows, "disagreement")?.into_iter().fold(0.0, f64::max);
    numbers.push(Number::new("largest_disagreement", Some(0.0), worst));
    Ok(Section {
        title: "The padding trick improves computational efficiency".to_string(),
        paper: "Runtime to learn from 10 paths on random FrozenLakes grows slightly faster than $|S|^2|A|$, with and without padding. \
                Padding makes it about 10 times faster at 4x4 and about 100 times at 8x8."
            .to_string(),
        ours: ours(&slopes, &sizes, worst),
        verdict: verdict(small, large, [slopes.fits[0], slopes.fits[1]]),
        figures: vec![Figure::new("runtime", caption(recipe), draw(&sizes, &points)).of_paper("fig:experiment-speed")],
        tables: vec![table(&sizes), length_table(&by_length(&rows)?)],
        settings: settings(),
        numbers,
    })
}

fn ours(slopes: &Slopes, sizes: &[Size<'_>], worst: f64) -> String {
    let with_fits: Vec<&Size<'_>> = sizes.iter().filter(|size| size.ratios[0].is_some()).collect();
    let last = with_fits.last().map_or("(none)", |size| size.lake);
    let engine = with_fits.last().and_then(|size| size.ratios[1]).map_or(f64::NAN, |ratio| ratio.mean);
    let gains = sizes.iter().filter_map(|size| {
        let kind = if size.ratios[0].is_some() { "fits" } else { "gradients" };
        Some(format!("{:.0} at {} ({kind})", size.gain()?.mean, size.lake))
    });
    format!(
        "Whole fits are timed, with Algorithm 1 up to {last}. On these lakes the slopes on the log-log scale are {:.2} for Algorithm 1, {:.2} for Algorithm 2 \
         and {:.2} for the engine. A slope has two parts: that of one gradient ({:.2} and {:.2} for the two algorithms), and that of the number of gradients of a \
         fit ({:.2}). Paths are longer on larger lakes, too. The speedup by padding (the time of Algorithm 1 over that of Algorithm 2, in similar programs with the \
         same arithmetic) is {}. It depends on the longest path: the slope of the ratio with L is {:.2}. The speedup by the engine is {engine:.0} at {last}. The \
         fits agree: their log-likelihoods differ by at most {worst:.0e}.",
        slopes.fits[0],
        slopes.fits[1],
        slopes.fits[2],
        slopes.gradients[0],
        slopes.gradients[1],
        slopes.evaluations,
        gains.collect::<Vec<_>>().join(", "),
        slopes.ratio_by_length,
    )
}

/// "About" is taken as within a factor of two.
fn is_about(ratio: Mean, paper: f64) -> bool {
    (paper / 2.0..=paper * 2.0).contains(&ratio.mean)
}

fn verdict(small: Option<Mean>, large: Option<Mean>, slopes: [f64; 2]) -> Verdict {
    let (Some(small), Some(large)) = (small, large) else {
        return Verdict::NotComparable("A quick run has no 8x8 lakes: run without --quick.".to_string());
    };
    let words =
        format!("a factor of {:.0} at 4x4 (paper: about 10) and {:.0} at 8x8 (paper: about 100).", small.mean, large.mean);
    let grows = large.mean > 1.5 * small.mean;
    let slight = slopes.iter().all(|slope| (1.0..=SLIGHTLY).contains(slope));
    let growth = format!(
        "The times grow with the slopes {:.2} and {:.2} in $|S|^2|A|$, {} \"slightly higher than linear\".",
        slopes[0],
        slopes[1],
        if slight { "which is" } else { "and not" }
    );
    match (grows, slight && is_about(small, SMALL_GAIN) && is_about(large, LARGE_GAIN)) {
        (true, true) => Verdict::Reproduced(format!("The speedup by padding is {words} {growth}")),
        (true, false) => Verdict::Differs(format!(
            "The speedup by padding grows with the size of the lake, as in the paper: {words} The speedup depends on \
             the longest path, which the paper does not state, and on both programs. {growth}"
        )),
        (false, _) => Verdict::Differs(format!("The speedup by padding does not grow with the size: {words} {growth}")),
    }
}

fn draw(sizes: &[Size<'_>], points: &dyn Fn(usize) -> Vec<(f64, Mean)>) -> Canvas {
    let [first, last] = [sizes.first(), sizes.last()].map(|size| size.map_or(1.0, |size| size.problem_size));
    let anchor = points(1).first().map_or(1.0, |(_, time)| 0.3 * time.mean);
    let linear = [first, last].map(|x| (x, Interval::exactly(anchor * x / first))).to_vec();
    curves(
        &Axis::log("problem size |S|²|A|"),
        &Axis::log("time to learn (seconds)"),
        &[
            Curve::new("Algorithm 1", VERMILION, Marker::Circle, intervals(&points(0))),
            Curve::new("Algorithm 2 (padded)", BLUE, Marker::Square, intervals(&points(1))),
            Curve::new("this engine", GREEN, Marker::Triangle, intervals(&points(2))),
            Curve::new("slope 1", GREY, Marker::Dashes, linear),
        ],
    )
}

fn caption(recipe: &Recipe) -> String {
    format!(
        "Time of a whole fit from 10 paths against problem size, on one thread of this machine. Means and 90 % intervals (Student's t) over {} repeats, each on a \
         different lake; Algorithms 1 and 2 have fewer fits on large lakes, as the table says.",
        recipe.repeats
    )
}

fn table(sizes: &[Size<'_>]) -> Table {
    let paper = |lake: &str| match lake {
        "4x4" => "about 10",
        "8x8" => "about 100",
        _ => "",
    };
    let shown = |value: Option<Mean>| value.map_or("–".to_string(), |value| value.to_string());
    let row = |size: &Size<'_>| {
        let [first, second, engine] = size.times.map(shown);
        let [gain, gain_engine] = size.ratios.map(shown);
        let (problem_size, longest) = (size.problem_size.to_string(), format!("{:.0}", size.longest.mean));
        let (fits, gain_paper) = (format!("{} and {}", size.fits[0], size.fits[1]), paper(size.lake).to_string());
        let (lake, gradients) = (size.lake.to_string(), shown(size.by_gradient));
        let cells = [lake, problem_size, longest, fits, first, second, engine, gain, gradients, gain_paper, gain_engine];
        cells.into_iter().map(Into::into).collect()
    };
    Table::new(
        "Time of a whole fit, and how much longer Algorithm 1 takes",
        &[
            "lake",
            "$|S|^2|A|$",
            "longest",
            "fits",
            "Algorithm 1, s",
            "Algorithm 2, s",
            "engine, s",
            "1 over 2, fits",
            "1 over 2, gradients",
            "paper",
            "1 over engine",
        ],
        sizes.iter().map(row).collect(),
        "Mean ± half the 90 % interval over the repeats. \"fits\" has the numbers of whole fits with Algorithms 1 and 2; the engine has one in \
         each repeat. \"1 over 2, gradients\" is for one gradient, in all repeats. Ratios are \
         means of the ratios of single repeats, where both were run. The paper's seconds are those of Python on another machine, so only its \
         ratios are shown here.",
    )
}

/// The ratio of the times of one gradient, by the longest path.
fn length_table(points: &[(f64, f64)]) -> Table {
    let mut rows = Vec::new();
    let mut below = 0.0;
    for above in LENGTHS {
        let group: Vec<f64> = points.iter().filter(|(l, _)| *l > below && *l <= above).map(|(_, ratio)| *ratio).collect();
        if let Some(ratio) = some_mean(&group) {
            let name = format!("{:.0} to {above:.0}", below + 1.0);
            rows.push([name, group.len().to_string(), ratio.to_string()].map(Into::into).to_vec());
        }
        below = above;
    }
    Table::new(
        "The speedup by padding, by the longest path",
        &["longest path L", "lakes", "Algorithm 1 over Algorithm 2"],
        rows,
        "The time of one gradient, over all lakes of at most 8x8. Mean ± half the 90 % interval. Algorithm 1 is quadratic in L and Algorithm 2 is linear, so the ratio grows \
         with L, and with the size of a lake only because its paths are longer.",
    )
}

fn settings() -> Vec<(String, String)> {
    named([
        (
            "lakes",
            format!("random, slippery, a cell is frozen with probability {P_FROZEN}, drawn until the goal can be reached"),
        ),
        ("paths", format!("{PATHS} episodes of an optimal policy, of at most {LONGEST_BY_SIZE} states per row of the lake")),
        ("horizon", "the longest of the ten paths".to_string()),
        ("discount", DISCOUNT.to_string()),
        ("bounds of θ", format!("±{BOUND}")),
        ("features", "an indicator for each state".to_string()),
        ("not stated in the paper", "discount, bounds, longest path, share of frozen cells, stopping rule".to_string()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_papers_gain_is_not_the_papers_gain() {
        let of = |small: f64, large: f64, slope: f64| {
            let [small, large] = [small, large].map(|mean| Some(Mean { mean, half_width: 1.0 }));
            verdict(small, large, [slope, 1.1])
        };
        assert_eq!(of(11.0, 90.0, 1.2).name(), "reproduced");
        for (small, large, slope) in [(11.0, 31.0, 1.2), (40.0, 100.0, 1.2), (10.0, 10.0, 1.2), (11.0, 90.0, 1.9)] {
            assert_eq!(of(small, large, slope).name(), "differs", "{small} {large} {slope}");
        }
        assert!(of(11.0, 90.0, 1.9).reason().contains("1.90 and 1.10"));
        assert_eq!(verdict(None, None, [1.0; 2]).name(), "not comparable");
    }
}
