//! Demonstrations with their scores, as text.

use std::fmt::Write;

use revealed::{Aspect, Chance, Ends, Event, Factor, Horizon, Score, ScoreParts, Surprise, shown};
use revealed_formats::answers::{MeanScore, ScoredDemonstrations};
use revealed_formats::{Layout, Problem};

use crate::terminal::grid;

/// The demonstrations and what was found.
pub struct Scored<'a> {
    pub problem: &'a Problem,
    pub scores: ScoredDemonstrations<'a>,
    pub chance: Chance,
}

impl Scored<'_> {
    /// Text, with the `worst` demonstrations.
    pub fn words(&self, horizon: Horizon, ends: Ends, worst: usize) -> String {
        let mut words = String::new();
        if let Some(MeanScore { mean, total, perplexity, .. }) = self.scores.together() {
            let n = self.scores.all().count();
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

    /// The parts of the log-likelihood, and how much of it is luck, if the world has chance.
    fn luck(&self, words: &mut String) {
        let Some(MeanScore { parts, .. }) = self.scores.together().filter(|together| together.parts.chance < 0.0) else {
            return;
        };
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
        self.scores
            .demos
            .id(index)
            .map_or(format!("demonstration {index}"), |id| format!("demonstration {index} (id {})", shown(id)))
    }

    /// What the model thinks impossible, and why.
    fn faults(&self, words: &mut String, most: usize) {
        let faults: Vec<_> =
            self.scores.answers.iter().enumerate().filter_map(|row| Some((row.0, row.1.as_ref().err()?))).collect();
        if faults.is_empty() {
            return;
        }
        let _ = writeln!(
            words,
            "{} of {} are not paths of this model (log-likelihood -inf)",
            faults.len(),
            self.scores.demos.len()
        );
        for (index, fault) in faults.iter().take(most) {
            let _ = writeln!(words, "  {}: {fault}", self.name(*index));
        }
    }

    /// The least likely by the step, with the place that surprises most.
    fn worst(&self, words: &mut String, most: usize) {
        let mut order: Vec<(usize, &Score)> = self.scores.all().collect();
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

    fn sentence(&self, index: usize, Surprise { t, aspect, factor }: Surprise) -> String {
        let Factor { log_probability, likeliest, likeliest_log_probability } = factor;
        let [p, most] = [log_probability, likeliest_log_probability].map(probability);
        let state = self.scores.state(index, t);
        let happened = match aspect {
            Aspect::Start => format!("it begins in state {state}"),
            Aspect::Choice => format!("step {t}: in state {state} it took action {}", self.scores.action(index, t)),
            Aspect::Outcome => {
                let (action, to) = (self.scores.action(index, t), self.scores.state(index, t + 1));
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

    /// How much what was done in each state surprises the model, on the average.
    fn picture(&self, columns: usize) -> String {
        let mut sums = vec![(0.0, 0.0); self.problem.mdp.n_states()];
        for (index, score) in self.scores.all() {
            let of_person = score.factors().filter(|factor| matches!(factor.aspect, Aspect::Choice | Aspect::Stop));
            for Surprise { t, factor, .. } in of_person {
                let sum = &mut sums[self.scores.state(index, t)];
                sum.0 -= self.scores.demos.weight(index) * factor.log_probability;
                sum.1 += self.scores.demos.weight(index);
            }
        }
        let values: Vec<Option<f64>> = sums.into_iter().map(|(sum, visits)| (visits > 0.0).then(|| sum / visits)).collect();
        let title = "mean surprise, -log p, of the steps in each state (empty: never visited)";
        grid::single(title, columns, &values)
    }
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
