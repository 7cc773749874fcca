//! Cross-validation: how well a fit explains demonstrations that it has not seen.

pub(crate) mod folds;
mod validation;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use self::folds::divide;
pub use self::validation::{Fold, Penalty, Validation};
use self::validation::{choose, weighted_mean};
use crate::Error;
use crate::engine::Horizon;
use crate::engine::inference::{Inference, Settings};
use crate::learning::{Fit, MaxEnt, Stopped};
use crate::model::likelihood::check_endings;
use crate::model::{Chance, Options};
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::threads::Threads;
use crate::questions::scores;
use crate::watch::{Step, ValidationProgress, Watch};
use crate::world::{Demonstrations, Features, Mdp};

/// K-fold cross-validation: demonstrations are divided into K folds, and each fold is scored by a fit to the others.
///
/// ```
/// use revealed::{CrossValidation, Demonstrations, PathDistribution, Stop, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &vec![-0.2; 16])?;
/// let mut paths = PathDistribution::new(&lake.mdp, reward, 30, Stop::Anywhere)?;
/// let demos = Demonstrations::new(&lake.mdp, &paths.sample(20, 1)?)?;
///
/// let validation = CrossValidation { l2: vec![0.001, 0.1], ..CrossValidation::default() };
/// let validation = validation.run(&lake.mdp, &lake.features, &demos)?;
/// // Sixteen weights from sixteen paths: the fit to one part of the data does not fully hold for the other.
/// let [little, more] = [0, 1].map(|place| &validation.penalties[place]);
/// assert!(little.in_sample > more.in_sample && little.held_out < more.held_out);
/// assert_eq!(validation.best, 1);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// How each fold is fitted. If the horizon is `None`, it is the longest of all demonstrations, so that every
    /// demonstration fits into the model of the others.
    pub settings: MaxEnt,
    /// The penalties to compare; if empty, only that of the settings.
    pub l2: Vec<f64>,
    /// K; 5 by default. As many folds as demonstrations give leave-one-out.
    pub folds: usize,
    /// The same seed gives the same folds.
    pub seed: u64,
    /// Keeps identical paths in one fold. A route that is also in the training set would make the score too good.
    pub group_identical: bool,
}

impl Default for CrossValidation {
    fn default() -> Self {
        CrossValidation { settings: MaxEnt::default(), l2: Vec::new(), folds: 5, seed: 0, group_identical: false }
    }
}

