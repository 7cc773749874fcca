//! The likeliest paths between thousands of pairs, on a network that is prepared once.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{Error, Itineraries, Work};

use super::path_model::{Best, PathModel, best};
use crate::failure::of_engine;
use crate::gradients::prepared::owned_with_problem;
use crate::inputs::arrays::{Integers, whole};
use crate::threads::run::run;

owned_with_problem!(OwnedItineraries, Itineraries);

/// The prepared network.
#[pyclass(frozen, module = "revealed._native")]
pub struct Routes {
    owned: Arc<OwnedItineraries>,
    work: Work,
}

#[pymethods]
impl Routes {
    /// Prepares the network of a model.
    #[new]
    fn new(py: Python<'_>, model: &PathModel, bounded: bool, threads: Option<usize>) -> PyResult<Self> {
        let (parts, work) = (Arc::clone(&model.0), model.0.work());
        let prepare = move || {
            let problem = Arc::clone(&parts.problem);
            OwnedItineraries::try_new(problem, |problem| Itineraries::new(&parts.of_engine(problem)?, bounded, true))
        };
        Ok(Routes { owned: Arc::new(run(py, threads, prepare)?.map_err(of_engine)?), work })
    }

    /// The likeliest path between each pair; None if there is none.
    fn find<'py>(
        &self,
        py: Python<'py>,
        start: Integers<'py>,
        to: Integers<'py>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Option<Best<'py>>>> {
        let starts = whole(start.as_slice()?, |row| format!("pair {row}: from"))?;
        let ends = whole(to.as_slice()?, |row| format!("pair {row}: to"))?;
        let pairs: Vec<(usize, usize)> = starts.into_iter().zip(ends).collect();
        let (owned, work) = (Arc::clone(&self.owned), self.work);
        let find = move |problem: &Arc<revealed_formats::Problem>, routes: &Itineraries<'_>| {
            let mdp = &problem.mdp;
            let found = routes.find(&pairs, &work)?.into_iter().map(|route| match route {
                Ok(route) => {
                    let action = |&transition: &usize| mdp.action_of(mdp.choice_of()[transition] as usize);
                    let actions: Vec<usize> = route.transitions.iter().map(action).collect();
                    Ok(Some((route.states, actions, route.log_weight)))
                }
                Err(Error::NoPath { .. } | Error::Unreachable { .. } | Error::ShortHorizon { .. } | Error::NotAnEnd { .. }) => {
                    Ok(None)
                }
                Err(error) => Err(error),
            });
            found.collect::<Result<Vec<_>, Error>>()
        };
        let found = run(py, threads, move || owned.with_dependent(find));
        let found = found?.map_err(of_engine)?.into_iter();
        Ok(found.map(|route| route.map(|(states, actions, weight)| best(py, states, actions, weight))).collect())
    }
}
