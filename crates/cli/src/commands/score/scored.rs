//! Demonstrations with their scores, as text and as JSON.

use std::fmt::Write;

use revealed::{
    Aspect, Chance, DemonstrationFault, Demonstrations, Ends, Event, Factor, Horizon, Score, ScoreParts, Surprise, shown,
};
use revealed_formats::{Layout, Problem};
use serde_json::{Value, json};

use crate::args::horizon::in_json;
use crate::terminal::grid;

/// How many surprises of a demonstration are named in JSON.
const SURPRISES: usize = 3;

/// The log-likelihood of all that have one.
struct Together {
    mean: f64,
    total: f64,
    perplexity: f64,
    /// Means of a demonstration.
    parts: ScoreParts,
}

/// The demonstrations and what was found.
pub struct Scored<'a> {
    pub problem: &'a Problem,
    pub demos: &'a Demonstrations,
    pub answers: &'a [Result<Score, DemonstrationFault>],
    pub chance: Chance,
}

impl Scored<'_> {
    /// One JSON object.
    pub fn json(&self, horizon: Horizon, ends: Ends) -> Value {
        let together = self.together();
        json!({
            "log_likelihood": together.as_ref().map(|together| together.mean),
            "total_log_likelihood": together.as_ref().map(|together| together.total),
            "perplexity_per_step": together.as_ref().map(|together| together.perplexity),
            "parts": together.as_ref().map(|together| parts_json(&together.parts)),
            "n_demonstrations": self.demos.len(),
            "n_scored": self.all().count(),
            "horizon": in_json(horizon),
            "ends": ends.name(),
            "demonstrations": (0..self.demos.len()).map(|index| self.in_short(index)).collect::<Vec<_>>(),
        })
    }

    /// Text, with the `worst` demonstrations.
    pub fn words(&self, horizon: Horizon, ends: Ends, worst: usize) -> String {
        let mut words = String::new();
        if let Some(Together { mean, total, perplexity, .. }) = self.together() {
            let n = self.all().count();
            let _ = writeln!(words, "log-likelihood  {mean:.8} (mean of {n} demonstrations), {total:.8} (total)");
            let _ = writeln!(
                words,
                "perplexity      {perplexity:.4} per step: as uncertain as a uniform choice among as many options"
            );
        }
        self.luck(&mut words);
        let _ = writeln!(words, "horizon         {horizon}, ends {}", ends.name());
        self.faults(&mut words, worst);
        self.worst(&mut words, worst);
        if let Some(Layout::Grid { columns, .. }) = self.problem.layout {
            words += &self.picture(columns);
        }
        words
    }

    /// Those that are paths of the model.
    fn all(&self) -> impl Iterator<Item = (usize, &Score)> {
        self.answers.iter().enumerate().filter_map(|(index, answer)| Some((index, answer.as_ref().ok()?)))
    }

    fn together(&self) -> Option<Together> {
        let sum = |value: &dyn Fn(&Score) -> f64| -> f64 {
            self.all().map(|(index, score)| self.demos.weight(index) * value(score)).sum()
        };
        let [weight, total, steps] = [sum(&|_| 1.0), sum(&|score| score.log_likelihood), sum(&|score| score.length() as f64)];
        let mut parts = ScoreParts::default();
        for (index, score) in self.all() {
            let share = self.demos.weight(index) / weight;
            parts.add(share, &ScoreParts::new(&self.problem.mdp, self.demos, index, score));
        }
        (weight > 0.0).then(|| Together { mean: total / weight, total, perplexity: (-total / steps).exp(), parts })
    }

    /// The parts of the log-likelihood, and how much of it is luck, if the world has chance.
    fn luck(&self, words: &mut String) {
        let Some(Together { parts, .. }) = self.together().filter(|together| together.parts.chance < 0.0) else { return };
        let ScoreParts { start, choices, outcomes, stop, chance } = parts;
        let _ = writeln!(
            words,
            "of which        choices {choices:.4}, outcomes {outcomes:.4}, start {start:.4}, end {stop:.4} (means)"
        );
        if self.chance == Chance::Fixed {
            return;
        }
        let _ = writeln!(
            words,
            "luck            {:.4}: the outcomes are that much likelier in the model than in the world ({chance:.4}); a \
             causal model (--inference causal) does not change them",
            parts.luck()
        );
    }

    fn name(&self, index: usize) -> String {
        self.demos.id(index).map_or(format!("demonstration {index}"), |id| format!("demonstration {index} (id {})", shown(id)))
    }

    /// What the model thinks impossible, and why.
    fn faults(&self, words: &mut String, most: usize) {
        let faults: Vec<_> = self.answers.iter().enumerate().filter_map(|row| Some((row.0, row.1.as_ref().err()?))).collect();
        if faults.is_empty() {
            return;
        }
        let _ = writeln!(words, "{} of {} are not paths of this model (log-likelihood -inf)", faults.len(), self.demos.len());
        for (index, fault) in faults.iter().take(most) {
            let _ = writeln!(words, "  {}: {fault}", self.name(*index));
        }
    }

    /// The least likely by the step, with the place that surprises most.
    fn worst(&self, words: &mut String, most: usize) {
        let mut order: Vec<(usize, &Score)> = self.all().collect();
        order.sort_by(|one, other| one.1.per_step().total_cmp(&other.1.per_step()));
        order.truncate(most);
        if !order.is_empty() {
            let _ = writeln!(words, "the least likely, by the log-likelihood per step");
        }
        for (index, score) in order {
            let (length, log_likelihood, per_step) = (score.length(), score.log_likelihood, score.per_step());
            let name = self.name(index);
            let _ = writeln!(words, "  {per_step:>9.4} per step, {log_likelihood:.4} for {length} states: {name}");
            for surprise in score.surprises(1) {
                let _ = writeln!(words, "            {}", self.sentence(index, surprise));
            }
        }
    }

    /// The state at time t.
    fn state(&self, index: usize, t: usize) -> usize {
        self.demos.states(index)[t - 1] as usize
    }

    fn action(&self, index: usize, t: usize) -> usize {
        let mdp = &self.problem.mdp;
        mdp.action_of(mdp.choice_of()[self.demos.transitions(index)[t - 1] as usize] as usize)
    }

    fn sentence(&self, index: usize, Surprise { t, aspect, factor }: Surprise) -> String {
        let Factor { log_probability, likeliest, likeliest_log_probability } = factor;
        let [p, most] = [log_probability, likeliest_log_probability].map(probability);
        let state = self.state(index, t);
        let happened = match aspect {
            Aspect::Start => format!("it begins in state {state}"),
            Aspect::Choice => format!("step {t}: in state {state} it took action {}", self.action(index, t)),
            Aspect::Outcome => {
                let (action, to) = (self.action(index, t), self.state(index, t + 1));
                format!("step {t}: action {action} in state {state} led to state {to}")
            }
            Aspect::Stop => format!("step {t}: in state {state} it ended"),
        };
        let expected = match likeliest {
            Event::State(state) => format!("state {state}"),
            Event::Action(action) => format!("action {action}"),
            Event::Stop => "the end".to_string(),
        };
        format!("{happened} (p = {p}), expected {expected} (p = {most})")
    }

    fn in_short(&self, index: usize) -> Value {
        let mut json = json!({
            "index": index,
            "id": self.demos.id(index),
            "weight": self.demos.weight(index),
            "length": self.demos.states(index).len(),
        });
        match &self.answers[index] {
            Ok(score) => {
                json["log_likelihood"] = json!(score.log_likelihood);
                json["per_step"] = json!(score.per_step());
                let surprises = score.surprises(SURPRISES).into_iter().map(|surprise| self.surprise(index, surprise));
                json["surprises"] = surprises.collect();
            }
            Err(fault) => {
                json["log_likelihood"] = Value::Null;
                json["impossible_because"] = json!(fault.to_string());
            }
        }
        json
    }

    fn surprise(&self, index: usize, Surprise { t, aspect, factor }: Surprise) -> Value {
        let state = self.state(index, t);
        let happened = match aspect {
            Aspect::Start => Event::State(state),
            Aspect::Choice => Event::Action(self.action(index, t)),
            Aspect::Outcome => Event::State(self.state(index, t + 1)),
            Aspect::Stop => Event::Stop,
        };
        let mut json = of_factor(factor);
        json["t"] = json!(t);
        json["kind"] = json!(aspect.name());
        json["state"] = json!(state);
        json["happened"] = of_event(happened);
        json
    }

    /// Everything that is known of one demonstration.
    pub fn every_step(&self, index: usize) -> Value {
        let mut json = self.in_short(index);
        if let Ok(score) = &self.answers[index] {
            let step = |t: usize| {
                json!({
                    "t": t,
                    "state": self.state(index, t),
                    "action": self.action(index, t),
                    "to": self.state(index, t + 1),
                    "choice": of_factor(score.steps[t - 1].choice),
                    "outcome": of_factor(score.steps[t - 1].outcome),
                })
            };
            json["start"] = of_factor(score.start);
            json["steps"] = (1..score.length()).map(step).collect();
            json["stop"] = of_factor(score.stop);
        }
        json
    }

    /// How much what was done in each state surprises the model, on the average.
    fn picture(&self, columns: usize) -> String {
        let mut sums = vec![(0.0, 0.0); self.problem.mdp.n_states()];
        for (index, score) in self.all() {
            let of_person = score.factors().filter(|factor| matches!(factor.aspect, Aspect::Choice | Aspect::Stop));
            for Surprise { t, factor, .. } in of_person {
                let sum = &mut sums[self.state(index, t)];
                sum.0 -= self.demos.weight(index) * factor.log_probability;
                sum.1 += self.demos.weight(index);
            }
        }
        let values: Vec<Option<f64>> = sums.into_iter().map(|(sum, visits)| (visits > 0.0).then(|| sum / visits)).collect();
        let title = "mean surprise, -log p, of the steps in each state (empty: never visited)";
        grid::single(title, columns, &values)
    }
}

fn of_event(event: Event) -> Value {
    match event {
        Event::State(state) => json!({ "state": state }),
        Event::Action(action) => json!({ "action": action }),
        Event::Stop => json!("stop"),
    }
}

fn of_factor(factor: Factor) -> Value {
    json!({
        "log_probability": factor.log_probability,
        "likeliest": of_event(factor.likeliest),
        "likeliest_log_probability": factor.likeliest_log_probability,
    })
}

/// A probability with digits enough to tell it from 0.
pub fn probability(log_probability: f64) -> String {
    let p = log_probability.exp();
    match p {
        0.0 => format!("e^{log_probability:.1}"),
        p if p < 1e-3 => format!("{p:.1e}"),
        p => format!("{p:.3}"),
    }
}

/// The parts of a log-likelihood.
fn parts_json(parts: &ScoreParts) -> Value {
    json!({
        "start": parts.start, "choices": parts.choices, "outcomes": parts.outcomes, "stop": parts.stop,
        "chance": parts.chance, "luck": parts.luck(),
    })
}
