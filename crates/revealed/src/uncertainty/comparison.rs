//! Which model explains demonstrations: the models that make sense, fitted and compared by the same quantity.

mod compared;
mod model_kind;
mod vuong;

use std::ops::ControlFlow;

use self::compared::Told;
pub use self::compared::{Compared, ComparedFit, ComparedModel, Preference};
pub use self::model_kind::ModelKind;
pub use self::vuong::Vuong;
use crate::Error;
use crate::engine::Horizon;
use crate::learning::cross_validation::folds::divide;
use crate::learning::{CrossValidation, Fit, MaxEnt, Stopped};
use crate::model::Ends;
use crate::model::likelihood::check_endings;
use crate::numeric::Work;
use crate::questions::{ScoreParts, scores};
use crate::uncertainty::Uncertainty;
use crate::watch::{Step, Watch};
use crate::world::{Demonstrations, Features, Mdp};

/// The usual penalty of a comparison. It is not 0: if demonstrations make some choices without exceptions, as those of
/// an optimal policy do, no model has a finite optimum without a penalty or bounds, and what is held out would be
/// decided by where a search gave up.
pub const COMPARISON_L2: f64 = 1e-3;

/// Fits the models that make sense and compares them by the log-likelihood of the choices.
///
/// Models of paths are also distributions over outcomes, which nobody chose. So all models are compared by the same
/// quantity: Σ_t log π_t(a_t|s_t), and log p(stop) where the end of a path is a choice as well ([`ScoreParts`]). It is
/// held out: the same folds for all models, and each demonstration under a fit that did not see it.
///
/// ```
/// use revealed::{Comparison, Demonstrations, MaxEnt, ModelKind, PathModel, Ends, Given, Work, sample, worlds};
///
/// // Episodes of a causal model on the slippery lake.
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta.iter().map(|theta| 8.0 * theta).collect::<Vec<_>>())?;
/// let truth = PathModel::causal(&lake.mdp, reward, 30, Ends::Horizon)?;
/// let demos = Demonstrations::new(&lake.mdp, &sample(&truth, &Given::default(), 60, 1, &Work::default())?)?;
///
/// let settings = MaxEnt { l2: 0.01, ..MaxEnt::default() };
/// let found = Comparison { settings, ..Comparison::default() }.run(&lake.mdp, &lake.features, &demos)?;
/// let chosen = &found.models[found.chosen.unwrap()];
/// assert_eq!(chosen.kind, ModelKind::CausalWithin);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How each model is fitted; by default with the penalty [`COMPARISON_L2`]. Its method and its ends are not used.
    /// With [`Horizon::Any`], only the models without a horizon are fitted.
    pub settings: MaxEnt,
    /// Where paths end, in all models. By default at the horizon or in a terminal state if all demonstrations do, and
    /// anywhere otherwise.
    pub ends: Option<Ends>,
    /// K; 5 by default.
    pub folds: usize,
    /// The same seed gives the same folds.
    pub seed: u64,
}

impl Default for Comparison {
    fn default() -> Self {
        Comparison { settings: MaxEnt { l2: COMPARISON_L2, ..MaxEnt::default() }, ends: None, folds: 5, seed: 0 }
    }
}

