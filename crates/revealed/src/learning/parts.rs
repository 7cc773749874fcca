//! Evidence in parts, wherever they are: the questions that a search asks, and the answers.

use crate::Error;
use crate::learning::{Census, Cluster};
use crate::model::RouteLengths;

/// Evidence that is divided into parts: one for each world, or for groups of demonstrations in one. A part may be on
/// another thread, in another process, or on another machine. The answers are added up in the order of the parts, so
/// that it does not matter who computes them.
pub trait Parts {
    /// The answer of each part, in order.
    ///
    /// # Errors
    /// The first error of a part ([`Error::in_part`]), or [`Error::NoAnswer`].
    fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, Error>;
}

/// A question to every part. It contains everything that the answer depends on, so that a part that is lost can be
/// placed elsewhere and asked again.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The number of states of the longest demonstration in all parts. [`Asked::Census`] does not use it.
    pub longest: usize,
    /// What is asked.
    pub asked: Asked,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// What is in the part: [`Answer::Census`].
    Census,
    /// The objective at θ: [`Answer::Point`].
    Objective(Vec<f64>),
    /// The objective of a sample of the demonstrations at θ, where that takes less time: [`Answer::Point`].
    Sample(Vec<f64>),
    /// Whether sums over paths are finite at θ: [`Answer::Flag`].
    HasSums(Vec<f64>),
    /// The gradient of log p(τ) of each demonstration at θ, with its cluster: [`Answer::Scores`].
    Scores(Vec<f64>, Cluster),
    /// Whether a direction of θ, as (parameter, value), changes a reward: [`Answer::Flag`].
    ChangesRewards(Vec<(usize, f64)>),
    /// The mean lengths of paths of any length between the demonstrations' ends at θ: [`Answer::Lengths`].
    Lengths(Vec<f64>),
}

/// The answer of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// What is in it.
    Census(Box<Census>),
    /// The objective.
    Point(Point),
    /// Yes or no.
    Flag(bool),
    /// A score for each demonstration.
    Scores(Scores),
    /// Mean lengths.
    Lengths(RouteLengths),
}

/// The objective of a part at one θ: means over its demonstrations.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The value that is maximised, without the penalty.
    pub objective: f64,
    /// The mean log-likelihood.
    pub log_likelihood: f64,
    /// log Z, if there is one.
    pub log_partition: Option<f64>,
    /// The gradient of the objective: for models of paths, the observed features minus those that the method expects.
    pub gradient: Vec<f64>,
}

/// The demonstrations of a part, as robust standard errors see them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// The weight of each.
    pub weights: Vec<f64>,
    /// The cluster of each; `None` without clusters, and for a weight of 0.
    pub labels: Vec<Option<String>>,
    /// The gradient of log p(τ) of each.
    pub rows: Vec<Vec<f64>>,
}
