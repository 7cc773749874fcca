//! Maximum causal entropy: the agent chooses its actions, and chance decides their outcomes.
//!
//! With stop_t(s) = 1 where an episode may end at t, and 0 elsewhere:
//!
//! ```text
//! V_t(s)   = R(s) + W_t(s)                W_t(s) = log(stop_t(s) + Σ_a π0(a|s) e^{Q_t(s,a)})
//! Q_t(s,a) = Σ_s' T(s'|s,a) (R(s,a) + R(s,a,s') + γ V_{t+1}(s'))
//! π_t(a|s) = π0(a|s) e^{Q_t(s,a) - W_t(s)}                  σ_t(s) = stop_t(s) e^{-W_t(s)}
//! p(τ)     = p0(s_1) Π_t π_t(a_t|s_t) T(s_{t+1}|s_t,a_t) · σ_l(s_l)
//! ```
//!
//! (Ziebart's thesis, 2010, chapters 5 and 9; in econometrics the dynamic discrete choice model of Rust, 1987.) The path
//! model differs in one respect: there e^R also tilts T and p0, as if the agent could choose its luck. If the world is
//! deterministic, γ = 1 and the first state is given, the two models are the same. A reference policy π0 works as in
//! the path model. A state from which the agent cannot make sure that an episode ends as it should has V = -∞, and no
//! action may lead there.
//!
//! It uses `engine` and the modules before it. Begin with `finite.rs`.

pub(crate) mod chain;
mod certain;
pub(crate) mod digits;
mod finite;
mod kernel;
mod layout;
mod linear;
pub(crate) mod passes;
pub(crate) mod possible;
mod recursion;
mod stationary;
mod successors;