impl Comparison {
    /// Fits and compares the models. A model that cannot be fitted is in the result, with the reason.
    ///
    /// # Errors
    /// If the settings are invalid, or there are fewer than 2 folds or more than demonstrations of positive weight.
    pub fn run(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Result<Compared, Error> {
        self.run_watched(mdp, features, demos, &Watch::none())
    }

    /// As [`run`](Self::run), and reports to `watch` how many fits are done.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::Stopped`].
    pub fn run_watched(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        watch: &Watch<'_>,
    ) -> Result<Compared, Error> {
        self.settings.check(features)?;
        self.settings.bounds.each(features.n_features())?;
        let folds = divide(demos, self.folds, self.seed, false)?;
        let ends = self.ends.unwrap_or_else(|| usual_ends(mdp, demos, self.settings.options.horizon));
        let candidates: Vec<(ModelKind, Result<MaxEnt, String>)> =
            ModelKind::ALL.iter().map(|&kind| (kind, kind.settings(&self.settings, mdp, demos, ends))).collect();
        let fits = candidates.iter().filter(|candidate| candidate.1.is_ok()).count() * (self.folds + 1);
        let mut trial = Trial { plan: self, mdp, features, demos, watch, done: 0, fits };
        let mut models = Vec::new();
        for (kind, settings) in candidates {
            let fitted = match settings {
                Ok(settings) => match trial.fit(&settings) {
                    Err(Error::Stopped) => return Err(Error::Stopped),
                    fitted => fitted.map_err(|error| error.to_string()),
                },
                Err(reason) => Err(reason),
            };
            trial.done = trial.done.next_multiple_of(self.folds + 1);
            models.push(ComparedModel { kind, fitted });
        }
        let mut fold_of = vec![None; demos.len()];
        folds.iter().enumerate().for_each(|(fold, members)| members.iter().for_each(|&index| fold_of[index] = Some(fold)));
        Ok(Compared::new(models, mdp, demos, ends, fold_of))
    }
}

/// Where paths end if the user does not say it.
fn usual_ends(mdp: &Mdp, demos: &Demonstrations, horizon: Option<Horizon>) -> Ends {
    let fits = match horizon.unwrap_or(Horizon::AtMost(demos.longest())) {
        Horizon::Any => check_endings(mdp, demos, Ends::Terminal, Horizon::Any),
        horizon => check_endings(mdp, demos, Ends::Horizon, horizon),
    };
    if fits.is_ok() { Ends::Horizon } else { Ends::Anywhere }
}

/// The fits of one model after the other.
struct Trial<'a, 'w> {
    plan: &'a Comparison,
    mdp: &'a Mdp,
    features: &'a Features,
    demos: &'a Demonstrations,
    watch: &'a Watch<'w>,
    /// Fits that are finished, and all.
    done: usize,
    fits: usize,
}

impl Trial<'_, '_> {
    /// One model: its fit to all demonstrations, its standard errors, and its fits without each fold.
    fn fit(&mut self, settings: &MaxEnt) -> Result<ComparedFit, Error> {
        let &mut Trial { plan, mdp, features, demos, .. } = self;
        let work = &settings.options.work;
        let fit = self.watched(|watch| settings.fit_watched(mdp, features, demos, watch))?;
        if fit.stop == Stopped::Interrupted {
            return Err(Error::Stopped);
        }
        let uncertainty = self.uncertainty(settings, &fit)?;
        self.done += 1;
        let parts = choice_parts(mdp, features, &fit, demos, work)?;
        // Among paths of any length there may be no model at 0.
        let nothing = Fit { theta: vec![0.0; fit.theta.len()], ..fit.clone() };
        let null = choice_parts(mdp, features, &nothing, demos, work).ok();

        let validation =
            CrossValidation { settings: settings.clone(), folds: plan.folds, seed: plan.seed, ..CrossValidation::default() };
        let validation = self.watched(|watch| validation.run_watched(mdp, features, demos, watch))?;
        self.done += plan.folds;
        let mut each = vec![None; demos.len()];
        let mut unconverged = 0;
        for fold in &validation.penalties[0].folds {
            unconverged += usize::from(!fold.fit.converged);
            let held_out = choice_parts(mdp, features, &fold.fit, &demos.subset(&fold.members), work)?;
            for (&index, parts) in fold.members.iter().zip(held_out) {
                each[index] = Some(parts.map_or(f64::NEG_INFINITY, |parts| parts.choices + parts.stop));
            }
        }
        Ok(ComparedFit::new(settings, fit, uncertainty, demos, Told { parts, null, each }, unconverged))
    }

    /// The standard errors, or the reason why there are none.
    fn uncertainty(&self, settings: &MaxEnt, fit: &Fit) -> Result<Result<Uncertainty, String>, Error> {
        let &Trial { mdp, features, demos, .. } = self;
        match self.watched(|watch| settings.uncertainty_watched(mdp, features, demos, &fit.theta, watch)) {
            Err(Error::Stopped) => Err(Error::Stopped),
            found => Ok(found.map_err(|error| error.to_string())),
        }
    }

    /// Work whose progress is counted in fits.
    fn watched<T>(&self, work: impl FnOnce(&Watch<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let mut hear = |step: &Step<'_>| -> ControlFlow<()> {
            let more = match step {
                Step::Validation(progress) => progress.finished,
                Step::Iteration(_) | Step::Parts { .. } | Step::Stage { .. } => 0,
            };
            self.watch.tell(&Step::Parts { what: "fits", done: self.done + more, all: self.fits })
        };
        work(&Watch::new(&mut hear))
    }
}

/// The parts of log p(τ) of each demonstration; `None` if it is impossible.
fn choice_parts(
    mdp: &Mdp,
    features: &Features,
    fit: &Fit,
    demos: &Demonstrations,
    work: &Work,
) -> Result<Vec<Option<ScoreParts>>, Error> {
    let scored = scores(&fit.path_model(mdp, features)?, demos, work)?.into_iter().enumerate();
    Ok(scored.map(|(index, score)| Some(ScoreParts::new(mdp, demos, index, &score.ok()?))).collect())
}
