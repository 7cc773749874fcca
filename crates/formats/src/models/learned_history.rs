//! Learning with a history: the problem becomes a product before the search, and the model that of the problem after it.

use revealed::{Demonstrations, Ends, Error, HistoryWorld, Horizon, MaxEnt, Windows, Work};

use super::history_record::HistoryRecord;
use super::model::Model;
use crate::problems::Problem;

/// The product of a problem with histories, in which a search learns.
#[derive(Debug)]
pub struct LearnedHistory {
    /// The product.
    pub problem: Problem,
    /// The demonstrations in the product.
    pub demos: Demonstrations,
    record: HistoryRecord,
    digest: String,
    has_exits: bool,
}

impl LearnedHistory {
    /// Makes the product. `ends` are those of the model that is fitted.
    ///
    /// # Errors
    /// As [`HistoryWorld::new`].
    pub fn new(
        problem: &Problem,
        demos: &Demonstrations,
        windows: &Windows,
        shrinkage: Option<f64>,
        (ends, work): (Ends, &Work),
    ) -> Result<LearnedHistory, Error> {
        let last = HistoryWorld::last_states(demos, ends);
        let world = HistoryWorld::new(&problem.mdp, &problem.features, windows, &last, work)?;
        let lifted = world.lift_all(&problem.mdp, demos)?;
        let has_exits = world.has_exits();
        // The names are those of the model.
        let record = HistoryRecord { names: Vec::new(), ..HistoryRecord::new(windows, shrinkage) };
        let product = Problem { mdp: world.mdp, features: world.features, layout: None, true_theta: None };
        Ok(LearnedHistory { problem: product, demos: lifted, record, digest: problem.digest(), has_exits })
    }

    /// [`Problem::digest`] of the problem without histories.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The settings of the search in the product, where a path that takes an exit has a state more.
    #[must_use]
    pub fn settings(&self, mut settings: MaxEnt) -> MaxEnt {
        if let (Some(Horizon::AtMost(states)), true) = (settings.options.horizon, self.has_exits) {
            settings.options.horizon = Some(Horizon::AtMost(states.saturating_add(1)));
        }
        settings
    }

    /// The model of the problem, from that of the product.
    #[must_use]
    pub fn model(&self, model: Model) -> Model {
        let horizon = match model.horizon {
            Horizon::AtMost(states) if self.has_exits => Horizon::AtMost(states - 1),
            horizon => horizon,
        };
        Model { horizon, problem_digest: Some(self.digest.clone()), history: Some(self.record.clone()), ..model }
    }
}
