//! `reference-policy`: a reference policy that knows something, against maximum entropy, as demonstrations grow.
//!
//! All models learn from the same demonstrations. They are judged by the log-likelihood of fresh episodes, and by the
//! policy that is optimal for the learned reward.

mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain};
use revealed::{Demonstrations, Error as EngineError, Likelihood, MaxEnt, Mdp, MdpBuilder, Options, Reward, Trajectory, Work};

use super::expert::{Expert, episodes_end};
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

const WORLDS: [&str; 2] = ["FrozenLake4x4", "NChain10"];
const DEMONSTRATIONS: [usize; 6] = [1, 3, 10, 30, 100, 300];
const QUICK_DEMONSTRATIONS: [usize; 3] = [1, 10, 100];
/// Fresh episodes of the expert, by which models are judged.
const HELD_OUT: usize = 200;

/// What the reference policy knows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ReferenceKind {
    /// q = 1: maximum entropy.
    None,
    /// Every action equally likely.
    Uniform,
    /// The expert's action in one step of five, otherwise any.
    Hint,
    /// The expert's action in every second step, otherwise any.
    Habit,
    /// The worst action in every second step, otherwise any.
    Wrong,
}

impl ReferenceKind {
    const ALL: [ReferenceKind; 5] =
        [ReferenceKind::None, ReferenceKind::Uniform, ReferenceKind::Hint, ReferenceKind::Habit, ReferenceKind::Wrong];

    fn name(self) -> &'static str {
        match self {
            ReferenceKind::None => "none",
            ReferenceKind::Uniform => "uniform",
            ReferenceKind::Hint => "hint",
            ReferenceKind::Habit => "habit",
            ReferenceKind::Wrong => "wrong",
        }
    }

    /// Its name for people.
    fn title(self) -> &'static str {
        match self {
            ReferenceKind::None => "maximum entropy",
            ReferenceKind::Uniform => "uniform",
            ReferenceKind::Hint => "expert in one step of five",
            ReferenceKind::Habit => "expert in every second step",
            ReferenceKind::Wrong => "worst action in every second step",
        }
    }

    /// The share of steps in which it takes the best action, or the worst.
    fn shares(self) -> (f64, f64) {
        match self {
            ReferenceKind::None | ReferenceKind::Uniform => (0.0, 0.0),
            ReferenceKind::Hint => (0.2, 0.0),
            ReferenceKind::Habit => (0.5, 0.0),
            ReferenceKind::Wrong => (0.0, 0.5),
        }
    }

    /// π0(a|s) of each choice; `None` for q = 1.
    fn policy(self, world: &World, expert: &Expert) -> Result<Option<Vec<f64>>, EngineError> {
        if self == ReferenceKind::None {
            return Ok(None);
        }
        let (mdp, (best, worst)) = (&world.mdp, self.shares());
        let planning = episodes_end();
        let values = planning.solve(mdp, &expert.reward)?.values;
        let of_action = planning.action_values(mdp, &expert.reward, &values)?;
        let mut policy = vec![0.0; mdp.n_choices()];
        for state in 0..mdp.n_states() {
            let choices = mdp.choices(state);
            let Some(least) = choices.clone().min_by(|&a, &b| of_action[a].total_cmp(&of_action[b])) else { continue };
            let uniform = (1.0 - best - worst) / choices.len() as f64;
            choices.clone().for_each(|choice| policy[choice] = uniform + best * expert.plan.policy.probability(choice));
            policy[least] += worst;
        }
        Ok(Some(policy))
    }
}

fn world(name: &str) -> Result<World, EngineError> {
    match name {
        "NChain10" => n_chain(10, 0.2, 2.0, 10.0, StepFeatures::StateActions),
        _ => frozen_lake(&FROZEN_LAKE_4X4, true),
    }
}

/// The largest number of states of a path.
fn longest(name: &str) -> usize {
    if name == "NChain10" { 20 } else { 150 }
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes: &[usize] = if settings.quick { &QUICK_DEMONSTRATIONS } else { &DEMONSTRATIONS };
    Plan {
        version: 1,
        cases: WORLDS.iter().flat_map(|world| sizes.iter().map(move |n| format!("{world}/{n}"))).collect(),
        repeats: settings.repeats(30, 4),
        seeded: true,
        alone: false,
        columns: &["world", "demonstrations", "reference", "repeat", "held_out", "ile", "ile_with_reference", "converged"],
        timings: &[],
    }
}

/// Episodes to learn from and fresh ones, and how to learn.
struct Task<'a> {
    world: &'a World,
    expert: &'a Expert,
    paths: &'a [Trajectory],
    fresh: &'a [Trajectory],
    settings: MaxEnt,
}

