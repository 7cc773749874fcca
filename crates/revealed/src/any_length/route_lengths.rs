//! How long the paths of the recursive logit are, beside those that it was learned from.

use std::fmt;

use crate::Error;
use crate::any_length::RouteChoice;

/// Paths of the model that have so many times the states of the demonstrations go round in circles.
const TOO_LONG: f64 = 1.25;

/// The mean number of states of a path, of the model and of the demonstrations.
///
/// Where loops hardly cost anything, paths of any length go round and round in them: sums are still finite, but θ is near the edge of
/// where they are. A feature that counts states (a link constant) makes both means the same at the optimum.
///
/// ```
/// use revealed::{Demonstrations, FeaturesBuilder, MdpBuilder, RouteChoice, Trajectory};
///
/// // 0 leads to 2, and 1 is a detour of nearly no length: 0 → 1 → 0.
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(2).transition(0, 0, 2, 1.0).transition(0, 1, 1, 1.0).transition(1, 0, 0, 1.0);
/// let mdp = builder.build()?;
/// let features = FeaturesBuilder::new(1).state(0, 0, 0.1).state(1, 0, 0.1).state(2, 0, 100.0).build(&mdp)?;
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 2], vec![0])])?;
/// let lengths = RouteChoice::new(&mdp, &features, &demos, None)?.lengths(&[-1.0])?;
/// // A round weighs e^-0.2, so a path has r / (1 - r) = 4.5 of them, of two states each.
/// let rounds = (-0.2f64).exp() / (1.0 - (-0.2f64).exp());
/// assert!((lengths.model - (2.0 + 2.0 * rounds)).abs() < 1e-12 && lengths.demonstrations == 2.0);
/// assert!(lengths.goes_in_circles());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RouteLengths {
    /// Of the model, between the demonstrations' ends.
    pub model: f64,
    /// Of the demonstrations.
    pub demonstrations: f64,
    /// The state that the model comes through most often beyond what the demonstrations do.
    pub state: usize,
    /// How much more often.
    pub surplus: f64,
}

impl RouteLengths {
    /// Whether paths of the model are much longer than the demonstrations: loops hardly cost anything.
    pub fn goes_in_circles(&self) -> bool {
        self.model > TOO_LONG * self.demonstrations
    }
}

impl fmt::Display for RouteLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RouteLengths { model, demonstrations, state, surplus } = self;
        write!(
            f,
            "paths of the learned model have {model:.1} states on average where the demonstrations have {demonstrations:.1}"
        )?;
        match self.goes_in_circles() {
            true => write!(f, ": loops hardly cost anything, most of all at state {state} ({surplus:.1} visits more)"),
            false => Ok(()),
        }
    }
}

impl RouteChoice<'_> {
    /// How long the paths of the model are, beside the demonstrations. Costs as much as [`evaluate`](Self::evaluate).
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn lengths(&mut self, theta: &[f64]) -> Result<RouteLengths, Error> {
        let visits = self.visits(theta)?.state;
        let surplus = |state: usize| visits[state] - self.seen()[state];
        let state = (0..visits.len()).max_by(|&one, &other| surplus(one).total_cmp(&surplus(other))).unwrap_or(0);
        let (model, demonstrations) = (visits.iter().sum(), self.seen().iter().sum());
        Ok(RouteLengths { model, demonstrations, state, surplus: surplus(state) })
    }
}
