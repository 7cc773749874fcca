//! The objective over all parts of the evidence.

use crate::Error;
use crate::engine::Horizon;
use crate::error::PartFault;
use crate::learning::identify::{NullDirection, null_of};
use crate::learning::parts::{Answer, Asked, Parts, Point, Question, Scores};
use crate::learning::{Census, Cluster, MaxEnt};
use crate::model::route_choice::first_costs;
use crate::model::{Chance, Ends, RouteLengths};

/// The evidence as a search sees it: the weighted mean over all demonstrations, whichever part they are in.
pub(crate) struct Whole<'p> {
    parts: &'p mut dyn Parts,
    pub census: Census,
    /// The share of each part in the total weight.
    shares: Vec<f64>,
    pub horizon: Horizon,
    /// Paths of any length between the demonstrations' ends.
    pub routes: bool,
    /// Whether the objective is finite at every θ of moderate size.
    bounded: bool,
    /// The θ that was evaluated last, and the means there.
    last: Option<(Vec<f64>, Point)>,
}

impl<'p> Whole<'p> {
    pub fn new(settings: &MaxEnt, parts: &'p mut dyn Parts) -> Result<Whole<'p>, Error> {
        let census = parts.ask(&Question { longest: 0, asked: Asked::Census })?;
        let each: Vec<Census> = census.into_iter().map(census_of).collect::<Result<_, Error>>()?;
        let census = Census::merged(&each)?;
        let shares = each.iter().map(|part| part.weight / census.weight).collect();
        let horizon = settings.method.horizon(settings.options.horizon, census.longest)?;
        let tilted = settings.method.chance() == Chance::Tilted;
        let routes = horizon == Horizon::Any && settings.options.ends == Ends::Goal && tilted;
        Ok(Whole { parts, census, shares, horizon, routes, bounded: tilted && horizon != Horizon::Any, last: None })
    }

    fn ask(&mut self, asked: Asked) -> Result<Vec<Answer>, Error> {
        let answers = self.parts.ask(&Question { longest: self.census.longest, asked })?;
        match answers.len() == self.shares.len() {
            true => Ok(answers),
            false => Err(unlike(format!("{} parts were asked, and {} answered", self.shares.len(), answers.len()))),
        }
    }

    /// The means over all demonstrations. The end of one step of the work is often the beginning of the next.
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Point, Error> {
        if let Some((_, point)) = self.last.as_ref().filter(|(known, _)| known == theta) {
            return Ok(point.clone());
        }
        let point = self.point(Asked::Objective(theta.to_vec()), theta.len())?;
        self.last = Some((theta.to_vec(), point.clone()));
        Ok(point)
    }

    /// The means over a sample of them.
    pub fn evaluate_sample(&mut self, theta: &[f64]) -> Result<Point, Error> {
        self.point(Asked::Sample(theta.to_vec()), theta.len())
    }

    fn point(&mut self, asked: Asked, n_features: usize) -> Result<Point, Error> {
        let mut points = Vec::new();
        for answer in self.ask(asked)? {
            let Answer::Point(point) = answer else { return Err(unlike("an objective was asked for".to_string())) };
            if point.gradient.len() != n_features {
                return Err(unlike(format!("a gradient has {} entries and theta {}", point.gradient.len(), n_features)));
            }
            points.push(point);
        }
        if points.len() == 1 {
            return points.pop().ok_or(Error::NoDemonstrations);
        }
        let mut mean = Point { objective: 0.0, log_likelihood: 0.0, log_partition: None, gradient: vec![0.0; n_features] };
        for (share, point) in self.shares.iter().zip(points) {
            mean.objective += share * point.objective;
            mean.log_likelihood += share * point.log_likelihood;
            mean.gradient.iter_mut().zip(point.gradient).for_each(|(mean, part)| *mean += share * part);
        }
        Ok(mean)
    }

    /// The default start: 0, except for paths of any length, whose sums need not be finite there.
    pub fn start(&mut self) -> Result<Vec<f64>, Error> {
        let nothing = vec![0.0; self.census.n_features];
        if self.bounded {
            return Ok(nothing);
        }
        if self.routes {
            return match self.first_costs()? {
                Some(start) => Ok(start),
                None => self.evaluate(&nothing).map(|_| nothing),
            };
        }
        match self.evaluate(&nothing) {
            Err(error) if PartFault::of(&error) == PartFault::Unbounded => self.first_costs()?.ok_or(error),
            point => point.map(|_| nothing),
        }
    }

    fn first_costs(&mut self) -> Result<Option<Vec<f64>>, Error> {
        let (places, mut failed) = (self.census.places.clone(), None);
        let start = first_costs(&places, |theta| match self.flags(Asked::HasSums(theta.to_vec())) {
            Ok(finite) => finite.into_iter().all(|finite| finite),
            Err(error) => {
                failed.get_or_insert(error);
                false
            }
        });
        failed.map_or(Ok(start), Err)
    }

    fn flags(&mut self, asked: Asked) -> Result<Vec<bool>, Error> {
        let flag = |answer| match answer {
            Answer::Flag(flag) => Ok(flag),
            _ => Err(unlike("a yes or no was asked for".to_string())),
        };
        self.ask(asked)?.into_iter().map(flag).collect()
    }

    /// Directions of θ that change no reward in any part.
    pub fn null_directions(&mut self) -> Result<Vec<NullDirection>, Error> {
        let Some(gram) = self.census.gram.clone() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for direction in null_of(gram, &self.census.names) {
            if !self.changes_rewards(&direction)? {
                found.push(direction);
            }
        }
        Ok(found)
    }

    /// Whether a direction changes a reward in some part.
    pub fn changes_rewards(&mut self, direction: &NullDirection) -> Result<bool, Error> {
        Ok(self.flags(Asked::ChangesRewards(direction.terms.clone()))?.into_iter().any(|changes| changes))
    }

    /// The scores of all demonstrations.
    pub fn scores(&mut self, theta: &[f64], cluster: &Cluster) -> Result<Scores, Error> {
        let mut all = Scores::default();
        for answer in self.ask(Asked::Scores(theta.to_vec(), cluster.clone()))? {
            let Answer::Scores(part) = answer else { return Err(unlike("scores were asked for".to_string())) };
            all.weights.extend(part.weights);
            all.labels.extend(part.labels);
            all.rows.extend(part.rows);
        }
        match all.weights.len() == all.rows.len() && all.labels.len() == all.rows.len() {
            true => Ok(all),
            false => Err(unlike("the scores and the weights differ in number".to_string())),
        }
    }

    /// The mean lengths of paths in each part.
    pub fn lengths(&mut self, theta: &[f64]) -> Result<Vec<RouteLengths>, Error> {
        let of = |answer| match answer {
            Answer::Lengths(lengths) => Ok(lengths),
            _ => Err(unlike("lengths were asked for".to_string())),
        };
        self.ask(Asked::Lengths(theta.to_vec()))?.into_iter().map(of).collect()
    }
}

fn census_of(answer: Answer) -> Result<Census, Error> {
    match answer {
        Answer::Census(census) => Ok(*census),
        _ => Err(unlike("a census was asked for".to_string())),
    }
}

fn unlike(what: String) -> Error {
    Error::NoAnswer { message: format!("the answer of a part does not fit the question: {what}") }
}
