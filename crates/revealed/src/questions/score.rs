//! log p(τ) of one demonstration, factor by factor: it shows where the demonstration surprises the model most.

mod route_scores;
mod score_parts;
mod scoring;

pub use self::route_scores::route_scores;
pub use self::score_parts::ScoreParts;
pub use self::scoring::scores;

use crate::numeric::scaled::Scaled;

/// An event on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The path begins in this state, or moves to it.
    State(usize),
    /// This action is taken.
    Action(usize),
    /// The path ends.
    Stop,
}

/// One factor of p(τ): the probability of what happened, and the likeliest alternative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The log-probability of what happened.
    pub log_probability: f64,
    /// The likeliest event. Among equally likely events, the action or state with the lowest number, and an action
    /// before the end.
    pub likeliest: Event,
    /// The log-probability of the likeliest event.
    pub likeliest_log_probability: f64,
}

impl Factor {
    /// An event of probability 1.
    fn certain(event: Event) -> Factor {
        Factor { log_probability: 0.0, likeliest: event, likeliest_log_probability: 0.0 }
    }

    /// The factor of the event that happened, among events with these weights.
    pub(crate) fn of(options: &[(Event, Scaled)], happened: Event) -> Factor {
        let total: Scaled = options.iter().map(|option| option.1).sum();
        // Nothing is possible in a state that no path of the model can be in.
        if total.is_zero() {
            let never = f64::NEG_INFINITY;
            return Factor { log_probability: never, likeliest: happened, likeliest_log_probability: never };
        }
        // Rounding may give a certain event a probability slightly above 1.
        let log_share = |weight: Scaled| (weight / total).ln().min(0.0);
        let mut likeliest = options[0];
        for &option in &options[1..] {
            let (size, most) = (option.1, likeliest.1);
            if (size.exponent, size.mantissa) > (most.exponent, most.mantissa) {
                likeliest = option;
            }
        }
        let weight = options.iter().find(|option| option.0 == happened).map_or(Scaled::ZERO, |option| option.1);
        Factor { log_probability: log_share(weight), likeliest: likeliest.0, likeliest_log_probability: log_share(likeliest.1) }
    }
}

/// A step from s_t to s_{t+1}.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredStep {
    /// log π_t(a|s): the choice among the actions and the end of the path.
    pub choice: Factor,
    /// log p(s'|s, a, t): the outcome of the action. The reward changes the probabilities of outcomes, too, so this is
    /// not T(s'|s, a).
    pub outcome: Factor,
}

/// What a factor of p(τ) describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// Where the path begins.
    Start,
    /// Which action was taken.
    Choice,
    /// Where the action led.
    Outcome,
    /// That the path ended.
    Stop,
}

impl Aspect {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Aspect::Start => "start",
            Aspect::Choice => "choice",
            Aspect::Outcome => "outcome",
            Aspect::Stop => "stop",
        }
    }
}

/// A factor of p(τ) and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surprise {
    /// The time, from 1.
    pub t: usize,
    /// What the factor describes.
    pub aspect: Aspect,
    /// Its probability, and the likeliest event.
    pub factor: Factor,
}

/// log p(τ) of one demonstration and the factors that it is the sum of (eq:maxent-dist, by the chain rule):
///
/// ```text
/// log p(τ) = log p(s_1) + Σ_t [ log π_t(a_t|s_t) + log p(s_{t+1}|s_t,a_t,t) ] + log p(stop|s_l,l)
/// π_t(a|s) p(s'|s,a,t) = m_t(s,a,s') e^{γ^t R(s')} b_{t+1}(s') / b_t(s)         p(stop|s,t) = stop_t(s) / b_t(s)
/// ```
///
/// With [`Ends::Goal`](crate::Ends::Goal) all factors are conditioned on the first and the last state, and the first
/// factor is 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// log p(τ): the sum of all factors.
    pub log_likelihood: f64,
    /// log p(s_1).
    pub start: Factor,
    /// The steps from s_1, …, s_{l-1}.
    pub steps: Vec<ScoredStep>,
    /// log p(stop|s_l, l).
    pub stop: Factor,
}

impl Score {
    /// l: the number of states.
    pub fn length(&self) -> usize {
        self.steps.len() + 1
    }

    /// log p(τ) / l: the mean log-probability per state. (In the last state the event is to stop.)
    pub fn per_step(&self) -> f64 {
        self.log_likelihood / self.length() as f64
    }

    /// Every factor, in the order of time.
    pub fn factors(&self) -> impl Iterator<Item = Surprise> + '_ {
        let factor = |t, aspect, factor| Surprise { t, aspect, factor };
        let steps = self.steps.iter().enumerate().flat_map(move |(before, step)| {
            [factor(before + 1, Aspect::Choice, step.choice), factor(before + 1, Aspect::Outcome, step.outcome)]
        });
        let last = factor(self.length(), Aspect::Stop, self.stop);
        std::iter::once(factor(1, Aspect::Start, self.start)).chain(steps).chain([last])
    }

    /// The `n` least likely factors, the least likely first. Factors of probability 1 are not included.
    pub fn surprises(&self, n: usize) -> Vec<Surprise> {
        let mut surprises: Vec<Surprise> = self.factors().filter(|surprise| surprise.factor.log_probability < 0.0).collect();
        surprises.sort_by(|one, other| one.factor.log_probability.total_cmp(&other.factor.log_probability));
        surprises.truncate(n);
        surprises
    }

    /// The first step of a factor that is impossible, counted from 0.
    pub(crate) fn impossible_step(&self) -> Option<usize> {
        self.factors().find(|surprise| surprise.factor.log_probability == f64::NEG_INFINITY).map(|surprise| surprise.t - 1)
    }

    /// The score before any factor is known. The first state is taken as given, and the end as certain, as it is at
    /// t = L.
    pub(crate) fn starting_in(state: usize) -> Score {
        let (start, stop) = (Factor::certain(Event::State(state)), Factor::certain(Event::Stop));
        Score { log_likelihood: 0.0, start, steps: Vec::new(), stop }
    }
}
