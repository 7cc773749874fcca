//! `propositions`: the appendix's uniform MDP, on which Ziebart's expectations do not depend on the reward.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Error as EngineError, Mdp, MdpBuilder, PathDistribution, Reward, Stop, Ziebart, ZiebartVersion};
use revealed_draw::{Axis, BLUE, Bars, Canvas, Curve, GREEN, Interval, Marker, VERMILION, bars, curves};

use crate::Settings;
use crate::error::Error;
use crate::figure::Figure;
use crate::plan::{Plan, Recipe, Row, Unit};
use crate::results::{Record, Results};
use crate::section::{Number, Section, Table, Verdict};
use crate::stats::{Mean, intervals, mean, shown};

const STATES: usize = 8;
const ACTIONS: usize = 3;
/// States of a path.
const LENGTH: usize = 10;
/// Rewards are uniform in ± this; 0 is the constant reward, for which there is no contradiction.
const SPREADS: [&str; 6] = ["0", "0.25", "0.5", "1", "2", "4"];
/// The spread whose first reward is drawn and tabled.
const SHOWN: &str = "1";
/// What rounding may do.
const EXACT: f64 = 1e-12;

pub(crate) fn plan(settings: &Settings) -> Plan {
    Plan {
        version: 1,
        cases: SPREADS.map(str::to_string).to_vec(),
        repeats: settings.repeats(50, 5),
        seeded: true,
        alone: false,
        columns: &["spread", "repeat", "state", "reward", "exact", "closed_form", "ziebart2008", "ziebart2010"],
        timings: &[],
    }
}

/// One random reward: the share of visits that each state gets.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let spread: f64 = unit.case.parse().unwrap_or(0.0);
    let mut rng = Pcg64Mcg::seed_from_u64(unit.seed);
    let reward: Vec<f64> = (0..STATES).map(|_| spread * rng.random_range(-1.0..1.0)).collect();
    let mdp = uniform()?;
    let of_states = Reward::of_states(reward.clone());
    let visits = |version| Ok::<_, EngineError>(Ziebart::new(version).visits(&mdp, &of_states, LENGTH)?.visits);
    let [old, new] = [visits(ZiebartVersion::Y2008)?, visits(ZiebartVersion::Y2010)?];
    let paths = PathDistribution::new(&mdp, of_states.clone(), LENGTH, Stop::Horizon)?;
    let [exact, closed_form, old, new] =
        [paths.occupancy().state.clone(), reward.iter().map(|reward| reward.exp()).collect(), old, new].map(
            |visits: Vec<f64>| {
                let all: f64 = visits.iter().sum();
                visits.into_iter().map(|visits| visits / all).collect::<Vec<f64>>()
            },
        );
    let row = |state: usize| {
        let values = [reward[state], exact[state], closed_form[state], old[state], new[state]].map(|value| value.to_string());
        let cells = [unit.case.clone(), unit.repeat.to_string(), state.to_string()].into_iter().chain(values).collect();
        Row { cells, seconds: Vec::new() }
    };
    Ok((0..STATES).map(row).collect())
}

/// p0(s) = T(s'|s,a) = 1/|S|.
fn uniform() -> Result<Mdp, EngineError> {
    let p = 1.0 / STATES as f64;
    let mut builder = MdpBuilder::new(STATES, ACTIONS);
    for state in 0..STATES {
        builder.start(state, p);
        for action in 0..ACTIONS {
            for to in 0..STATES {
                builder.transition(state, action, to, p);
            }
        }
    }
    builder.build()
}