impl CrossValidation {
    /// Fits and scores every fold with every penalty.
    ///
    /// # Errors
    /// If there are fewer than 2 folds or more than demonstrations of positive weight (with `group_identical`, distinct
    /// ones), and as [`MaxEnt::fit`]. A fit that does not converge is not an error: see [`Penalty::folds`].
    pub fn run(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Result<Validation, Error> {
        self.run_watched(mdp, features, demos, &Watch::none())
    }

    /// As [`run`](Self::run), and reports every iteration and every finished fit to `watch`, in any order.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::Stopped`].
    pub fn run_watched(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        watch: &Watch<'_>,
    ) -> Result<Validation, Error> {
        let penalties = if self.l2.is_empty() { vec![self.settings.l2] } else { self.l2.clone() };
        for &l2 in &penalties {
            MaxEnt { l2, ..self.settings.clone() }.check(features)?;
        }
        let options = &self.settings.options;
        let horizon = self.settings.method.horizon(options.horizon, demos.longest())?;
        // Checked before the division into folds, so that an error has the right demonstration number.
        check_endings(mdp, demos, options.ends, horizon)?;
        let folds = divide(demos, self.folds, self.seed, self.group_identical)?;
        let mut fold_of = vec![None; demos.len()];
        for (fold, members) in folds.iter().enumerate() {
            members.iter().for_each(|&index| fold_of[index] = Some(fold));
        }
        let seen = |fold: usize| {
            let other = |&index: &usize| fold_of[index].is_some_and(|other| other != fold);
            demos.subset(&(0..demos.len()).filter(other).collect::<Vec<_>>())
        };
        let training = (0..folds.len()).map(seen).collect();
        let fits = penalties.len() * folds.len();
        let work = SharedByFolds { mdp, features, demos, folds, training, horizon, watch, finished: Mutex::new(0), fits };
        let jobs: Vec<(f64, usize)> =
            penalties.iter().flat_map(|&l2| (0..work.folds.len()).map(move |fold| (l2, fold))).collect();
        let done = Threads::new(options.work.threads)?.run(|| self.fit_all(&work, &jobs))?;
        let of_penalty = |(&l2, folds): (&f64, &[Fold])| Penalty::new(l2, demos, folds.to_vec());
        let mut penalties: Vec<Penalty> = penalties.iter().zip(done.chunks(work.folds.len())).map(of_penalty).collect();
        let (best, simplest) = choose(demos, &mut penalties);
        Ok(Validation { horizon, ends: options.ends, fold_of, penalties, best, simplest })
    }

    /// Fits each (penalty, fold), several at once unless one fit keeps all threads busy. A fit does not
    /// depend on the number of threads or on the memory, so this changes only the time.
    fn fit_all(&self, work: &SharedByFolds<'_, '_>, jobs: &[(f64, usize)]) -> Result<Vec<Fold>, Error> {
        let transitions = !work.features.on_states_only();
        let memory = self.settings.options.work.memory;
        let network = Inference::network(work.mdp, transitions);
        let settings = Settings { discount: work.mdp.discount(), horizon: work.horizon, transitions: true, memory };
        let share = Inference::at_once(&network, settings, jobs.len());
        let Some(share) = share.filter(|_| self.settings.method.chance() == Chance::Tilted) else {
            return jobs.iter().map(|&(l2, fold)| self.fit_one(work, l2, fold, memory)).collect();
        };
        // In two steps, so that the first of several errors is reported, whichever fit ends first.
        let fit = |&(l2, fold): &(f64, usize)| self.fit_one(work, l2, fold, share.memory);
        let done = parallel::map(jobs, fit);
        done.into_iter().collect()
    }

    /// One fold.
    fn fit_one(&self, work: &SharedByFolds<'_, '_>, l2: f64, fold: usize, memory: usize) -> Result<Fold, Error> {
        let &SharedByFolds { mdp, features, demos, horizon, .. } = work;
        // The fit runs on the caller's threads.
        let options =
            Options { ends: self.settings.options.ends, horizon: Some(horizon), work: Work { threads: None, memory } };
        let settings = MaxEnt { l2, options: options.clone(), ..self.settings.clone() };
        let go_on = |wish: ControlFlow<()>| if wish.is_break() { Err(Error::Stopped) } else { Ok(()) };
        go_on(work.tell(fold, l2, 0, false))?;
        let mut hear = |step: &Step<'_>| match step {
            Step::Iteration(progress) => work.tell(fold, l2, progress.iteration, false),
            Step::Validation(_) | Step::Parts { .. } | Step::Stage { .. } => ControlFlow::Continue(()),
        };
        let fit = settings.fit_watched(mdp, features, &work.training[fold], &Watch::new(&mut hear))?;
        if fit.stop == Stopped::Interrupted {
            return Err(Error::Stopped);
        }
        let members = &work.folds[fold];
        let each = held_out(mdp, features, &fit, &demos.subset(members), &options.work)?;
        let mean = weighted_mean(members.iter().map(|&index| demos.weight(index)).zip(each.iter().copied()));
        go_on(work.tell(fold, l2, fit.iterations, true))?;
        Ok(Fold { members: members.clone(), each, held_out: mean, fit })
    }
}

/// Everything that the fits share.
struct SharedByFolds<'a, 'w> {
    mdp: &'a Mdp,
    features: &'a Features,
    demos: &'a Demonstrations,
    folds: Vec<Vec<usize>>,
    /// The demonstrations of all other folds, for each fold.
    training: Vec<Demonstrations>,
    horizon: Horizon,
    watch: &'a Watch<'w>,
    finished: Mutex<usize>,
    fits: usize,
}

impl SharedByFolds<'_, '_> {
    fn tell(&self, fold: usize, l2: f64, iterations: usize, ended: bool) -> ControlFlow<()> {
        // Locked during the report, so that counts are reported in order.
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        *finished += usize::from(ended);
        let progress = ValidationProgress { finished: *finished, fits: self.fits, fold, l2, iterations };
        self.watch.tell(&Step::Validation(progress))
    }
}

/// log p(τ) of demonstrations under a fit.
fn held_out(mdp: &Mdp, features: &Features, fit: &Fit, demos: &Demonstrations, work: &Work) -> Result<Vec<f64>, Error> {
    let log_likelihood =
        |score: Result<crate::questions::Score, _>| score.map_or(f64::NEG_INFINITY, |score| score.log_likelihood);
    Ok(scores(&fit.path_model(mdp, features)?, demos, work)?.into_iter().map(log_likelihood).collect())
}
