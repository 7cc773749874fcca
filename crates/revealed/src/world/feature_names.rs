//! The names of features.

use std::collections::HashMap;

use crate::{Error, shown};

/// Rejects an empty name, and a name that two features have: answers that are told apart by names would not say which
/// feature they are about.
///
/// # Errors
/// [`Error::NoName`] or [`Error::NameTwice`], of the first such feature.
pub fn check_names(names: &[String]) -> Result<(), Error> {
    let mut known = HashMap::with_capacity(names.len());
    for (feature, name) in names.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(Error::NoName { feature });
        }
        if let Some(first) = known.insert(name.as_str(), feature) {
            return Err(Error::NameTwice { name: shown(name).into_owned(), features: [first, feature] });
        }
    }
    Ok(())
}

/// The name of one parameter as texts show it (see [`shown`]), or its number if there are no names.
pub(crate) fn name_of(names: &[String], feature: usize) -> String {
    names.get(feature).map_or(format!("feature {feature}"), |name| shown(name).into_owned())
}
