//! The four models.

use crate::engine::Horizon;
use crate::learning::{MaxEnt, Method};
use crate::model::likelihood::check_endings;
use crate::model::path_model::check_path_set;
use crate::model::{Chance, Ends, Options};
use crate::world::{Demonstrations, Mdp};

/// The four models of behaviour.
///
/// ```
/// use revealed::{Chance, ModelKind};
///
/// assert_eq!(ModelKind::from_name("causal"), Some(ModelKind::CausalWithin));
/// assert_eq!(ModelKind::PathsAny.chance(), Chance::Tilted);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// Paths within a horizon: the paper's model.
    PathsWithin,
    /// Paths of any length: the recursive logit, if their ends are given.
    PathsAny,
    /// The causal model within a horizon.
    CausalWithin,
    /// The causal model without a horizon: its policy is stationary.
    CausalAny,
}

impl ModelKind {
    /// All of them, in the order of the documentation.
    pub const ALL: [ModelKind; 4] =
        [ModelKind::PathsWithin, ModelKind::PathsAny, ModelKind::CausalWithin, ModelKind::CausalAny];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::PathsWithin => "paths",
            ModelKind::PathsAny => "paths-any-length",
            ModelKind::CausalWithin => "causal",
            ModelKind::CausalAny => "causal-any-length",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<ModelKind> {
        ModelKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Who decides the outcomes of actions.
    pub fn chance(self) -> Chance {
        match self {
            ModelKind::PathsWithin | ModelKind::PathsAny => Chance::Tilted,
            ModelKind::CausalWithin | ModelKind::CausalAny => Chance::Fixed,
        }
    }

    /// Whether its paths may have any length.
    pub fn any_length(self) -> bool {
        matches!(self, ModelKind::PathsAny | ModelKind::CausalAny)
    }

    /// How the model is fitted, or the reason why it makes no sense here.
    pub(super) fn settings(self, given: &MaxEnt, mdp: &Mdp, demos: &Demonstrations, ends: Ends) -> Result<MaxEnt, String> {
        let most = given.options.horizon.unwrap_or(Horizon::AtMost(demos.longest()));
        if !self.any_length() && most == Horizon::Any {
            return Err("the horizon that was asked for is any".to_string());
        }
        if self.chance() == Chance::Fixed && self.coincides(given, mdp, demos, ends) {
            return Err("nothing is left to chance: given the first state, it is the same as the model of paths".to_string());
        }
        let (method, ends) = match (self, ends) {
            (ModelKind::PathsAny, Ends::Goal) => (Method::RecursiveLogit, ends),
            // Without a horizon, only terminal states are left to end a path.
            (ModelKind::PathsAny, Ends::Horizon) => (Method::Exact, Ends::Terminal),
            (ModelKind::PathsWithin | ModelKind::PathsAny, _) => (Method::Exact, ends),
            (ModelKind::CausalWithin | ModelKind::CausalAny, _) => (Method::Causal, ends),
        };
        let horizon = if self.any_length() { Horizon::Any } else { most };
        let checked = match self.chance() {
            Chance::Tilted => check_path_set(mdp, horizon, ends),
            Chance::Fixed => Ok(()),
        };
        checked.and_then(|()| check_endings(mdp, demos, ends, horizon)).map_err(|error| error.to_string())?;
        let never_ends = ends == Ends::Horizon && !(0..mdp.n_states()).any(|state| mdp.is_terminal(state));
        if self == ModelKind::CausalAny && mdp.discount() == 1.0 && never_ends {
            return Err("no state ends an episode and the discount is 1, so that values are infinite: set a discount \
                        below 1"
                .to_string());
        }
        let options = Options { ends, horizon: Some(horizon), ..given.options.clone() };
        Ok(MaxEnt { method, options, ..given.clone() })
    }

    /// Whether the causal model is the model of paths of the same lengths: without chance, without a discount (the
    /// model of paths discounts from the beginning, the causal one from the present), and from one first state.
    fn coincides(self, given: &MaxEnt, mdp: &Mdp, demos: &Demonstrations, ends: Ends) -> bool {
        let certain = mdp.probability().iter().all(|&p| p == 1.0);
        let same_start = ends == Ends::Goal || mdp.start().len() == 1;
        let twin = if self.any_length() { ModelKind::PathsAny } else { ModelKind::PathsWithin };
        certain && same_start && mdp.discount() == 1.0 && twin.settings(given, mdp, demos, ends).is_ok()
    }
}
