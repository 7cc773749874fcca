//! The model of behaviour that is fitted, and how its expectations are computed.

use crate::Error;
use crate::baselines::ziebart::{Ziebart, ZiebartVersion};
use crate::engine::Horizon;
use crate::model::{Chance, Ends};
use crate::world::{Features, Mdp};

/// How [`MaxEnt`](crate::MaxEnt) computes the expected features of a reward. The first and the last are exact; the
/// others are baselines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The exact expectations of the MaxEnt model (the paper).
    #[default]
    Exact,
    /// Ziebart et al. 2008, Algorithm 1, as printed; see [`Ziebart`]. Only rewards of states; ignores the discount.
    Ziebart2008,
    /// Its revision of 2010, as printed; see [`Ziebart`]. Only rewards of states; ignores the discount.
    Ziebart2010,
    /// The causal model, in which chance decides the outcomes of actions ([`PathModel::causal`](crate::PathModel::causal)),
    /// by maximum likelihood of the actions: see [`CausalObjective`](crate::CausalObjective).
    Causal,
    /// The causal model by the dual of feature matching (Ziebart's thesis, 2010).
    CausalDual,
    /// Paths of any length between each demonstration's own ends: the recursive logit, see
    /// [`RouteChoice`](crate::RouteChoice). It is the model of [`Ends::Goal`] without a horizon, exact, and much faster
    /// on large networks with many goals.
    RecursiveLogit,
}

impl Method {
    /// All methods, in the order of the documentation.
    pub const ALL: [Method; 6] =
        [Method::Exact, Method::Ziebart2008, Method::Ziebart2010, Method::Causal, Method::CausalDual, Method::RecursiveLogit];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Ziebart2008 => "ziebart2008",
            Method::Ziebart2010 => "ziebart2010",
            Method::Causal => "causal",
            Method::CausalDual => "causal-dual",
            Method::RecursiveLogit => "recursive-logit",
        }
    }

    /// The method with this name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The published algorithm, for Ziebart's two methods.
    pub fn ziebart(self) -> Option<Ziebart> {
        match self {
            Method::Ziebart2008 => Some(Ziebart::new(ZiebartVersion::Y2008)),
            Method::Ziebart2010 => Some(Ziebart::new(ZiebartVersion::Y2010)),
            _ => None,
        }
    }

    /// Who decides the outcomes of actions in the model that is fitted.
    pub fn chance(self) -> Chance {
        match self {
            Method::Causal | Method::CausalDual => Chance::Fixed,
            _ => Chance::Tilted,
        }
    }

    /// The default set of paths.
    pub fn usual_ends(self) -> Ends {
        match self {
            Method::Exact | Method::Ziebart2008 | Method::Ziebart2010 => Ends::Anywhere,
            Method::Causal | Method::CausalDual => Ends::Horizon,
            Method::RecursiveLogit => Ends::Goal,
        }
    }

    /// How many states a path of the model may have, given the choice of the user and the length of the longest
    /// demonstration.
    ///
    /// # Errors
    /// If the method does not support that choice: Ziebart's methods need a number, and the recursive logit
    /// has none.
    pub fn horizon(self, given: Option<Horizon>, longest: usize) -> Result<Horizon, Error> {
        match (self, given) {
            (Method::RecursiveLogit, None) => Ok(Horizon::Any),
            (Method::RecursiveLogit, Some(Horizon::AtMost(_))) => {
                let rule = "its paths have any length: set the horizon to any, or learn with inference exact and ends goal";
                Err(Error::MethodHorizon { method: self.name(), rule })
            }
            (Method::Ziebart2008 | Method::Ziebart2010, Some(Horizon::Any)) => {
                let rule = "its recursion needs a number of states: give a horizon";
                Err(Error::MethodHorizon { method: self.name(), rule })
            }
            (_, given) => Ok(given.unwrap_or(Horizon::AtMost(longest))),
        }
    }

    /// Rejects a problem or a set of paths that the method does not support.
    ///
    /// # Errors
    /// [`Error::StateRewardsOnly`], [`Error::NoReference`] or [`Error::MethodEnds`].
    pub fn check(self, mdp: &Mdp, features: &Features, ends: Ends) -> Result<(), Error> {
        let method = self.name();
        let rule = match (self, ends) {
            (Method::RecursiveLogit, ends) if ends != Ends::Goal => {
                "this model is one of paths between each demonstration's own first and last state: set ends to goal"
            }
            (Method::Ziebart2008 | Method::Ziebart2010, Ends::Goal) => {
                "it has one set of paths for all demonstrations: set ends to anywhere, horizon or terminal"
            }
            (Method::Ziebart2008 | Method::Ziebart2010, _) if !features.on_states_only() => {
                return Err(Error::StateRewardsOnly { method });
            }
            (Method::Ziebart2008 | Method::Ziebart2010, _) if mdp.reference().is_some() => {
                return Err(Error::NoReference { method });
            }
            _ => return Ok(()),
        };
        Err(Error::MethodEnds { method, ends: ends.name(), rule })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for method in Method::ALL {
            assert_eq!(Method::from_name(method.name()), Some(method));
        }
        assert_eq!(Method::from_name("ziebart"), None);
    }
}