/// Half the sum of absolute differences between two columns, for one reward.
fn distance(rows: &[Record<'_>], left: &str, right: &str) -> Result<f64, Error> {
    let each = rows.iter().map(|row| Ok((row.number(left)? - row.number(right)?).abs()));
    Ok(0.5 * each.sum::<Result<f64, Error>>()?)
}

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let mut curve = Vec::new();
    let (mut off_uniform, mut off_closed_form) = (0f64, 0f64);
    for spread in &recipe.cases {
        let rows: Vec<Record<'_>> = results.with("spread", spread).collect();
        let mut distances = Vec::new();
        for rows in rows.chunks(STATES) {
            distances.push(distance(rows, "ziebart2008", "exact")?.max(distance(rows, "ziebart2010", "exact")?));
            off_closed_form = off_closed_form.max(distance(rows, "closed_form", "exact")?);
        }
        for row in &rows {
            for year in ["ziebart2008", "ziebart2010"] {
                off_uniform = off_uniform.max((row.number(year)? - 1.0 / STATES as f64).abs());
            }
        }
        curve.push((spread.parse().unwrap_or(0.0), mean(&distances)));
    }
    let example: Vec<Record<'_>> = results.with("spread", SHOWN).take(STATES).collect();
    let at = |spread: f64| curve.iter().find(|(x, _)| *x == spread).map_or(f64::NAN, |(_, y)| y.mean);
    let holds = off_uniform < EXACT && off_closed_form < EXACT && at(0.0) < EXACT && at(1.0) > 0.01;
    let mut numbers = vec![
        Number::new("ziebart_off_uniform", Some(0.0), off_uniform),
        Number::new("exact_off_closed_form", None, off_closed_form),
    ];
    numbers.extend(curve.iter().zip(&recipe.cases).map(|((_, y), spread)| y.number(format!("distance_spread_{spread}"), None)));
    Ok(Section {
        title: "Appendix: two algorithms that compute incorrect feature expectations".to_string(),
        paper: "With a uniform start and uniform dynamics, the state marginals of Algorithm 1 of Ziebart et al. are 1/|S| for any reward, in the \
                version of 2008 and in that of 2010. For a reward that is not constant this contradicts the distribution over paths."
            .to_string(),
        ours: format!(
            "Both give 1/|S| for each of {} random rewards, to {off_uniform:.0e}. The exact shares of visits are e^R(s) / Σ e^R on this \
             MDP (the engine agrees to {off_closed_form:.0e}). The distance between them is 0 for a constant reward and grows with its \
             spread: {:.2} on average for rewards in ±1, {:.2} for rewards in ±4, where 1 would be the largest possible.",
            recipe.cases.len() * recipe.repeats,
            at(1.0),
            at(4.0)
        ),
        verdict: match holds {
            true => Verdict::Reproduced("Both propositions hold, on every reward that we drew.".to_string()),
            false => Verdict::Differs("A proposition does not hold on some reward: see the numbers.".to_string()),
        },
        figures: vec![
            Figure::new("visits", format!("Share of visits to each state for one reward in ±{SHOWN}."), visits(&example)?),
            Figure::new(
                "distance",
                format!(
                    "Total variation distance between the shares of Ziebart's algorithms (the larger of the two) and the exact ones. \
                     Mean and 90 % interval (Student's t) over {} rewards.",
                    recipe.repeats
                ),
                distances(&curve),
            ),
        ],
        tables: vec![table(&example)?],
        settings: settings(),
        numbers,
    })
}

fn visits(example: &[Record<'_>]) -> Result<Canvas, Error> {
    let bars_of = |name: &str, column: &str, colour| {
        let values = example.iter().map(|row| Ok(Interval::exactly(row.number(column)?)));
        Ok::<_, Error>(Bars { name: name.to_string(), colour, values: values.collect::<Result<_, Error>>()? })
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
    let points = intervals(points);
    let curve = Curve { name: "Ziebart 2008 and 2010".to_string(), colour: VERMILION, marker: Marker::Circle, points };
    curves(&Axis::linear("rewards are uniform in ± this"), &Axis::linear("distance from the exact shares"), &[curve])
}

fn table(example: &[Record<'_>]) -> Result<Table, Error> {
    let uniform = shown(1.0 / STATES as f64);
    let mut rows = Vec::new();
    for (state, row) in example.iter().enumerate() {
        let mut cells = vec![format!("s{}", state + 1), shown(row.number("reward")?), uniform.clone()];
        for column in ["ziebart2008", "ziebart2010", "exact"] {
            cells.push(shown(row.number(column)?));
        }
        rows.push(cells.into_iter().map(Into::into).collect());
    }
    let header = ["state", "R(s)", "paper, for Ziebart's", "Ziebart 2008", "Ziebart 2010", "exact"];
    Ok(Table {
        caption: format!("Shares of visits for one reward in ±{SHOWN}"),
        header: header.map(str::to_string).to_vec(),
        rows,
        note: String::new(),
    })
}

fn settings() -> Vec<(String, String)> {
    let all = [
        ("MDP", format!("{STATES} states, {ACTIONS} actions, p0 and T uniform, no discount")),
        ("paths", format!("of {LENGTH} states, as Ziebart's algorithms have a fixed number of steps")),
        ("rewards", "uniform in ± the spread, independent for each state".to_string()),
        ("terminal state", "the MDP has none, so for the revision of 2010 a path may end in any state. P(a|s) then sums to less than 1, which the proof overlooks: visits fade with time, equally in all states, and their shares stay 1/|S|".to_string()),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_reward_is_no_contradiction() {
        let unit = |case: &str| Unit { case: case.to_string(), repeat: 0, seed: 7 };
        let differ = |case| {
            let rows = work(&unit(case)).unwrap();
            rows.iter().any(|row| (row.cells[4].parse::<f64>().unwrap() - row.cells[6].parse::<f64>().unwrap()).abs() > 0.01)
        };
        assert!(!differ("0") && differ("1"));
    }
}
