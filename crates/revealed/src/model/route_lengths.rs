//! The mean length of the recursive logit's paths, compared with the demonstrations it was learned from.

use std::fmt;

use crate::Error;
use crate::model::RouteChoice;

/// The model's paths go round in loops if they have more than this many times the states of the demonstrations.
const TOO_LONG: f64 = 1.25;

/// The mean number of states of a path, in the model and in the demonstrations.
///
/// If loops cost very little, the model's paths go round in them many times. The sums are still finite, but θ is close
/// to where they diverge. A feature that counts states (a link constant) makes the two means equal at the optimum.
///
/// ```
/// use revealed::{Demonstrations, FeaturesBuilder, MdpBuilder, RouteChoice, Trajectory, Work};
///
/// // 0 leads to 2, and 1 is a detour that costs very little: 0 → 1 → 0.
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(2).transition(0, 0, 2, 1.0).transition(0, 1, 1, 1.0).transition(1, 0, 0, 1.0);
/// let mdp = builder.build()?;
/// let features = FeaturesBuilder::new(1).state(0, 0, 0.1).state(1, 0, 0.1).state(2, 0, 100.0).build(&mdp)?;
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 2], vec![0])])?;
/// let lengths = RouteChoice::new(&mdp, &features, &demos, &Work::default())?.lengths(&[-1.0])?;
/// // A round weighs e^-0.2, so a path has r / (1 - r) = 4.5 of them on average, of two states each.
/// let rounds = (-0.2f64).exp() / (1.0 - (-0.2f64).exp());
/// assert!((lengths.model - (2.0 + 2.0 * rounds)).abs() < 1e-12 && lengths.demonstrations == 2.0);
/// assert!(lengths.goes_in_circles());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RouteLengths {
    /// The mean of the model's paths, between the demonstrations' ends.
    pub model: f64,
    /// The mean of the demonstrations.
    pub demonstrations: f64,
    /// The state where the model's mean number of visits exceeds the demonstrations' by most.
    pub state: usize,
    /// By how many visits.
    pub surplus: f64,
}

impl RouteLengths {
    /// Whether the model's paths are much longer than the demonstrations, because loops cost too little.
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
    /// The mean length of the model's paths, and that of the demonstrations. It takes as long as
    /// [`evaluate`](Self::evaluate).
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