/// One data set: a row for each reference policy.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let (name, n) = unit.case.split_once('/').unwrap_or((&unit.case, "1"));
    let (world, longest) = (world(name)?, longest(name));
    let expert = Expert::new(&world)?;
    let mut paths = expert.episodes(&world, n.parse().unwrap_or(1) + HELD_OUT, longest, unit.seed)?;
    let fresh = paths.split_off(paths.len() - HELD_OUT);
    let options = Options { horizon: Some(longest.into()), work: Work::on(1), ..Options::default() };
    // A standard normal prior on every weight: without demonstrations, the model is its reference distribution.
    let settings = MaxEnt { options, l2: 1.0 / paths.len() as f64, tolerance: 1e-6, ..MaxEnt::default() };
    let task = Task { world: &world, expert: &expert, paths: &paths, fresh: &fresh, settings };
    let mut rows = Vec::new();
    for reference in ReferenceKind::ALL {
        let (numbers, converged) = task.learn(reference)?;
        let mut cells = vec![name.to_string(), n.to_string(), reference.name().to_string(), unit.repeat.to_string()];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.push(converged.to_string());
        rows.push(Row { cells, seconds: Vec::new() });
    }
    Ok(rows)
}

impl Task<'_> {
    /// The log-likelihood of a fresh episode, the inverse learning error of the reward, that of the reward with the
    /// reference policy, and whether the search converged.
    fn learn(&self, reference: ReferenceKind) -> Result<([f64; 3], bool), EngineError> {
        let Task { world, expert, settings, .. } = self;
        let policy = reference.policy(world, expert)?;
        let mdp = with_reference(&world.mdp, policy.as_deref())?;
        let fit = settings.fit(&mdp, &world.features, &Demonstrations::new(&mdp, self.paths)?)?;
        let fresh = Demonstrations::new(&mdp, self.fresh)?;
        let held_out = Likelihood::new(&mdp, &world.features, &fresh, &settings.options)?.evaluate(&fit.theta)?.log_likelihood;
        let reward = world.features.reward(&world.mdp, &fit.theta)?;
        let whole = with_preference(&world.mdp, &reward, policy.as_deref());
        let ile = |reward: &Reward| Ok::<_, EngineError>(expert.recovery(world, reward)?.inverse_learning_error);
        Ok(([held_out, ile(&reward)?, ile(&whole)?], fit.converged))
    }
}

/// The same MDP with a reference policy. Choices and transitions keep their numbers.
fn with_reference(mdp: &Mdp, policy: Option<&[f64]>) -> Result<Mdp, EngineError> {
    let Some(policy) = policy else { return Ok(mdp.clone()) };
    let mut builder = MdpBuilder::new(mdp.n_states(), mdp.n_actions());
    builder.discount(mdp.discount());
    mdp.start().iter().for_each(|&(state, p)| _ = builder.start(state, p));
    (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).for_each(|state| _ = builder.terminal(state));
    for (choice, &p) in policy.iter().enumerate() {
        let (state, action) = (mdp.state_of(choice), mdp.action_of(choice));
        builder.reference(state, action, p);
        for transition in mdp.outcomes(choice) {
            builder.transition(state, action, mdp.to()[transition] as usize, mdp.probability()[transition]);
        }
    }
    builder.build()
}

/// R + log(π0 / uniform): the preferences of the model as one reward. A uniform reference policy adds nothing.
fn with_preference(mdp: &Mdp, reward: &Reward, policy: Option<&[f64]>) -> Reward {
    let Some(policy) = policy else { return reward.clone() };
    let preference = |transition: usize| {
        let choice = mdp.choice_of()[transition] as usize;
        let actions = mdp.choices(mdp.state_of(choice)).len() as f64;
        reward.of_transition(transition) + (policy[choice] * actions).ln()
    };
    Reward { state: reward.state.clone(), transition: (0..mdp.n_transitions()).map(preference).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_policies_are_policies_and_know_what_they_should() {
        let world = world("FrozenLake4x4").unwrap();
        let expert = Expert::new(&world).unwrap();
        let mdp = &world.mdp;
        for reference in &ReferenceKind::ALL[1..] {
            let policy = reference.policy(&world, &expert).unwrap().unwrap();
            for state in (0..mdp.n_states()).filter(|&state| !mdp.is_terminal(state)) {
                assert!((policy[mdp.choices(state)].iter().sum::<f64>() - 1.0).abs() < 1e-12, "{reference:?} {state}");
            }
            // In the first state the expert goes left.
            let best = expert.plan.policy.choice(mdp, 0).unwrap();
            let known = match reference {
                ReferenceKind::Hint => 0.4,
                ReferenceKind::Habit => 0.625,
                ReferenceKind::Wrong => 0.125,
                _ => 0.25,
            };
            assert!((policy[best] - known).abs() < 1e-12, "{reference:?}: {}", policy[best]);
        }
        assert_eq!(ReferenceKind::None.policy(&world, &expert).unwrap(), None);
    }

    /// A uniform reference policy adds nothing to the reward, and the MDP keeps its numbers.
    #[test]
    fn a_uniform_reference_adds_nothing() {
        let world = world("FrozenLake4x4").unwrap();
        let expert = Expert::new(&world).unwrap();
        let uniform = ReferenceKind::Uniform.policy(&world, &expert).unwrap();
        let whole = with_preference(&world.mdp, &expert.reward, uniform.as_deref());
        assert!(whole.transition.iter().all(|added| added.abs() < 1e-15) && whole.state == expert.reward.state);
        let mdp = with_reference(&world.mdp, uniform.as_deref()).unwrap();
        assert_eq!(
            (mdp.to(), mdp.probability(), mdp.reference()),
            (world.mdp.to(), world.mdp.probability(), uniform.as_deref())
        );
    }
}
