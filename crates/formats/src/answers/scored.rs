//! Demonstrations with their scores, as `revealed score` lists them.

use revealed::{Aspect, DemonstrationFault, Demonstrations, Ends, Event, Factor, Horizon, Mdp, Score, ScoreParts, Surprise};
use serde_json::{Value, json};

use super::horizon_json;

/// How many surprises of a demonstration are named.
const SURPRISES: usize = 3;

/// The log-likelihood of all that have one.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanScore {
    /// The mean of a demonstration.
    pub mean: f64,
    /// The sum over all.
    pub total: f64,
    /// Of a step: as uncertain as a uniform choice among as many options.
    pub perplexity: f64,
    /// Means of a demonstration.
    pub parts: ScoreParts,
}

/// The demonstrations and what was found.
#[derive(Debug, Clone, Copy)]
pub struct ScoredDemonstrations<'a> {
    /// The world.
    pub mdp: &'a Mdp,
    /// What was seen in it.
    pub demos: &'a Demonstrations,
    /// The score of each.
    pub answers: &'a [Result<Score, DemonstrationFault>],
}

impl ScoredDemonstrations<'_> {
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
            "horizon": horizon_json(horizon),
            "ends": ends.name(),
            "demonstrations": (0..self.demos.len()).map(|index| self.in_short(index)).collect::<Vec<_>>(),
        })
    }

    /// Those that are paths of the model.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Score)> {
        self.answers.iter().enumerate().filter_map(|(index, answer)| Some((index, answer.as_ref().ok()?)))
    }

    /// The means over them; `None` if there are none.
    pub fn together(&self) -> Option<MeanScore> {
        let sum = |value: &dyn Fn(&Score) -> f64| -> f64 {
            self.all().map(|(index, score)| self.demos.weight(index) * value(score)).sum()
        };
        let [weight, total, steps] = [sum(&|_| 1.0), sum(&|score| score.log_likelihood), sum(&|score| score.length() as f64)];
        let mut parts = ScoreParts::default();
        for (index, score) in self.all() {
            let share = self.demos.weight(index) / weight;
            parts.add(share, &ScoreParts::new(self.mdp, self.demos, index, score));
        }
        (weight > 0.0).then(|| MeanScore { mean: total / weight, total, perplexity: (-total / steps).exp(), parts })
    }

    /// The state of a demonstration at time t.
    pub fn state(&self, index: usize, t: usize) -> usize {
        self.demos.states(index)[t - 1] as usize
    }

    /// The action that a demonstration takes at time t.
    pub fn action(&self, index: usize, t: usize) -> usize {
        self.mdp.action_of(self.mdp.choice_of()[self.demos.transitions(index)[t - 1] as usize] as usize)
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

/// The parts of a log-likelihood.
fn parts_json(parts: &ScoreParts) -> Value {
    json!({
        "start": parts.start, "choices": parts.choices, "outcomes": parts.outcomes, "stop": parts.stop,
        "chance": parts.chance, "luck": parts.luck(),
    })
}
