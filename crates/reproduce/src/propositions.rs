//! `propositions`: the appendix's uniform MDP, on which Ziebart's expectations do not depend on the reward.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Error as EngineError, Mdp, MdpBuilder, PathDistribution, Reward, Stop};

use crate::Settings;
use crate::axis::Axis;
use crate::canvas::{BLUE, GREEN, VERMILION};
use crate::chart::{Bars, Curve, Marker, bars, curves};
use crate::error::Error;
use crate::figure::Figure;
use crate::plan::{Plan, Recipe, Row, Unit};
use crate::results::{Record, Results};
use crate::section::{Number, Section, Table, Verdict};
use crate::stats::{Mean, mean, shown};

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

/// Which of Ziebart's two algorithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Year {
    Y2008,
    Y2010,
}

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
    let paths = PathDistribution::new(&mdp, Reward::of_states(reward.clone()), LENGTH, Stop::Horizon)?;
    let [exact, closed_form, old, new] = [
        paths.occupancy().state.clone(),
        reward.iter().map(|reward| reward.exp()).collect(),
        ziebart_visits(&mdp, &reward, LENGTH, Year::Y2008),
        ziebart_visits(&mdp, &reward, LENGTH, Year::Y2010),
    ]
    .map(|visits: Vec<f64>| {
        let all: f64 = visits.iter().sum();
        visits.into_iter().map(|visits| visits / all).collect::<Vec<f64>>()
    });
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

/// Σ_t D_{s,t} of Algorithm 1 of Ziebart et al. 2008, or of its revision of 2010, as published.
///
/// ```text
/// 2008: Z_s = 1 at first; N times Z_{s,a} = Σ_k T(k|s,a) e^{R(s)} Z_k, Z_s = Σ_a Z_{s,a}
///       D_{s,t+1} = Σ_a Σ_k D_{k,t} P(a|s) T(k|s,a)
/// 2010: Z_s = 1{s terminal} at first, and added again each time
///       D_{k,t+1} = Σ_s Σ_a D_{s,t} P(a|s) T(k|s,a)
/// ```
///
/// with P(a|s) = Z_{s,a} / Z_s. The appendix's MDP has no terminal state: its last state takes that part, or the revision would
/// divide 0 by 0.
pub(crate) fn ziebart_visits(mdp: &Mdp, reward: &[f64], length: usize, year: Year) -> Vec<f64> {
    let n = mdp.n_states();
    let mut terminal: Vec<f64> = (0..n).map(|state| f64::from(u8::from(mdp.is_terminal(state)))).collect();
    if terminal.iter().all(|&mark| mark == 0.0) {
        terminal[n - 1] = 1.0;
    }
    let added = if year == Year::Y2010 { terminal.clone() } else { vec![0.0; n] };
    let mut z_state = if year == Year::Y2010 { terminal } else { vec![1.0; n] };
    let mut z_choice = vec![0.0; mdp.n_choices()];
    for _ in 0..length {
        for (choice, z) in z_choice.iter_mut().enumerate() {
            let next = mdp.outcomes(choice).map(|t| mdp.probability()[t] * z_state[mdp.to()[t] as usize]);
            *z = reward[mdp.state_of(choice)].exp() * next.sum::<f64>();
        }
        z_state = (0..n).map(|state| mdp.choices(state).map(|choice| z_choice[choice]).sum::<f64>() + added[state]).collect();
    }
    let of_actions = |state: usize| mdp.choices(state).map(|choice| z_choice[choice]).sum::<f64>();
    let policy: Vec<f64> = (0..mdp.n_choices()).map(|choice| z_choice[choice] / of_actions(mdp.state_of(choice))).collect();

    let mut now: Vec<f64> = (0..n).map(|state| mdp.start_probability(state)).collect();
    let mut visits = now.clone();
    for _ in 1..length {
        let mut next = vec![0.0; n];
        for transition in 0..mdp.n_transitions() {
            let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
            let p = policy[mdp.choice_of()[transition] as usize] * mdp.probability()[transition];
            match year {
                Year::Y2008 => next[from] += now[to] * p,
                Year::Y2010 => next[to] += now[from] * p,
            }
        }
        visits.iter_mut().zip(&next).for_each(|(visits, next)| *visits += next);
        now = next;
    }
    visits
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
                distances(curve),
            ),
        ],
        tables: vec![table(&example)?],
        settings: settings(),
        numbers,
    })
}

fn visits(example: &[Record<'_>]) -> Result<crate::Canvas, Error> {
    let bars_of = |name: &str, column: &str, colour| {
        let values = example.iter().map(|row| Ok(Mean { mean: row.number(column)?, half_width: f64::NAN }));
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

fn distances(points: Vec<(f64, Mean)>) -> crate::Canvas {
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
        ("terminal state", "the MDP has none; the revision of 2010 needs one, and takes the last state".to_string()),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// s_0 may stay (action 0) or go to the terminal s_1 (action 1), both surely; one step of the recursion by hand.
    #[test]
    fn ziebarts_algorithms_by_hand() {
        let mut builder = MdpBuilder::new(2, 2);
        builder.start(0, 1.0).terminal(1).transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0);
        let mdp = builder.build().unwrap();
        let e = 0.5f64.exp();
        // 2010: Z_0 is 0, then e (only the way to the end counts), so that P(go) = e / (e² + e) after two rounds.
        let go = e / (e * e + e);
        let visits = ziebart_visits(&mdp, &[0.5, 0.0], 2, Year::Y2010);
        assert!((visits[0] - (2.0 - go)).abs() < 1e-15 && (visits[1] - go).abs() < 1e-15, "{visits:?}");
        // 2008: Z = (1, 1), then (2e, 0): P(stay) = 2e² / 2e² after two rounds; D is moved against the arrows.
        let visits = ziebart_visits(&mdp, &[0.5, 0.0], 2, Year::Y2008);
        assert_eq!(visits, [2.0, 0.0]);
    }

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
