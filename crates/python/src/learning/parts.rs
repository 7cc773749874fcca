//! Parts of the evidence: one in this process, and parts that Python has placed elsewhere.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use revealed::{Answer, Error, Evidence, Parts, Question};
use revealed_formats::{answer_line, answer_of_line, question_line, question_of_line};

use super::fit::FitSettings;
use crate::failure::of_json;
use crate::gradients::prepared::locked;
use crate::mdp::demonstrations::Demonstrations;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Count, SearchStep, call_with_count, call_with_step};
use crate::threads::run::{Reporter, run};

type LockedPart<'a> = Mutex<revealed::Part<'a>>;

/// What a part borrows from.
pub struct World {
    pub problem: Arc<revealed_formats::Problem>,
    pub demos: Arc<revealed::Demonstrations>,
}

impl World {
    /// As the engine has it.
    pub fn evidence(&self) -> Evidence<'_> {
        Evidence { mdp: &self.problem.mdp, features: &self.problem.features, demos: &self.demos }
    }
}

self_cell::self_cell!(
    struct OwnedPart {
        owner: World,
        #[not_covariant]
        dependent: LockedPart,
    }
);

/// One part of the evidence, which answers the questions of a search.
#[pyclass(frozen, module = "revealed._native")]
pub struct Part {
    owned: Arc<OwnedPart>,
    world: usize,
    pool: usize,
}

#[pymethods]
impl Part {
    /// The demonstrations of a world, or some of them. `world` is its number. It answers on a pool of `pool` threads, which
    /// all parts share: with one thread each, so many of them answer at the same time.
    #[new]
    fn new(
        problem: &Problem,
        demonstrations: &Demonstrations,
        world: usize,
        settings: FitSettings<'_>,
        pool: usize,
    ) -> PyResult<Self> {
        let search = settings.of_engine()?;
        let owner = World { problem: Arc::clone(&problem.0), demos: Arc::clone(&demonstrations.0) };
        let owned = OwnedPart::new(owner, |owner| Mutex::new(revealed::Part::new(&search, world, owner.evidence())));
        Ok(Part { owned: Arc::new(owned), world, pool })
    }

    /// The answer to a question, both as lines of JSON. An error of the engine is an answer, too.
    fn answer(&self, py: Python<'_>, question: &str) -> PyResult<String> {
        let question = of_json(question_of_line(question))?;
        let (owned, world) = (Arc::clone(&self.owned), self.world);
        run(py, Some(self.pool), move || answer_line(world, owned.with_dependent(|_, part| locked(part).answer(&question))))
    }
}

/// What the engine says to Python during its work: a step, or a question to all parts.
pub enum News {
    Step(SearchStep),
    Count(Count),
    Ask(String, SyncSender<Vec<String>>),
}

impl From<SearchStep> for News {
    fn from(step: SearchStep) -> News {
        News::Step(step)
    }
}

/// Tells Python. `ask` takes a question and returns the answers of all parts.
pub fn tell(py: Python<'_>, callback: &Callback, ask: &Callback, news: News) -> PyResult<bool> {
    match news {
        News::Step(step) => call_with_step(py, callback, step),
        News::Count(count) => call_with_count(py, callback, count),
        News::Ask(question, reply) => {
            let Some(ask) = ask else { return Ok(true) };
            // The engine waits for it, unless it was stopped.
            let _ = reply.send(ask.bind(py).call1((question,))?.extract()?);
            Ok(false)
        }
    }
}

/// Parts that Python has placed.
pub struct PythonParts<'r, T>(pub &'r Reporter<News, T>);

impl<T> Parts for PythonParts<'_, T> {
    fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, Error> {
        let (reply, answers) = sync_channel(1);
        if self.0.tell(News::Ask(question_line(question), reply)).is_break() {
            return Err(Error::Stopped);
        }
        let answers = answers.recv().map_err(|_| Error::Stopped)?;
        answers.iter().map(|answer| answer_of_line(answer)).collect()
    }
}
