//! The model of the engine that a model file describes.

use revealed::{Chance, Ends, Error, Horizon, PathModel};

use super::model::Model;
use crate::problems::Problem;

impl Model {
    /// The model that every query takes: θ on this problem, with the horizon and the ends of the file, unless others
    /// are given.
    ///
    /// ```
    /// use revealed::{Chance, Ends, Method};
    /// use revealed_formats::{Model, Problem, ProblemColumns};
    ///
    /// let mut columns = ProblemColumns::new(2, 1, 1);
    /// columns.start.push([0], 1.0);
    /// columns.terminal.push(1);
    /// columns.transitions.push([0, 0, 1], 1.0);
    /// columns.state_features.push([1, 0], 1.0);
    /// let problem = columns.build()?;
    /// let model = Model { inference: Method::Causal, chance: Chance::Fixed, ..Model::new(vec![1.0], 5, Ends::Horizon) };
    /// let paths = model.path_model(&problem, None, Some(Ends::Terminal))?;
    /// assert_eq!((paths.chance(), paths.ends()), (Chance::Fixed, Ends::Terminal));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If θ does not fit the problem, or as [`PathModel::new`] and [`PathModel::causal`].
    pub fn path_model<'a>(
        &self,
        problem: &'a Problem,
        horizon: Option<Horizon>,
        ends: Option<Ends>,
    ) -> Result<PathModel<'a>, Error> {
        if self.history.is_some() {
            let what =
                "ask it about paths, destinations, lengths, marginals, samples, scores, likelihoods, or a policy at a time";
            return Err(Error::HistoryCannot { what });
        }
        let reward = problem.features.reward(&problem.mdp, &self.theta)?;
        let (horizon, ends) = (horizon.unwrap_or(self.horizon), ends.unwrap_or(self.ends));
        match self.chance {
            Chance::Tilted => PathModel::new(&problem.mdp, reward, horizon, ends),
            Chance::Fixed => PathModel::causal(&problem.mdp, reward, horizon, ends),
        }
    }
}
