//! One part of the evidence, and all parts that are in this process.

use crate::Error;
use crate::engine::Horizon;
use crate::learning::evidence::PartialEvidence;
use crate::learning::identify::changes_nothing;
use crate::learning::objective::Objective;
use crate::learning::parts::{Answer, Asked, Parts, Question, Scores};
use crate::learning::{Census, Evidence, MaxEnt};
use crate::model::{Options, RouteChoice};
use crate::numeric::threads::Threads;
use crate::numeric::vector::minus;
use crate::numeric::{Work, parallel};
use crate::watch::Watch;

/// One part of the evidence, which answers the questions of a search. Its likelihood is prepared at the first question
/// that needs it.
#[derive(Debug)]
pub struct Part<'a> {
    settings: MaxEnt,
    world: usize,
    material: Material<'a>,
    /// The horizon that it was prepared for, and the objective.
    prepared: Option<(Horizon, Objective<'a>)>,
}

/// What was seen.
#[derive(Debug, Clone, Copy)]
enum Material<'a> {
    Whole(Evidence<'a>),
    Partial(PartialEvidence<'a>),
}

impl<'a> Part<'a> {
    /// Of this world. Of the settings it uses `method` and `options`.
    pub fn new(settings: &MaxEnt, world: usize, evidence: Evidence<'a>) -> Part<'a> {
        Part { settings: settings.clone(), world, material: Material::Whole(evidence), prepared: None }
    }

    /// The same with demonstrations that were seen in part.
    pub(crate) fn partial(settings: &MaxEnt, evidence: PartialEvidence<'a>) -> Part<'a> {
        Part { settings: settings.clone(), world: 0, material: Material::Partial(evidence), prepared: None }
    }

    /// Prepares the likelihood, and reports it to `watch`. `longest` is that of all parts.
    ///
    /// # Errors
    /// If the demonstrations do not fit the model, or the work is stopped.
    pub fn prepare(&mut self, longest: usize, watch: &Watch<'_>) -> Result<(), Error> {
        let horizon = self.settings.method.horizon(self.settings.options.horizon, longest)?;
        if self.prepared.as_ref().is_none_or(|(known, _)| *known != horizon) {
            self.prepared = None;
            let objective = match &self.material {
                Material::Whole(evidence) => Objective::new(&self.settings, evidence, longest, watch)?,
                Material::Partial(evidence) => Objective::partial(&self.settings, evidence, watch)?,
            };
            self.prepared = Some((horizon, objective));
        }
        Ok(())
    }

    fn objective(&mut self, longest: usize) -> Result<&mut Objective<'a>, Error> {
        self.prepare(longest, &Watch::none())?;
        let (_, objective) = self.prepared.as_mut().expect("it was prepared");
        Ok(objective)
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// As [`Likelihood::evaluate`](crate::Likelihood::evaluate), and if the demonstrations do not fit the model.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, Error> {
        let longest = question.longest;
        let Evidence { mdp, features, demos } = match self.material {
            Material::Whole(evidence) => evidence,
            Material::Partial(evidence) => return self.answer_in_part(question, &evidence),
        };
        Ok(match &question.asked {
            Asked::Census => {
                Answer::Census(Box::new(Census::new(self.world, &Evidence { mdp, features, demos }, self.settings.method)?))
            }
            Asked::Objective(theta) => Answer::Point(self.objective(longest)?.evaluate(theta)?),
            Asked::Sample(theta) => Answer::Point(self.objective(longest)?.evaluate_sample(theta)?),
            Asked::HasSums(theta) => Answer::Flag(self.objective(longest)?.has_sums(theta)),
            Asked::Scores(theta, cluster) => {
                let labels = cluster.labels(self.world, demos)?;
                let rows = self.scores(longest, &Evidence { mdp, features, demos }, theta)?;
                Answer::Scores(Scores { weights: demos.weights().to_vec(), labels, rows })
            }
            Asked::ChangesRewards(terms) => Answer::Flag(!changes_nothing(features, terms)),
            Asked::Lengths(theta) => {
                let work = &self.settings.options.work;
                Answer::Lengths(RouteChoice::new(mdp, features, demos, work)?.lengths(theta)?)
            }
        })
    }

    /// The same where demonstrations were seen in part.
    fn answer_in_part(&mut self, question: &Question, evidence: &PartialEvidence<'_>) -> Result<Answer, Error> {
        let PartialEvidence { features, demos, .. } = *evidence;
        let longest = question.longest.max(demos.longest());
        Ok(match &question.asked {
            Asked::Census => {
                let summary = self.objective(longest)?.summary()?;
                Answer::Census(Box::new(Census::partial(evidence, summary)))
            }
            Asked::Objective(theta) | Asked::Sample(theta) => Answer::Point(self.objective(longest)?.evaluate(theta)?),
            Asked::HasSums(theta) => Answer::Flag(self.objective(longest)?.has_sums(theta)),
            Asked::Scores(theta, cluster) => {
                let labels = cluster.labels_in_part(demos)?;
                let rows = self.objective(longest)?.scores_in_part(theta)?;
                Answer::Scores(Scores { weights: demos.weights().to_vec(), labels, rows })
            }
            Asked::ChangesRewards(terms) => Answer::Flag(!changes_nothing(features, terms)),
            Asked::Lengths(_) => {
                let rule = "the lengths of unseen stretches are not known";
                return Err(Error::NeedsWhole { what: "a comparison of lengths", rule });
            }
        })
    }

    /// The gradient of log p(τ) of each demonstration.
    fn scores(&mut self, longest: usize, evidence: &Evidence<'_>, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let objective = self.objective(longest)?;
        let mut rows = objective.scores(evidence, theta)?;
        if objective.scores_lack_expectation() {
            let gradient = objective.evaluate(theta)?.gradient;
            let expected = minus(objective.observed(), &gradient);
            rows.iter_mut().for_each(|row| *row = minus(row, &expected));
        }
        Ok(rows)
    }
}

/// All evidence in this process.
#[derive(Debug)]
pub(crate) struct LocalParts<'a> {
    parts: Vec<Part<'a>>,
    /// The threads that the worlds are shared among; `None` if each world has all of them.
    threads: Option<Threads>,
}

impl<'a> LocalParts<'a> {
    /// A part for each world, prepared.
    pub fn new(settings: &MaxEnt, worlds: &[Evidence<'a>], watch: &Watch<'_>) -> Result<LocalParts<'a>, Error> {
        let longest = worlds.iter().map(|world| world.demos.longest()).max().unwrap_or(0);
        let Work { threads, memory } = settings.options.work;
        // With many worlds, each is one piece of work. With few, each is worked on by all threads.
        let cores = threads.unwrap_or_else(parallel::cores);
        let shared = worlds.len() >= 2 * cores && cores > 1;
        // The arrays of all worlds are kept at the same time.
        let memory = memory / worlds.len().max(1);
        let work = Work { threads: if shared { Some(1) } else { threads }, memory };
        let settings = MaxEnt { options: Options { work, ..settings.options.clone() }, ..settings.clone() };
        let mut parts = Vec::new();
        for (world, evidence) in worlds.iter().enumerate() {
            let mut part = Part::new(&settings, world, *evidence);
            part.prepare(longest, watch).map_err(|error| named(error, world, worlds.len()))?;
            parts.push(part);
        }
        let threads = if shared { Some(Threads::new(threads)?) } else { None };
        Ok(LocalParts { parts, threads })
    }

    /// One world with demonstrations that were seen in part, prepared.
    pub fn partial(settings: &MaxEnt, evidence: PartialEvidence<'a>, watch: &Watch<'_>) -> Result<LocalParts<'a>, Error> {
        let mut part = Part::partial(settings, evidence);
        part.prepare(evidence.demos.longest(), watch)?;
        Ok(LocalParts { parts: vec![part], threads: None })
    }
}

impl Parts for LocalParts<'_> {
    fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, Error> {
        let (threads, several) = (&self.threads, self.parts.len());
        let answers: Vec<Result<Answer, Error>> = match threads {
            None => self.parts.iter_mut().map(|part| part.answer(question)).collect(),
            Some(threads) => {
                let parts = &mut self.parts;
                threads.run(|| parallel::map(parts.iter_mut(), |part| part.answer(question)))
            }
        };
        let one = |(world, answer): (usize, Result<Answer, Error>)| answer.map_err(|error| named(error, world, several));
        answers.into_iter().enumerate().map(one).collect()
    }
}

/// Among several worlds, the error says which one has it.
fn named(error: Error, world: usize, worlds: usize) -> Error {
    if worlds > 1 { error.in_part(world) } else { error }
}
