//! `--ends`: where a path may end.

use clap::builder::TypedValueParser;
use revealed::Ends;

use super::choice::choice;

/// Parses `--ends`.
pub fn ends() -> impl TypedValueParser<Value = Ends> {
    choice(&Ends::ALL, Ends::name, |ends| match ends {
        Ends::Anywhere => "Every length 1..L, ending in any state (the paper)",
        Ends::Horizon => "Exactly L states, or fewer if a terminal state ends it",
        Ends::Terminal => "In a terminal state within L",
        Ends::Goal => "From a given first state to a given last state, within L; for a demonstration, its own",
    })
}
