//! The section of the report on `padding`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::{BOUND, DISCOUNT, LONGEST_BY_SIZE, P_FROZEN, PATHS};
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, log_slope, mean, shown};
use crate::work::Recipe;

/// The paper's speedup by padding, at 4x4 and at 8x8. The paper says "about".
const SMALL_GAIN: f64 = 10.0;
const LARGE_GAIN: f64 = 100.0;

/// One size of lake.
struct Size<'a> {
    lake: &'a str,
    problem_size: f64,
    longest: Mean,
    /// Algorithm 1, Algorithm 2, the engine; `None` where it was not run.
    times: [Option<Mean>; 3],
    /// How much longer Algorithm 1 takes than the other two.
    ratios: [Option<Mean>; 2],
    /// The mean time for one gradient, in the order of `times`.
    gradients: [Option<f64>; 3],
}

fn size<'a>(lake: &'a str, rows: &[Record<'_>]) -> Result<Size<'a>, Error> {
    let all = |column: &str| rows.iter().map(|row| row.maybe(column)).collect::<Result<Option<Vec<f64>>, Error>>();
    let summary = |column: &str| Ok::<_, Error>(all(column)?.map(|values| mean(&values)));
    let ratio = |column: &str| {
        let both = all("seconds_algorithm1")?.zip(all(column)?);
        let each = |(above, below): (Vec<f64>, Vec<f64>)| above.iter().zip(&below).map(|(a, b)| a / b).collect::<Vec<_>>();
        Ok::<_, Error>(both.map(|both| mean(&each(both))))
    };
    let gradient = |column: &str| {
        let both = all(column)?.zip(all("evaluations")?);
        let each = |(time, count): (Vec<f64>, Vec<f64>)| time.iter().zip(&count).map(|(t, n)| t / n).collect::<Vec<_>>();
        Ok::<_, Error>(both.map(|both| mean(&each(both)).mean))
    };
    let longest = rows.iter().map(|row| row.number("longest")).collect::<Result<Vec<_>, _>>()?;
    Ok(Size {
        lake,
        problem_size: rows.first().map_or(Ok(1.0), |row| row.number("problem_size"))?,
        longest: mean(&longest),
        times: [summary("seconds_algorithm1")?, summary("seconds_algorithm2")?, summary("seconds_engine")?],
        ratios: [ratio("seconds_algorithm2")?, ratio("seconds_engine")?],
        gradients: [gradient("seconds_algorithm1")?, gradient("seconds_algorithm2")?, gradient("seconds_engine")?],
    })
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let sizes = recipe.cases.iter().map(|lake| size(lake, &results.with("lake", lake).collect::<Vec<_>>()));
    let sizes = sizes.collect::<Result<Vec<Size<'_>>, Error>>()?;
    let points = |which: usize| -> Vec<(f64, Mean)> {
        sizes.iter().filter_map(|size| Some((size.problem_size, size.times[which]?))).collect()
    };
    let slopes = [0, 1, 2].map(|which| log_slope(&points(which).iter().map(|(x, y)| (*x, y.mean)).collect::<Vec<_>>()));
    let of_gradients = [0, 1, 2].map(|which| {
        let points = sizes.iter().filter_map(|size| Some((size.problem_size, size.gradients[which]?)));
        log_slope(&points.collect::<Vec<_>>())
    });
    let at = |lake: &str| sizes.iter().find(|size| size.lake == lake).map_or([None; 2], |size| size.ratios);
    let (small, large) = (at("4x4"), at("8x8"));
    let mut numbers = Vec::new();
    for (which, name) in ["algorithm1", "algorithm2", "engine"].into_iter().enumerate() {
        numbers.push(Number::new(format!("slope_{name}"), None, slopes[which]));
        numbers.push(Number::new(format!("slope_gradient_{name}"), None, of_gradients[which]));
    }
    for (lake, paper, ratios) in [("4x4", SMALL_GAIN, small), ("8x8", LARGE_GAIN, large)] {
        numbers.extend(ratios[0].map(|ratio| ratio.number(format!("times_faster_{lake}"), Some(paper))));
        numbers.extend(ratios[1].map(|ratio| ratio.number(format!("engine_times_faster_{lake}"), None)));
    }
    Ok(Section {
        title: "The padding trick improves computational efficiency".to_string(),
        paper: "Runtime to learn from 10 paths on random FrozenLakes grows slightly faster than |S|²|A|, with and without padding. \
                Padding makes it about 10 times faster at 4x4 and about 100 times at 8x8."
            .to_string(),
        ours: ours(&slopes, &of_gradients, small, large),
        verdict: verdict(small[0], large[0]),
        figures: vec![Figure::new("runtime", caption(recipe), draw(&sizes, &points))],
        tables: vec![table(&sizes)],
        settings: settings(),
        numbers,
    })
}

fn ours(learning: &[f64; 3], gradient: &[f64; 3], small: [Option<Mean>; 2], large: [Option<Mean>; 2]) -> String {
    let times =
        |ratio: Option<Mean>| ratio.map_or("(not measured)".to_string(), |ratio| format!("a factor of {:.0}", ratio.mean));
    format!(
        "The slopes of the time to learn on the log-log scale are {:.2} for Algorithm 1, {:.2} for Algorithm 2 and {:.2} for the engine. The \
         search needs more gradients on larger lakes. The slopes of the time for one gradient are {:.2}, {:.2} and {:.2}. Paths are also longer \
         on larger lakes. The speedup by padding (the time of Algorithm 1 over that of Algorithm 2, in similar programs with the same arithmetic) \
         is {} at 4x4 and {} at 8x8. The speedup by the engine is {} and {}.",
        learning[0],
        learning[1],
        learning[2],
        gradient[0],
        gradient[1],
        gradient[2],
        times(small[0]),
        times(large[0]),
        times(small[1]),
        times(large[1])
    )
}

/// "About" is taken as within a factor of two.
fn is_about(ratio: Mean, paper: f64) -> bool {
    (paper / 2.0..=paper * 2.0).contains(&ratio.mean)
}

fn verdict(small: Option<Mean>, large: Option<Mean>) -> Verdict {
    let (Some(small), Some(large)) = (small, large) else {
        return Verdict::NotComparable("A quick run has no 8x8 lakes: run without --quick.".to_string());
    };
    let words =
        format!("a factor of {:.0} at 4x4 (paper: about 10) and {:.0} at 8x8 (paper: about 100).", small.mean, large.mean);
    let grows = large.mean > 1.5 * small.mean;
    match (grows, is_about(small, SMALL_GAIN), is_about(large, LARGE_GAIN)) {
        (true, true, true) => Verdict::Reproduced(format!("The speedup by padding is {words}")),
        (true, ..) => Verdict::Differs(format!(
            "The speedup by padding grows with the size of the lake, as in the paper, but the factors differ: {words} The speedup depends on \
             the longest path, which the paper does not state, and on both programs."
        )),
        (false, ..) => Verdict::Differs(format!("The speedup by padding does not grow with the size: {words}")),
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
        "Time to learn a reward from 10 paths against problem size, on one thread of this machine. The time of the engine is measured. That of the two \
         algorithms is their time for a gradient, times the number of gradients of the engine's search. Means and 90 % intervals \
         (Student's t) over {} repeats, each on a different lake.",
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
        let cells =
            [size.lake.to_string(), problem_size, longest, first, second, engine, gain, paper(size.lake).into(), gain_engine];
        cells.into_iter().map(Into::into).collect()
    };
    Table::new(
        "Time to learn, and how much longer Algorithm 1 takes",
        &["lake", "|S|²|A|", "longest", "Algorithm 1, s", "Algorithm 2, s", "engine, s", "1 over 2", "paper", "1 over engine"],
        sizes.iter().map(row).collect(),
        "Mean ± half the 90 % interval over the repeats; ratios are means of the ratios of single repeats. The paper's seconds are those of \
         Python on another machine, so only its ratios are shown here. The engine's times are those of whole fits. The times of the two \
         algorithms are those of a gradient at points of the same search, times the number of gradients of that search.",
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
        ("discount", shown(DISCOUNT)),
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
        let of = |small: f64, large: f64| {
            let [small, large] = [small, large].map(|mean| Some(Mean { mean, half_width: 1.0 }));
            verdict(small, large).name()
        };
        assert_eq!(of(11.0, 90.0), "reproduced");
        for (small, large) in [(11.0, 31.0), (40.0, 100.0), (10.0, 10.0)] {
            assert_eq!(of(small, large), "differs", "{small} {large}");
        }
        assert_eq!(verdict(None, None).name(), "not comparable");
    }
}
