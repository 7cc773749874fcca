//! The result of a comparison: a row for each model, and which of them to take.

use super::{ModelKind, Vuong};
use crate::learning::{Fit, MaxEnt};
use crate::model::{Chance, Ends};
use crate::questions::ScoreParts;
use crate::uncertainty::Uncertainty;
use crate::world::{Demonstrations, Mdp};

/// With a p-value above this, Vuong's test cannot tell two models apart.
const LEVEL: f64 = 0.05;

/// The result of a [`Comparison`](crate::Comparison).
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The four models, in the order of [`ModelKind::ALL`].
    pub models: Vec<ComparedModel>,
    /// The model with the largest held-out log-likelihood of the choices; `None` if no model explains all
    /// demonstrations.
    pub best: Option<usize>,
    /// The model to take.
    pub chosen: Option<usize>,
    /// Why it is taken.
    pub preference: Preference,
    /// Whether some outcome of an action has a probability below 1.
    pub has_chance: bool,
    /// Where paths end, in all models.
    pub ends: Ends,
    /// The fold of each demonstration; `None` for those of weight 0.
    pub fold_of: Vec<Option<usize>>,
}

/// Why a model is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preference {
    /// No other model was fitted.
    Only,
    /// It is better than every other, and Vuong's test says so.
    Better,
    /// Its held-out log-likelihood is the largest, but Vuong's test cannot tell it from every other.
    Largest,
    /// Vuong's test cannot tell it from the best, and outcomes are chance, which only a causal model leaves alone.
    Causal,
    /// No model explains all demonstrations.
    None,
}

impl Preference {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Preference::Only => "only",
            Preference::Better => "better",
            Preference::Largest => "largest",
            Preference::Causal => "causal",
            Preference::None => "none",
        }
    }
}

/// A model, fitted or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedModel {
    /// Which one.
    pub kind: ModelKind,
    /// Its fit, or the reason why there is none.
    pub fitted: Result<ComparedFit, String>,
}

/// The fit of a model that is compared. Means are over demonstrations, by their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFit {
    /// How it was fitted.
    pub settings: MaxEnt,
    /// The fit to all demonstrations.
    pub fit: Fit,
    /// Its standard errors, or the reason why there are none.
    pub uncertainty: Result<Uncertainty, String>,
    /// The mean log-likelihood of the choices, under the fit to all demonstrations; -∞ if one of them is impossible.
    pub in_sample: f64,
    /// The mean log-likelihood of the choices, each demonstration under a fit that did not see it.
    pub held_out: f64,
    /// The held-out log-likelihood of each demonstration; `None` for those of weight 0.
    pub each: Vec<Option<f64>>,
    /// By how much the log-likelihood of the outcomes, which nobody chose, exceeds that at θ = 0: 0 in a causal model.
    /// `None` without a model at θ = 0.
    pub luck: Option<f64>,
    /// The part of what the fit explains that is luck: `luck`, divided by the gain of log p(τ). `None` if nothing is
    /// explained.
    pub luck_share: Option<f64>,
    /// The number of identified directions of θ.
    pub parameters: usize,
    /// Akaike's criterion, 2 k - 2 N · `in_sample`.
    pub aic: f64,
    /// Schwarz's criterion, k log N - 2 N · `in_sample`.
    pub bic: f64,
    /// How many of the fits without a fold did not converge.
    pub unconverged: usize,
    /// The best model against this one; `None` for the best itself, and if the two say the same or one of them calls a
    /// demonstration impossible.
    pub vuong: Option<Vuong>,
}

/// What a fit says about demonstrations, each held out or not.
pub(super) struct Told {
    /// The parts of log p(τ) of each demonstration under the fit to all of them.
    pub parts: Vec<Option<ScoreParts>>,
    /// The same at θ = 0, if there is such a model.
    pub null: Option<Vec<Option<ScoreParts>>>,
    /// The held-out log-likelihood of the choices of each demonstration.
    pub each: Vec<Option<f64>>,
}

