//! What a page of a model shows.

use std::collections::BTreeMap;

use revealed::{Demonstrations, Ends, Work};
use revealed_formats::answers::{Question, Session};
use revealed_formats::{Fault, Model, Problem, demonstrations};
use revealed_roads::Roads;
use serde_json::{Value, json};

use crate::html;
use crate::shapes::shapes;

/// Pages of larger worlds do not contain the engine: in a browser, answers would take too long.
pub const MOST_TRANSITIONS: usize = 20_000;
/// The same for larger demonstrations, in bytes.
const MOST_BYTES: usize = 4_000_000;
/// So many of the least likely demonstrations are listed, and so many shown step by step.
const LISTED: usize = 2_000;
const STEP_BY_STEP: usize = 5;
/// Standard errors of more weights than these take long: a model has them if they were asked for.
const MOST_WEIGHTS: usize = 300;

/// Where the parts of a report come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// What the page is about, in a few words.
    pub title: String,
    /// The names of the files: problem, model and demonstrations.
    pub problem: Option<String>,
    /// The model file.
    pub model: Option<String>,
    /// The demonstrations.
    pub demos: Option<String>,
    /// The commit that the program was built from.
    pub commit: Option<String>,
}

/// A model, its problem and its demonstrations, as a page.
#[derive(Debug)]
pub struct Report<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The model.
    pub model: &'a Model,
    /// What it was learned from, or other demonstrations that it is to explain.
    pub demos: Option<&'a Demonstrations>,
    /// The roads whose states the problem has.
    pub roads: Option<&'a Roads>,
    /// Where they come from.
    pub origin: Origin,
    /// How the work is done.
    pub work: Work,
}

impl Report<'_> {
    /// The page, as an HTML document.
    ///
    /// # Errors
    /// If θ does not fit the problem. What the model cannot answer is said in the page.
    pub fn html(&self) -> Result<String, Fault> {
        self.problem.features.check_theta(&self.model.theta)?;
        let lines = self.demos.map(|demos| demonstrations::to_lines(&self.problem.mdp, demos));
        let not_alive = self.not_alive(lines.as_deref());
        let ends = self.ends();
        let mut data = json!({
            "format": "revealed-report/1",
            "version": env!("CARGO_PKG_VERSION"),
            "commit": self.origin.commit,
            "title": self.origin.title,
            "files": { "problem": self.origin.problem, "model": self.origin.model, "demonstrations": self.origin.demos },
            "model": self.model,
            "ends": { "from": ends.map(|ends| ends[0]), "to": ends.map(|ends| ends[1]) },
            "shapes": self.roads.map(shapes),
            "answers": self.answers(ends, not_alive.is_none()),
            "not_alive_because": not_alive,
        });
        let is_alive = data["not_alive_because"].is_null();
        if is_alive {
            data["problem"] = self.problem.to_json()?;
            data["demonstrations"] = json!(lines);
        }
        Ok(html::document(&self.origin.title, &data, is_alive))
    }

    fn not_alive(&self, lines: Option<&str>) -> Option<String> {
        let (n, bytes) = (self.problem.mdp.n_transitions(), lines.map_or(0, str::len));
        if n > MOST_TRANSITIONS {
            let most = MOST_TRANSITIONS;
            return Some(format!("the world has {n} transitions, and a page carries the engine for at most {most}"));
        }
        let most = MOST_BYTES / 1_000_000;
        (bytes > MOST_BYTES)
            .then(|| format!("the demonstrations have {bytes} bytes, and a page carries at most {most} million"))
    }

    /// The ends that most demonstrations have, for a model that is one of paths between given ends.
    fn ends(&self) -> Option<[usize; 2]> {
        if self.model.ends != Ends::Goal {
            return None;
        }
        let demos = self.demos?;
        let mut shares: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for index in 0..demos.len() {
            let states = demos.states(index);
            let pair = [states[0], states[states.len() - 1]].map(|state| state as usize);
            *shares.entry(pair).or_insert(0.0) += demos.weight(index);
        }
        // Among equals the first, whatever the order of the demonstrations.
        shares
            .into_iter()
            .fold(None, |best: Option<([usize; 2], f64)>, row| match best {
                Some(best) if best.1 >= row.1 => Some(best),
                _ => Some(row),
            })
            .map(|row| row.0)
    }

    /// Each question with its answer, or with the reason why there is none.
    fn answers(&self, ends: Option<[usize; 2]>, is_alive: bool) -> Vec<Value> {
        let mut session = Session::new(self.problem.clone(), self.model.clone(), self.demos.cloned(), self.work);
        let (from, to) = (ends.map(|ends| ends[0]), ends.map(|ends| ends[1]));
        let mut refused = Vec::new();
        let mut asked = vec![
            json!({ "ask": "world" }),
            json!({ "ask": "reward" }),
            json!({ "ask": "marginals", "t": null, "from": from, "to": to }),
            json!({ "ask": "lengths", "from": from, "to": to }),
        ];
        // For large worlds it is a long list, of which a page can show little.
        if is_alive {
            asked.push(json!({ "ask": "policy", "t": 1, "from": from, "to": to }));
        }
        if self.demos.is_some() {
            asked.extend(["fit", "compared", "scores"].map(|ask| json!({ "ask": ask })));
            // Where the errors need other worlds, or are those of samples, the model says what there is.
            if self.model.summary.is_none() && self.model.worlds.is_none() && self.model.model_free.is_none() {
                let question = json!({ "ask": "summary", "level": 0.95 });
                match self.model.theta.len() {
                    ..=MOST_WEIGHTS => asked.push(question),
                    n => {
                        let why = format!("Standard errors of {n} weights take long: learn with --summary to have them");
                        refused.push(json!({ "question": question, "error": why }));
                    }
                }
            }
        }
        let mut answers: Vec<Value> = asked.into_iter().map(|question| answered(&mut session, question)).collect();
        answers.extend(refused);
        let worst = worst_first(&mut answers);
        answers
            .extend(worst.into_iter().map(|index| answered(&mut session, json!({ "ask": "steps", "demonstration": index }))));
        if !is_alive {
            answers
                .iter_mut()
                .filter(|row| row["question"]["ask"] == "world")
                .for_each(|row| row["ok"]["transitions"] = json!([]));
        }
        answers
    }
}

fn answered(session: &mut Session, question: Value) -> Value {
    let answer = serde_json::from_value::<Question>(question.clone())
        .map_err(|error| Fault::Request(error.to_string()))
        .and_then(|question| session.answer(question));
    match answer {
        Ok(answer) => json!({ "question": question, "ok": answer }),
        Err(fault) => json!({ "question": question, "error": fault.to_string() }),
    }
}

/// Sorts the scores by the log-likelihood per step, the impossible first, keeps some, and names those that come first.
fn worst_first(answers: &mut [Value]) -> Vec<usize> {
    let scores = answers.iter_mut().find(|row| row["question"]["ask"] == "scores");
    let Some(Value::Array(rows)) = scores.and_then(|row| row.get_mut("ok")?.get_mut("demonstrations")) else {
        return Vec::new();
    };
    let per_step = |row: &Value| row["per_step"].as_f64().unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|one, other| per_step(one).total_cmp(&per_step(other)));
    rows.truncate(LISTED);
    let possible = rows.iter().filter(|row| !row["per_step"].is_null());
    possible.filter_map(|row| Some(row["index"].as_u64()? as usize)).take(STEP_BY_STEP).collect()
}
