//! Two sentences: which model explains the choices, and what each model is for.

use revealed::{Chance, Compared, ComparedModel, Preference};

use super::record::title;

/// The sentences. Without any model, one sentence says so.
pub(super) fn verdict(found: &Compared) -> Vec<String> {
    let (Some(best), Some(chosen)) = (found.best, found.chosen) else {
        return vec!["No model could be fitted that explains all demonstrations: the table says why.".to_string()];
    };
    let (best, chosen) = (&found.models[best], &found.models[chosen]);
    vec![which(found, best, chosen), purpose(found, chosen)]
}

fn which(found: &Compared, best: &ComparedModel, chosen: &ComparedModel) -> String {
    let held_out = best.fitted.as_ref().map_or(f64::NAN, |fitted| fitted.held_out);
    let name = format!("The model \"{}\"", title(best));
    match found.preference {
        Preference::Causal => format!(
            "{name} has the largest held-out log-likelihood of the choices, {held_out:.4} per demonstration, but Vuong's test \
             cannot tell it from \"{}\" ({}), and outcomes are chance here: take the causal model.",
            title(chosen),
            p_value(chosen)
        ),
        Preference::Only => {
            format!("{name} is the only one that could be fitted: its choices have {held_out:.4} per demonstration, held out.")
        }
        Preference::Better | Preference::Largest | Preference::None => match runner_up(found) {
            Some(second) if is_tied(second) => format!(
                "{name} has the largest held-out log-likelihood of the choices, {held_out:.4} per demonstration, but Vuong's \
                 test cannot tell it from \"{}\" ({}).",
                title(second),
                p_value(second)
            ),
            Some(second) => format!(
                "{name} explains the choices best: {held_out:.4} per demonstration, held out, and Vuong's test prefers it to \
                 \"{}\" ({}).",
                title(second),
                p_value(second)
            ),
            None => format!("{name} explains the choices best: {held_out:.4} per demonstration, held out."),
        },
    }
}

/// The best of the models that are not chosen.
fn runner_up(found: &Compared) -> Option<&ComparedModel> {
    let others = found.models.iter().enumerate().filter(|(place, _)| Some(*place) != found.best).map(|(_, model)| model);
    let value = |model: &&ComparedModel| model.fitted.as_ref().map_or(f64::NEG_INFINITY, |fitted| fitted.held_out);
    others.filter(|model| value(model).is_finite()).max_by(|one, other| value(one).total_cmp(&value(other)))
}

fn is_tied(model: &ComparedModel) -> bool {
    model.fitted.as_ref().is_ok_and(|fitted| fitted.vuong.is_none_or(|vuong| vuong.p_value > 0.05))
}

fn p_value(model: &ComparedModel) -> String {
    let vuong = model.fitted.as_ref().ok().and_then(|fitted| fitted.vuong);
    vuong.map_or("they say the same".to_string(), |vuong| format!("p {}", small(vuong.p_value)))
}

/// A p-value with its sign.
pub(super) fn small(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_string() } else { format!("= {p:.4}") }
}

fn purpose(found: &Compared, chosen: &ComparedModel) -> String {
    match (chosen.kind.chance(), found.has_chance) {
        (Chance::Fixed, _) => "A causal model is for learning what the agent wants and for acting on it, because it does \
            not count on luck; a model of paths is for forecasts of whole paths, luck included."
            .to_string(),
        (Chance::Tilted, true) => "A model of paths is for forecasts of whole paths, luck included; to act on the reward, \
            take the causal model."
            .to_string(),
        (Chance::Tilted, false) => "A model of paths is for routes, destinations and lengths; within a horizon paths have \
            a largest length, and without one a single stationary policy describes them."
            .to_string(),
    }
}
