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
        Method::Causal => {
            "The causal model, in which chance decides the outcomes: maximum likelihood of the actions (dynamic discrete choice)"
        }
        Method::CausalDual => "The causal model by matching features (Ziebart 2010)",
        Method::RecursiveLogit => {
            "Exact, for paths of any length between each demonstration's own ends (recursive logit); --ends is goal"
        }
    })
}
