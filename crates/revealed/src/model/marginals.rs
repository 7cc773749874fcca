//! p_t: the distributions of the t-th state, choice and transition of a path.

use std::ops::ControlFlow;

use crate::Error;
use crate::engine::inference::View;
use crate::model::{MarginalKind, PathDistribution, border};
use crate::numeric::scaled::Scaled;
use crate::world::Mdp;

/// The marginal distributions at one time t. Those of states sum to the probability that a path has at least t states,
/// not to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marginals {
    /// p_t(s) of each state.
    pub state: Vec<f64>,
    /// p_t(s, a) of each choice.
    pub choice: Vec<f64>,
    /// p_t(s, a, s') of each transition.
    pub transition: Vec<f64>,
}

impl Marginals {
    /// Zero everywhere.
    pub fn zeros(mdp: &Mdp) -> Self {
        Marginals {
            state: vec![0.0; mdp.n_states()],
            choice: vec![0.0; mdp.n_choices()],
            transition: vec![0.0; mdp.n_transitions()],
        }
    }

    /// The distribution of one kind.
    pub fn of(self, kind: MarginalKind) -> Vec<f64> {
        match kind {
            MarginalKind::State => self.state,
            MarginalKind::StateAction => self.choice,
            MarginalKind::Transition => self.transition,
        }
    }
}

impl PathDistribution<'_> {
    /// p_t(s), p_t(s, a) and p_t(s, a, s'), for t from 1 (eq:s-marginals, eq:sa-marginals, eq:sas-marginals).
    ///
    /// It costs as much as [`new`](Self::new).
    ///
    /// # Errors
    /// If t is not in 1..L.
    pub fn marginals(&mut self, t: usize) -> Result<Marginals, Error> {
        self.check_time(t)?;
        let mdp = self.mdp();
        let mut before: Vec<Scaled> = Vec::new();
        let mut marginals = Marginals::zeros(mdp);
        self.watch(&mut |view| {
            if view.t == t {
                before = (0..mdp.n_states()).map(|state| view.before(state)).collect();
                marginals.state = (0..mdp.n_states()).map(|state| view.probability(state)).collect();
            }
            if view.t == t + 1 {
                fill_transitions(mdp, &before, &view, &mut marginals);
            }
            if view.t > t { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(Marginals {
            state: border::at_most_one("the probability of a state", marginals.state)?,
            choice: border::at_most_one("the probability of an action", marginals.choice)?,
            transition: border::at_most_one("the probability of a transition", marginals.transition)?,
        })
    }

    /// p_t of each state, choice (s, a) or transition (s, a, s'), in the order of the MDP; without t, the expected visits
    /// Σ_t γ^{t-1} p_t.
    ///
    /// A path that ends at t has a t-th state but no t-th action. So Σ_a p_t(s, a) is p_t(s) less the probability that
    /// the path ends there, and it is 0 at t = L.
    ///
    /// ```
    /// use revealed::{MarginalKind, PathDistribution, Reward, Stop, worlds};
    ///
    /// let chain = worlds::linear_chain(4)?;
    /// let mut paths = PathDistribution::new(&chain.mdp, Reward::of_states(vec![-1.0; 4]), 3, Stop::Horizon)?;
    /// let [state, action] = [MarginalKind::State, MarginalKind::StateAction].map(|kind| paths.visits(kind, Some(2)));
    /// assert_eq!(state?.iter().sum::<f64>(), action?.iter().sum::<f64>());
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`marginals`](Self::marginals).
    pub fn visits(&mut self, kind: MarginalKind, t: Option<usize>) -> Result<Vec<f64>, Error> {
        if let Some(t) = t {
            return Ok(self.marginals(t)?.of(kind));
        }
        let occupancy = self.occupancy();
        Ok(match kind {
            MarginalKind::State => occupancy.state.clone(),
            MarginalKind::StateAction => occupancy.choice(self.mdp()),
            MarginalKind::Transition => occupancy.transition.clone(),
        })
    }

    pub(crate) fn check_time(&self, t: usize) -> Result<(), Error> {
        let horizon = self.horizon();
        let in_range = t >= 1 && horizon.allows(t);
        if in_range { Ok(()) } else { Err(Error::Count { what: "t", value: t, least: 1, most: horizon.longest() }) }
    }
}

/// p_t(s, a, s') = α_t(s) m_t(s, a, s') e^{γ^t R(s')} b_{t+1}(s') / Z, from α_t / Z and the messages of t + 1.
fn fill_transitions(mdp: &Mdp, before: &[Scaled], next: &View<'_>, marginals: &mut Marginals) {
    for transition in 0..mdp.n_transitions() {
        let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
        let p = (before[from] * next.step(transition) * next.of_state(to) * next.after(to)).to_f64();
        marginals.transition[transition] = p;
        marginals.choice[mdp.choice_of()[transition] as usize] += p;
    }
}
