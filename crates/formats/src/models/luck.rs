//! How much of what a fit explains is luck, in a world with chance.

use revealed::{Demonstrations, Error, Fit, MaxEnt, Method, PathModel, ScoreParts, Stopped, scores};
use serde::{Deserialize, Serialize};

use crate::problems::Problem;

/// Less luck than this, in nats per demonstration, does no harm.
const NEGLIGIBLE: f64 = 0.01;

/// How much of what an exact fit explains is luck, because the path model also makes lucky outcomes likelier. Means over
/// the demonstrations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LuckRecord {
    /// By how much the log-likelihood exceeds that at θ = 0.
    pub explained: f64,
    /// The part of it that is the likelihood of outcomes, which nobody chose.
    pub luck: f64,
}

impl LuckRecord {
    /// `None` without chance, for other methods, and for a search that was interrupted.
    pub(super) fn new(fit: &Fit, settings: &MaxEnt, worlds: &[(&Problem, &Demonstrations)]) -> Option<LuckRecord> {
        let has_chance = || worlds.iter().any(|(problem, demos)| has_chance(problem, demos));
        if fit.method != Method::Exact || fit.stop == Stopped::Interrupted || !has_chance() {
            return None;
        }
        let nothing = vec![0.0; fit.theta.len()];
        let total: f64 = worlds.iter().map(|(_, demos)| demos.total_weight()).sum();
        let parts = |theta: &[f64]| {
            let mut mean = ScoreParts::default();
            for (problem, demos) in worlds {
                let of_world = mean_parts(fit, settings, problem, demos, theta).ok().flatten()?;
                mean.add(demos.total_weight() / total, &of_world);
            }
            Some(mean)
        };
        let (learned, before) = (parts(&fit.theta)?, parts(&nothing)?);
        let all = |parts: &ScoreParts| parts.start + parts.choices + parts.outcomes + parts.stop;
        Some(LuckRecord { explained: all(&learned) - all(&before), luck: learned.outcomes - before.outcomes })
    }

    /// Whether there is so little luck that it does no harm.
    pub fn is_negligible(&self) -> bool {
        self.luck < NEGLIGIBLE
    }

    /// The note of a fit.
    pub fn words(&self) -> String {
        let LuckRecord { explained, luck } = self;
        format!(
            "this world has chance: of the {explained:.4} by which the log-likelihood of a demonstration exceeds that at \
             theta = 0, {luck:.4} is luck, because this model also makes lucky outcomes likelier; inference causal does not"
        )
    }
}

/// Whether some outcome in the demonstrations had a probability below 1.
fn has_chance(problem: &Problem, demos: &Demonstrations) -> bool {
    let mut steps = (0..demos.len()).flat_map(|index| demos.transitions(index));
    steps.any(|&step| problem.mdp.probability()[step as usize] < 1.0)
}

/// The mean over the demonstrations at one θ.
fn mean_parts(
    fit: &Fit,
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
    theta: &[f64],
) -> Result<Option<ScoreParts>, Error> {
    let reward = problem.features.reward(&problem.mdp, theta)?;
    let model = PathModel::new(&problem.mdp, reward, fit.horizon, fit.ends)?;
    let mut mean = ScoreParts::default();
    for (index, score) in scores(&model, demos, &settings.options.work)?.into_iter().enumerate() {
        let Ok(score) = score else { return Ok(None) };
        let share = demos.weight(index) / demos.total_weight();
        if share > 0.0 {
            mean.add(share, &ScoreParts::new(&problem.mdp, demos, index, &score));
        }
    }
    Ok(Some(mean))
}
