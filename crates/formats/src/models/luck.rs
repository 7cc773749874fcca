//! The note of a fit in a world with chance.

use revealed::{Demonstrations, Error, Fit, MaxEnt, Method, PathModel, ScoreParts, Stopped, scores};

use crate::problems::Problem;

/// How much of what an exact fit explains is luck. `None` without chance, for other methods, and for a search that was
/// interrupted.
pub(super) fn note(fit: &Fit, settings: &MaxEnt, problem: &Problem, demos: &Demonstrations) -> Option<String> {
    if fit.method != Method::Exact || fit.stop == Stopped::Interrupted || !has_chance(problem, demos) {
        return None;
    }
    let nothing = vec![0.0; fit.theta.len()];
    let parts = |theta: &[f64]| mean_parts(fit, settings, problem, demos, theta).ok().flatten();
    let (learned, before) = (parts(&fit.theta)?, parts(&nothing)?);
    let explained = |parts: &ScoreParts| parts.start + parts.choices + parts.outcomes + parts.stop;
    let (gain, luck) = (explained(&learned) - explained(&before), learned.outcomes - before.outcomes);
    Some(format!(
        "this world has chance: of the {gain:.4} by which the log-likelihood of a demonstration exceeds that at theta = 0, \
         {luck:.4} is luck, because this model also makes lucky outcomes likelier; inference causal does not"
    ))
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