impl ComparedFit {
    pub(super) fn new(
        settings: &MaxEnt,
        fit: Fit,
        uncertainty: Result<Uncertainty, String>,
        demos: &Demonstrations,
        told: Told,
        unconverged: usize,
    ) -> ComparedFit {
        let learned = mean_parts(demos, &told.parts);
        let null = told.null.as_ref().and_then(|null| mean_parts(demos, null));
        let all = |parts: &ScoreParts| parts.start + parts.choices + parts.outcomes + parts.stop;
        let both = learned.as_ref().zip(null.as_ref());
        let luck = match settings.method.chance() {
            Chance::Fixed => Some(0.0),
            Chance::Tilted => both.map(|(learned, null)| learned.outcomes - null.outcomes),
        };
        let explained = both.map(|(learned, null)| all(learned) - all(null)).filter(|&explained| explained > 1e-9);
        let in_sample = learned.map_or(f64::NEG_INFINITY, |parts| parts.choices + parts.stop);
        let parameters = match &uncertainty {
            Ok(uncertainty) => uncertainty.statistics.degrees_of_freedom,
            Err(_) => fit.theta.len() - fit.null_directions.len(),
        };
        let (n, k) = (demos.total_weight(), parameters as f64);
        ComparedFit {
            settings: settings.clone(),
            in_sample,
            held_out: held_out_mean(demos, &told.each),
            luck,
            luck_share: luck.zip(explained).map(|(luck, explained)| luck / explained),
            parameters,
            aic: 2.0 * k - 2.0 * n * in_sample,
            bic: k * n.ln() - 2.0 * n * in_sample,
            unconverged,
            vuong: None,
            each: told.each,
            uncertainty,
            fit,
        }
    }
}

/// The mean over the demonstrations of positive weight.
fn held_out_mean(demos: &Demonstrations, each: &[Option<f64>]) -> f64 {
    let share = |(index, value): (usize, &Option<f64>)| Some(demos.weight(index) / demos.total_weight() * (*value)?);
    each.iter().enumerate().filter_map(share).sum()
}

/// The mean parts; `None` if a demonstration is impossible.
fn mean_parts(demos: &Demonstrations, parts: &[Option<ScoreParts>]) -> Option<ScoreParts> {
    let mut mean = ScoreParts::default();
    for index in (0..demos.len()).filter(|&index| demos.weight(index) > 0.0) {
        mean.add(demos.weight(index) / demos.total_weight(), parts[index].as_ref()?);
    }
    Some(mean)
}

impl Compared {
    pub(super) fn new(
        mut models: Vec<ComparedModel>,
        mdp: &Mdp,
        demos: &Demonstrations,
        ends: Ends,
        fold_of: Vec<Option<usize>>,
    ) -> Compared {
        let has_chance = mdp.probability().iter().any(|&p| p < 1.0);
        let best = largest(&models, |_| true);
        if let Some(best) = best {
            test_against(&mut models, best, demos);
        }
        let (chosen, preference) = choose(&models, best, has_chance);
        Compared { models, best, chosen, preference, has_chance, ends, fold_of }
    }

    /// The fit of the model to take.
    pub fn chosen_fit(&self) -> Option<&ComparedFit> {
        self.models[self.chosen?].fitted.as_ref().ok()
    }
}

/// The model with the largest held-out log-likelihood; the first of several.
fn largest(models: &[ComparedModel], admitted: impl Fn(ModelKind) -> bool) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, model) in models.iter().enumerate().filter(|(_, model)| admitted(model.kind)) {
        if let Ok(fitted) = &model.fitted
            && fitted.held_out.is_finite()
            && best.is_none_or(|best| fitted.held_out > best.1)
        {
            best = Some((place, fitted.held_out));
        }
    }
    best.map(|best| best.0)
}

/// Vuong's test of the best model against every other.
fn test_against(models: &mut [ComparedModel], best: usize, demos: &Demonstrations) {
    let of_best = match &models[best].fitted {
        Ok(fitted) => fitted.each.clone(),
        Err(_) => return,
    };
    for (_, model) in models.iter_mut().enumerate().filter(|(place, _)| *place != best) {
        if let Ok(fitted) = &mut model.fitted {
            let pairs = of_best.iter().zip(&fitted.each).enumerate();
            let row =
                |(index, (best, own)): (usize, (&Option<f64>, &Option<f64>))| Some((demos.weight(index), (*best)? - (*own)?));
            fitted.vuong = Vuong::new(&pairs.filter_map(row).collect::<Vec<_>>());
        }
    }
}

fn choose(models: &[ComparedModel], best: Option<usize>, has_chance: bool) -> (Option<usize>, Preference) {
    let Some(best) = best else { return (None, Preference::None) };
    let same = |place: usize| {
        let fitted = models[place].fitted.as_ref().ok();
        fitted.is_some_and(|fitted| match fitted.vuong {
            Some(vuong) => vuong.p_value > LEVEL,
            None => fitted.held_out.is_finite(),
        })
    };
    let others: Vec<usize> = (0..models.len()).filter(|&place| place != best && models[place].fitted.is_ok()).collect();
    let causal = largest(models, |kind| kind.chance() == Chance::Fixed);
    match causal {
        Some(causal) if has_chance && models[best].kind.chance() == Chance::Tilted && same(causal) => {
            (Some(causal), Preference::Causal)
        }
        _ if others.is_empty() => (Some(best), Preference::Only),
        _ if others.iter().any(|&other| same(other)) => (Some(best), Preference::Largest),
        _ => (Some(best), Preference::Better),
    }
}
