//! `--inference`: which expectations are matched with the demonstrations.

use clap::builder::TypedValueParser;
use revealed::Method;

use super::choice::choice;

/// Parses `--inference`.
pub fn inference() -> impl TypedValueParser<Value = Method> {
    choice(&Method::ALL, Method::name, |method| match method {
        Method::Exact => "Exact expectations of the MaxEnt model (the paper)",
        Method::Ziebart2008 => "Ziebart et al. 2008, Algorithm 1, as printed; a baseline",
        Method::Ziebart2010 => "Its revision of 2010, as printed; a baseline",
        Method::CausalEntropy => "Maximum causal entropy (Ziebart 2010), which is a different model; --ends is horizon",
        Method::RecursiveLogit => {
            "Exact, for paths of any length between each demonstration's own ends (recursive logit); --ends is goal"
        }
    })
}
