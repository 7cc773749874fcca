//! Options that take one of a few values: the values of an enum of the core, by their names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of these values. `--help` lists their names, each with its help.
pub fn choice<T>(
    values: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let listed = values.iter().map(move |&value| PossibleValue::new(name(value)).help(help(value)));
    PossibleValuesParser::new(listed).map(move |given| {
        let chosen = values.iter().copied().find(|&value| name(value) == given);
        chosen.expect("the names that are listed are those of the values")
    })
}
