//! What is known of a path: where or how it begins, and where it ends.

use crate::Error;
use crate::model::{Ends, PathModel};
use crate::world::Trajectory;

/// What is known of a path. By default nothing is: paths begin as p0 of the MDP says, and end wherever the model lets
/// them end.
///
/// ```
/// use revealed::{Given, Trajectory};
///
/// let from_four_to_goal = Given { start: Some(vec![(4, 1.0)]), to: Some(15), ..Given::default() };
/// assert_eq!(from_four_to_goal, Given::from_state(4).to(15));
/// let begun = Given::after(Trajectory::new(vec![0, 1, 2], vec![2, 2]));
/// assert_eq!((begun.start, begun.to), (None, None));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// f: (s, f(s)) of the first states; p0 of the MDP if `None`. The weights need not sum to 1. The paths from all
    /// first states share one distribution, p(τ) ∝ f(s_1) q(τ) e^{R(τ)}. A model with [`Ends::Goal`] has no
    /// distribution over first states: there the first state is drawn from f, restricted to states that can reach the
    /// goal, and then the path given both ends.
    pub start: Option<Vec<(usize, f64)>>,
    /// The first states and actions of the path, instead of a start. Any first state is accepted, whatever its p0. The
    /// continuations have the rest of the horizon, and are discounted from the beginning of the path (see
    /// [`PathModel::after`]).
    pub prefix: Option<Trajectory>,
    /// The last state. [`Ends::Goal`] requires it.
    pub to: Option<usize>,
}

impl Given {
    /// Paths from these first states, with their weights.
    pub fn from_states(start: Vec<(usize, f64)>) -> Given {
        Given { start: Some(start), ..Given::default() }
    }

    /// Paths from one state.
    pub fn from_state(state: usize) -> Given {
        Given::from_states(vec![(state, 1.0)])
    }

    /// Paths that begin with a prefix.
    pub fn after(prefix: Trajectory) -> Given {
        Given { prefix: Some(prefix), ..Given::default() }
    }

    /// The same with a last state; with `None`, with any end.
    #[must_use]
    pub fn to(self, to: impl Into<Option<usize>>) -> Given {
        Given { to: to.into(), ..self }
    }

    /// The states in which the unknown part of a path begins, with their weights, and their time: 1, or the length of
    /// the prefix.
    ///
    /// # Errors
    /// [`Error::StartAndPrefix`], and as [`PathModel::check_prefix`].
    pub(crate) fn beginning(&self, model: &PathModel<'_>) -> Result<(Vec<(usize, f64)>, usize), Error> {
        match (&self.start, &self.prefix) {
            (Some(start), Some(prefix)) => {
                Err(Error::StartAndPrefix { first_states: start.len(), length: prefix.states.len() })
            }
            (Some(start), None) => Ok((start.clone(), 1)),
            (None, Some(prefix)) => {
                model.check_prefix(prefix)?;
                let t = prefix.states.len();
                Ok((vec![(prefix.states[t - 1], 1.0)], t))
            }
            (None, None) => Ok((model.mdp().start().to_vec(), 1)),
        }
    }

    /// The model of the unknown part of a path, and the states in which that part begins, with their weights.
    pub(crate) fn rest<'a>(&self, model: &PathModel<'a>) -> Result<(PathModel<'a>, Vec<(usize, f64)>), Error> {
        let (start, _) = self.beginning(model)?;
        let rest = self.prefix.as_ref().map_or_else(|| Ok(model.clone()), |prefix| model.after(prefix))?;
        Ok((rest, start))
    }

    /// The same answer, with an error that names the prefix, if there is one.
    pub(crate) fn name_prefix<T>(&self, found: Result<T, Error>, model: &PathModel<'_>) -> Result<T, Error> {
        found.map_err(|error| match (error, &self.prefix) {
            (Error::NoPath { .. }, Some(_)) => self.no_path(model),
            (error, _) => error,
        })
    }

    /// The error if no path of the model is such a path.
    pub(crate) fn no_path(&self, model: &PathModel<'_>) -> Error {
        if let Some(prefix) = &self.prefix {
            return no_path_after(model, prefix.states.len(), self.to);
        }
        let start = self.start.as_deref().unwrap_or(model.mdp().start());
        let what = match (start, self.to) {
            ([(state, _)], Some(to)) => format!("from state {state} to state {to}"),
            ([(state, _)], None) => format!("from state {state} {}", where_to(model)),
            (_, Some(to)) => format!("to state {to}"),
            (_, None) => where_to(model).to_string(),
        };
        Error::NoPath { what, horizon: model.horizon().at_most() }
    }
}

/// The error if no path begins with a prefix of t states and ends in `to`.
pub(crate) fn no_path_after(model: &PathModel<'_>, t: usize, to: Option<usize>) -> Error {
    let end = to.map_or_else(|| where_to(model).to_string(), |to| format!("to state {to}"));
    Error::NoPath {
        what: format!("that begins with this prefix of {t} states and leads {end}"),
        horizon: model.horizon().at_most(),
    }
}

fn where_to(model: &PathModel<'_>) -> &'static str {
    match model.ends() {
        Ends::Terminal => "to a terminal state",
        Ends::Anywhere | Ends::Horizon | Ends::Goal => "to its end",
    }
}
