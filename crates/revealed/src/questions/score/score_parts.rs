//! How much of log p(τ) is due to choices, and how much to luck.

use crate::questions::Score;
use crate::questions::score::Aspect;
use crate::world::{Demonstrations, Mdp};

/// log p(τ) of a demonstration by what its factors describe.
///
/// The path model also tilts the outcomes of actions, because e^R weighs whole paths. [`luck`](Self::luck) says by how
/// much: it is the logarithm of how much likelier the outcomes of this demonstration are in the model than in the
/// world. A model of maximum causal entropy leaves outcomes as they are.
///
/// ```
/// use revealed::{Demonstrations, Ends, MdpBuilder, PathModel, Reward, ScoreParts, Trajectory, Work, scores};
///
/// // One action, and a coin that decides between 1 and 2. State 2 pays log 3: the model expects it three times in four.
/// let mut builder = MdpBuilder::new(3, 1);
/// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 0.5).transition(0, 0, 2, 0.5);
/// let mdp = builder.build()?;
/// let model = PathModel::new(&mdp, Reward::of_states(vec![0.0, 0.0, 3f64.ln()]), 2, Ends::Terminal)?;
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 2], vec![0])])?;
/// let score = scores(&model, &demos, &Work::default())?.remove(0).unwrap();
/// let parts = ScoreParts::new(&mdp, &demos, 0, &score);
/// assert!((parts.outcomes - 0.75f64.ln()).abs() < 1e-12 && (parts.chance - 0.5f64.ln()).abs() < 1e-12);
/// assert!((parts.luck() - 1.5f64.ln()).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreParts {
    /// log p(s_1).
    pub start: f64,
    /// Σ_t log π_t(a_t|s_t).
    pub choices: f64,
    /// Σ_t log p(s_{t+1}|s_t, a_t, t): the outcomes, as the model tilts them.
    pub outcomes: f64,
    /// log p(stop|s_l, l).
    pub stop: f64,
    /// Σ_t log T(s_{t+1}|s_t, a_t): the same outcomes in the world.
    pub chance: f64,
}

impl ScoreParts {
    /// The parts of the score of demonstration number `index`.
    pub fn new(mdp: &Mdp, demos: &Demonstrations, index: usize, score: &Score) -> ScoreParts {
        let of = |aspect: Aspect| {
            let factors = score.factors().filter(move |surprise| surprise.aspect == aspect);
            factors.map(|surprise| surprise.factor.log_probability).sum()
        };
        let steps = demos.transitions(index).iter();
        ScoreParts {
            start: of(Aspect::Start),
            choices: of(Aspect::Choice),
            outcomes: of(Aspect::Outcome),
            stop: of(Aspect::Stop),
            chance: steps.map(|&step| mdp.probability()[step as usize].ln()).sum(),
        }
    }

    /// How much likelier the outcomes are in the model than in the world, as a logarithm. 0 without chance.
    pub fn luck(&self) -> f64 {
        self.outcomes - self.chance
    }

    /// Adds a multiple of other parts.
    pub fn add(&mut self, factor: f64, other: &ScoreParts) {
        self.start += factor * other.start;
        self.choices += factor * other.choices;
        self.outcomes += factor * other.outcomes;
        self.stop += factor * other.stop;
        self.chance += factor * other.chance;
    }
}
