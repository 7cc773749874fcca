//! Rollouts of a stochastic policy, and the samples that they make: model-free learning on problems whose model is known, for
//! experiments and tests.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{DemonstrationFault, Ends, Error, Features, Mdp, SampleColumns, Trajectory};

/// π(a|s) = 1 / (number of actions that s offers), of each choice.
pub fn uniform_policy(mdp: &Mdp) -> Vec<f64> {
    (0..mdp.n_choices()).map(|choice| 1.0 / mdp.choices(mdp.state_of(choice)).len() as f64).collect()
}

/// `n` episodes of a policy given as π(a|s) of each choice, from p0 to a terminal state or to `longest` states. The same seed
/// gives the same episodes.
///
/// # Errors
/// If the policy is not one of this MDP, or `longest` is 0.
pub fn rollouts_of(mdp: &Mdp, policy: &[f64], n: usize, longest: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
    check_policy(mdp, policy)?;
    if longest < 1 {
        return Err(Error::Count { what: "the most states of a rollout", value: 0, least: 1, most: usize::MAX });
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut rollout = |_| {
        let mut state = draw(mdp.start().iter().copied(), &mut rng);
        let mut path = Trajectory::new(vec![state], Vec::new());
        while path.states.len() < longest && !mdp.is_terminal(state) {
            let choice = draw(mdp.choices(state).map(|choice| (choice, policy[choice])), &mut rng);
            state = draw(mdp.outcomes(choice).map(|t| (mdp.to()[t] as usize, mdp.probability()[t])), &mut rng);
            path.actions.push(mdp.action_of(choice));
            path.states.push(state);
        }
        path
    };
    Ok((0..n).map(&mut rollout).collect())
}

/// One of the options, in proportion to their probabilities; never one of probability 0.
fn draw(options: impl Iterator<Item = (usize, f64)>, rng: &mut Pcg64Mcg) -> usize {
    let mut left: f64 = rng.random();
    let mut last = 0;
    for (option, p) in options.filter(|option| option.1 > 0.0) {
        last = option;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}

fn check_policy(mdp: &Mdp, policy: &[f64]) -> Result<(), Error> {
    if policy.len() != mdp.n_choices() {
        return Err(Error::Length { what: "the policy", found: policy.len(), expected: mdp.n_choices() });
    }
    if let Some(row) = policy.iter().position(|p| !(0.0..=1.0).contains(p)) {
        let (table, what, expected) = ("the policy", "a probability", "between 0 and 1");
        return Err(Error::BadNumber { table, row, what, value: policy[row], expected });
    }
    for state in (0..mdp.n_states()).filter(|&state| !mdp.is_terminal(state)) {
        let sum: f64 = policy[mdp.choices(state)].iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(Error::PolicySum { state, sum });
        }
    }
    Ok(())
}

/// The samples that rollouts of a policy make for a path set: for [`Ends::Horizon`] each rollout is one, for
/// [`Ends::Anywhere`] each of its prefixes is. `log_reference` is there if the MDP has a reference policy.
///
/// ```
/// use revealed::{Baseline, Ends, Samples, rollouts_of, samples_from_rollouts, uniform_policy, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let policy = uniform_policy(&lake.mdp);
/// let rollouts = rollouts_of(&lake.mdp, &policy, 1000, 10, 1)?;
/// let columns = samples_from_rollouts(&lake.mdp, &lake.features, &rollouts, &policy, Ends::Anywhere)?;
/// let samples = Samples::new(&columns, Baseline::One)?;
/// assert!(samples.n_samples() > 1000 && samples.n_rollouts() == 1000);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If a rollout is not a path of the MDP, if the policy is not one of it, or if the path set is neither of those two.
pub fn samples_from_rollouts(
    mdp: &Mdp,
    features: &Features,
    rollouts: &[Trajectory],
    policy: &[f64],
    ends: Ends,
) -> Result<SampleColumns, Error> {
    check_policy(mdp, policy)?;
    let prefixes = match ends {
        Ends::Anywhere => true,
        Ends::Horizon => false,
        Ends::Terminal | Ends::Goal => return Err(Error::SampledEnds { ends: ends.name() }),
    };
    let mut columns = SampleColumns {
        n_features: features.n_features(),
        names: features.names().to_vec(),
        log_reference: mdp.reference().map(|_| Vec::new()),
        length: Some(Vec::new()),
        rollout: Some(Vec::new()),
        ..SampleColumns::default()
    };
    let longest = rollouts.iter().map(|rollout| rollout.states.len()).max().unwrap_or(0);
    for (index, rollout) in rollouts.iter().enumerate() {
        let transitions = check(mdp, rollout, longest, ends).map_err(|fault| Error::Demonstration {
            index,
            id: rollout.id.clone(),
            fault,
        })?;
        let mut prefix = Prefix::of_nothing(features);
        for (place, &state) in rollout.states.iter().enumerate() {
            if let Some(before) = place.checked_sub(1) {
                prefix.step(mdp, features, policy, transitions[before]);
            }
            prefix.visit(features, state);
            if prefixes || place + 1 == rollout.states.len() {
                columns.features.extend(&prefix.phi);
                columns.log_policy.push(prefix.log_policy);
                columns.log_reference.iter_mut().for_each(|column| column.push(prefix.log_reference));
                columns.length.iter_mut().for_each(|column| column.push(place + 1));
                columns.rollout.iter_mut().for_each(|column| column.push(index as i64));
            }
        }
    }
    Ok(columns)
}

/// The transitions of a rollout, which must go on until a terminal state or as far as the longest: one that is cut short was
/// stopped by something that the policy does not tell.
fn check(mdp: &Mdp, rollout: &Trajectory, longest: usize, ends: Ends) -> Result<Vec<usize>, DemonstrationFault> {
    let transitions = rollout.steps(mdp)?;
    let (length, first, state) = (rollout.states.len(), rollout.states[0], rollout.states[rollout.states.len() - 1]);
    if mdp.start_probability(first) == 0.0 {
        return Err(DemonstrationFault::Start { state: first });
    }
    if length < longest && !mdp.is_terminal(state) {
        let rule = "a rollout goes on to a terminal state, or is as long as the longest";
        return Err(DemonstrationFault::Ending { length, state, ends: ends.name(), rule });
    }
    Ok(transitions)
}

/// φ(τ), log π_s(τ) and log w_π0(τ) of the first states of a rollout.
struct Prefix {
    phi: Vec<f64>,
    log_policy: f64,
    log_reference: f64,
    /// γ^{t-1} at the last state.
    discount: f64,
}

impl Prefix {
    fn of_nothing(features: &Features) -> Self {
        Prefix { phi: vec![0.0; features.n_features()], log_policy: 0.0, log_reference: 0.0, discount: 1.0 }
    }

    fn visit(&mut self, features: &Features, state: usize) {
        let [of_state, _, _] = features.blocks();
        of_state.row(state).for_each(|(feature, value)| self.phi[feature] += self.discount * value);
    }

    fn step(&mut self, mdp: &Mdp, features: &Features, policy: &[f64], transition: usize) {
        let choice = mdp.choice_of()[transition] as usize;
        let [_, of_choice, of_transition] = features.blocks();
        for (feature, value) in of_choice.row(choice).chain(of_transition.row(transition)) {
            self.phi[feature] += self.discount * value;
        }
        self.log_policy += policy[choice].ln();
        self.log_reference += mdp.reference_probability(transition).ln();
        self.discount *= mdp.discount();
    }
}
