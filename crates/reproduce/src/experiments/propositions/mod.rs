//! `propositions`: the appendix's uniform MDP, on which Ziebart's expectations do not depend on the reward.

mod section;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Error as EngineError, Mdp, MdpBuilder, PathDistribution, Reward, Stop, Ziebart, ZiebartVersion};

use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

const STATES: usize = 8;
const ACTIONS: usize = 3;
/// States of a path.
const LENGTH: usize = 10;
/// Rewards are uniform in ± this; 0 is the constant reward, for which there is no contradiction.
const SPREADS: [&str; 6] = ["0", "0.25", "0.5", "1", "2", "4"];

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

/// One random reward: the share of visits of each state.
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
