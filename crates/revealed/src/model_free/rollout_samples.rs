//! Samples from rollouts: model-free learning on problems whose model is known, for experiments and tests.

use crate::Error;
use crate::error::DemonstrationFault;
use crate::model::Ends;
use crate::model_free::SampleColumns;
use crate::planning::Policy;
use crate::world::{Features, Mdp, Trajectory};

/// Turns rollouts of a policy into samples for a set of paths: each rollout for [`Ends::Horizon`], each of its prefixes
/// for [`Ends::Anywhere`]. `log_reference` is present if the MDP has a reference policy.
///
/// ```
/// use revealed::{Baseline, Ends, Policy, Samples, rollouts, samples_from_rollouts, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let policy = Policy::uniform(&lake.mdp);
/// let rollouts = rollouts(&lake.mdp, &policy, 1000, 10, 1)?;
/// let columns = samples_from_rollouts(&lake.mdp, &lake.features, &rollouts, &policy, Ends::Anywhere)?;
/// let samples = Samples::new(&columns, Baseline::One)?;
/// assert!(samples.n_samples() > 1000 && samples.n_rollouts() == 1000);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If a rollout is not a path of the MDP, if the policy does not fit the MDP, or for any other set of paths.
pub fn samples_from_rollouts(
    mdp: &Mdp,
    features: &Features,
    rollouts: &[Trajectory],
    policy: &Policy,
    ends: Ends,
) -> Result<SampleColumns, Error> {
    policy.check(mdp)?;
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

/// The transitions of a rollout. It must end in a terminal state or have the length of the longest rollout. Any other
/// end would need a probability of stopping, which the policy does not have.
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

/// φ(τ), log π_s(τ) and log w_π0(τ) of a prefix of a rollout.
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

    fn step(&mut self, mdp: &Mdp, features: &Features, policy: &Policy, transition: usize) {
        let choice = mdp.choice_of()[transition] as usize;
        let [_, of_choice, of_transition] = features.blocks();
        for (feature, value) in of_choice.row(choice).chain(of_transition.row(transition)) {
            self.phi[feature] += self.discount * value;
        }
        self.log_policy += policy.probability(choice).ln();
        self.log_reference += mdp.reference_probability(transition).ln();
        self.discount *= mdp.discount();
    }
}
