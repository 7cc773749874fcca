//! Features and outcomes by name.

use revealed::{Features, Outcome};

use crate::Fault;

/// The feature of this name, or with this number.
pub(super) fn feature(name: &str, features: &Features) -> Result<usize, Fault> {
    let by_name = features.names().iter().position(|known| known == name);
    let by_number = || name.parse().ok().filter(|&number: &usize| number < features.n_features());
    by_name.or_else(by_number).ok_or_else(|| {
        let known: Vec<String> = (0..features.n_features().min(8)).map(|k| features.name(k)).collect();
        Fault::Request(format!(
            "there is no feature {name:?}: give a name, or a number from 0 to {} ({}{})",
            features.n_features() - 1,
            known.join(", "),
            if features.n_features() > 8 { ", …" } else { "" }
        ))
    })
}

/// A ratio of two weights: `a/b`. A name may contain a slash.
pub(super) fn ratio(text: &str, features: &Features) -> Result<(usize, usize), Fault> {
    let cuts = text.char_indices().filter(|(_, letter)| *letter == '/').map(|(place, _)| place);
    let found = cuts.into_iter().find_map(|cut| {
        let pair = (feature(text[..cut].trim(), features), feature(text[cut + 1..].trim(), features));
        if let (Ok(above), Ok(below)) = pair { Some((above, below)) } else { None }
    });
    match (found, text.split_once('/')) {
        (Some(pair), _) => Ok(pair),
        (None, Some((above, below))) => Ok((feature(above.trim(), features)?, feature(below.trim(), features)?)),
        (None, None) => Err(Fault::Request(format!("{text:?} is not a ratio of two weights: give it as time/price"))),
    }
}

/// An outcome as it is asked for, such as `visits:3`.
pub(super) fn outcome(text: &str, features: &Features) -> Result<Outcome, Fault> {
    let wrong = || {
        Fault::Request(format!(
            "{text:?} is not an outcome: it must be length, length-variance, reward, logsum, visits:S, end:S, \
             transition:S,A,S, feature:NAME or surplus:NAME"
        ))
    };
    let (kind, of) = text.split_once(':').unwrap_or((text, ""));
    let state = || of.trim().parse().map_err(|_| wrong());
    Ok(match (kind, of) {
        ("length", "") => Outcome::Length,
        ("length-variance", "") => Outcome::LengthVariance,
        ("reward", "") => Outcome::Reward,
        ("logsum", "") => Outcome::Logsum,
        ("visits", _) => Outcome::Visits(state()?),
        ("end", _) => Outcome::End(state()?),
        ("transition", _) => {
            let numbers: Vec<usize> = of.split(',').filter_map(|number| number.trim().parse().ok()).collect();
            Outcome::Transition(<[usize; 3]>::try_from(numbers).map_err(|_| wrong())?)
        }
        ("feature", _) => Outcome::Feature(feature(of, features)?),
        ("surplus", _) => Outcome::Surplus(feature(of, features)?),
        _ => return Err(wrong()),
    })
}

/// The same, as it is written.
pub(super) fn of_outcome(outcome: Outcome, features: &Features) -> String {
    match outcome {
        Outcome::Visits(state) => format!("visits:{state}"),
        Outcome::Transition([from, action, to]) => format!("transition:{from},{action},{to}"),
        Outcome::Length => "length".to_string(),
        Outcome::LengthVariance => "length-variance".to_string(),
        Outcome::End(state) => format!("end:{state}"),
        Outcome::Feature(k) => format!("feature:{}", short(k, features)),
        Outcome::Reward => "reward".to_string(),
        Outcome::Logsum => "logsum".to_string(),
        Outcome::Surplus(k) => format!("surplus:{}", short(k, features)),
    }
}

/// The name of a feature, or its number alone.
pub(super) fn short(k: usize, features: &Features) -> String {
    features.names().get(k).cloned().unwrap_or_else(|| k.to_string())
}
