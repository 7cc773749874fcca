//! The section of the report on `propositions`.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Curve, GREEN, Interval, Marker, VERMILION, bars, curves};

use super::{ACTIONS, LENGTH, STATES};
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, mean, shown};
use crate::work::Recipe;

/// The spread whose first reward is shown in the chart and in the table.
const SHOWN: &str = "1";
/// The largest rounding error.
const EXACT: f64 = 1e-12;

/// The distances between the shares of visits.
struct Distances {
    /// The mean distance between Ziebart's shares and the exact ones, by the spread of the reward.
    curve: Vec<(f64, Mean)>,
    /// The largest difference between one of Ziebart's shares and 1/|S|.
    off_uniform: f64,
    /// The largest distance between the engine's shares and the closed form.
    off_closed_form: f64,
}

impl Distances {
    fn read(recipe: &Recipe, results: &Results) -> Result<Distances, Error> {
        let mut found = Distances { curve: Vec::new(), off_uniform: 0.0, off_closed_form: 0.0 };
        for spread in &recipe.cases {
            let rows: Vec<Record<'_>> = results.with("spread", spread).collect();
            let mut distances = Vec::new();
            for rows in rows.chunks(STATES) {
                distances.push(distance(rows, "ziebart2008", "exact")?.max(distance(rows, "ziebart2010", "exact")?));
                found.off_closed_form = found.off_closed_form.max(distance(rows, "closed_form", "exact")?);
            }
            for row in &rows {
                for year in ["ziebart2008", "ziebart2010"] {
                    found.off_uniform = found.off_uniform.max((row.number(year)? - 1.0 / STATES as f64).abs());
                }
            }
            found.curve.push((spread.parse().unwrap_or(0.0), mean(&distances)));
        }
        Ok(found)
    }

    /// The mean distance for rewards of this spread.
    fn at(&self, spread: f64) -> f64 {
        self.curve.iter().find(|(x, _)| *x == spread).map_or(f64::NAN, |(_, y)| y.mean)
    }

    fn verdict(&self) -> Verdict {
        let exact = self.off_uniform < EXACT && self.off_closed_form < EXACT;
        match exact && self.at(0.0) < EXACT && self.at(1.0) > 0.01 {
            true => Verdict::Reproduced("Both propositions hold for every random reward.".to_string()),
            false => Verdict::Differs("A proposition does not hold for some reward: see the numbers.".to_string()),
        }
    }

    fn ours(&self, rewards: usize) -> String {
        format!(
            "Both algorithms give $1/|S|$ for each of {rewards} random rewards, to {:.0e}. The exact shares of visits are \
             $e^{{R(s)}} / \\sum_{{s'}} e^{{R(s')}}$ on this MDP (the engine agrees to {:.0e}). The distance between them is 0 for a constant reward and grows with its \
             spread: {:.2} on average for rewards in ±1, {:.2} for rewards in ±4. The largest possible distance is 1.",
            self.off_uniform,
            self.off_closed_form,
            self.at(1.0),
            self.at(4.0)
        )
    }

    fn numbers(&self, spreads: &[String]) -> Vec<Number> {
        let off = [
            Number::new("ziebart_off_uniform", Some(0.0), self.off_uniform),
            Number::new("exact_off_closed_form", None, self.off_closed_form),
        ];
        let curve = self.curve.iter().zip(spreads);
        off.into_iter().chain(curve.map(|((_, y), spread)| y.number(format!("distance_spread_{spread}"), None))).collect()
    }
}

/// Half the sum of absolute differences between two columns, for one reward.
fn distance(rows: &[Record<'_>], left: &str, right: &str) -> Result<f64, Error> {
    let each = rows.iter().map(|row| Ok((row.number(left)? - row.number(right)?).abs()));
    Ok(0.5 * each.sum::<Result<f64, Error>>()?)
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let found = Distances::read(recipe, results)?;
    let example: Vec<Record<'_>> = results.with("spread", SHOWN).take(STATES).collect();
    let caption = format!(
        "Total variation distance between the shares of Ziebart's algorithms (the larger of the two) and the exact ones. \
         Mean and 90 % interval (Student's t) over {} rewards.",
        recipe.repeats
    );
    Ok(Section {
        title: "Appendix: two algorithms that compute incorrect feature expectations".to_string(),
        paper: "With a uniform start and uniform dynamics, the state marginals of Algorithm 1 of Ziebart et al. are $1/|S|$ for any reward, in the \
                version of 2008 and in that of 2010. For a reward that is not constant this contradicts the distribution over paths."
            .to_string(),
        ours: found.ours(recipe.cases.len() * recipe.repeats),
        verdict: found.verdict(),
        figures: vec![
            Figure::new("visits", format!("Share of visits to each state for one reward in ±{SHOWN}."), visits(&example)?),
            Figure::new("distance", caption, distances(&found.curve)),
        ],
        tables: vec![table(&example)?],
        settings: settings(),
        numbers: found.numbers(&recipe.cases),
    })
}

fn visits(example: &[Record<'_>]) -> Result<Canvas, Error> {
    let bars_of = |name: &str, column: &str, colour| {
        let values = example.iter().map(|row| Ok(Interval::exactly(row.number(column)?)));
        Ok::<_, Error>(Bars::new(name, colour, values.collect::<Result<_, Error>>()?))
    };
    let series = [
        bars_of("exact", "exact", BLUE)?,
        bars_of("Ziebart 2008", "ziebart2008", VERMILION)?,
        bars_of("2010", "ziebart2010", GREEN)?,
    ];
    let states: Vec<String> = (1..=example.len()).map(|state| state.to_string()).collect();
    Ok(bars("state", &Axis::linear("share of visits"), &states, &series))
}

fn distances(points: &[(f64, Mean)]) -> Canvas {
    let curve = Curve::new("Ziebart 2008 and 2010", VERMILION, Marker::Circle, intervals(points));
    curves(&Axis::linear("rewards are uniform in ± this"), &Axis::linear("distance from the exact shares"), &[curve])
}

fn table(example: &[Record<'_>]) -> Result<Table, Error> {
    let uniform = shown(1.0 / STATES as f64);
    let mut rows = Vec::new();
    for (state, row) in example.iter().enumerate() {
        let mut cells = vec![format!("$s_{}$", state + 1), shown(row.number("reward")?), uniform.clone()];
        for column in ["ziebart2008", "ziebart2010", "exact"] {
            cells.push(shown(row.number(column)?));
        }
        rows.push(cells.into_iter().map(Into::into).collect());
    }
    Ok(Table::new(
        format!("Shares of visits for one reward in ±{SHOWN}"),
        &["state", "$R(s)$", "paper, for Ziebart's", "Ziebart 2008", "Ziebart 2010", "exact"],
        rows,
        "",
    ))
}

fn settings() -> Vec<(String, String)> {
    named([
        ("MDP", format!("{STATES} states, {ACTIONS} actions, $p_0$ and $T$ uniform, no discount")),
        ("paths", format!("{LENGTH} states, because Ziebart's algorithms have a fixed number of steps")),
        ("rewards", "uniform in ± the spread, independent for each state".to_string()),
        ("terminal state", "the MDP has none, so for the revision of 2010 a path may end in any state. $P(a|s)$ then sums to less than 1, which the proof overlooks. The visits decrease with time, equally in all states, so their shares are still $1/|S|$".to_string()),
    ])
}
