//! A world in which features depend on the trip: a copy of it for each kind of trip.

use std::collections::BTreeMap;

use super::TripTerms;
use super::layer::Layer;
use crate::Error;
use crate::model::RouteSums;
use crate::numeric::Work;
use crate::world::{Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, Trajectory, TripValue};

/// The bytes that a transition of a copy takes, about: in the MDP, its features and the elimination.
const OF_TRANSITION: usize = 400;

/// A world with features of trips.
///
/// A feature of the world has one value in each state. A feature of trips has another one for each kind of trip. So
/// each kind of trip gets a copy of the world, in which the feature has its value, and the demonstrations move to
/// their copies. All that can be learned and asked in a world can be learned and asked in this one: θ is the same in
/// all copies. The model must be one of paths from given first states: [`Ends::Goal`](crate::Ends::Goal), the recursive
/// logit, or a causal model. Others would also explain how many trips there are of each kind.
///
/// Trips of the same kind have the same values in the columns of the products and, with a link size, the same ends.
///
/// ```
/// use revealed::{Demonstrations, Ends, FeaturesBuilder, MaxEnt, MdpBuilder, Method, Options};
/// use revealed::{Trajectory, TripTerms, TripValue, TripWorld, Work};
///
/// // Two ways from 0 to 3. By night, fewer go over 1.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).terminal(3).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).build()?;
/// let features = FeaturesBuilder::new(1).state(1, 0, 1.0).names(vec!["park".to_string()]).build(&mdp)?;
/// let trip = |over: usize, night: f64, weight: f64| {
///     let trip = [("night".to_string(), TripValue::Number(night))].into();
///     Trajectory { weight, trip, ..Trajectory::new(vec![0, over, 3], vec![over - 1, 0]) }
/// };
/// let demos = [trip(1, 0.0, 60.0), trip(2, 0.0, 20.0), trip(1, 1.0, 10.0), trip(2, 1.0, 30.0)];
/// let demos = Demonstrations::new(&mdp, &demos)?;
///
/// let terms = TripTerms { products: vec![(0, "night".to_string())], ..TripTerms::default() };
/// let world = TripWorld::new(&mdp, &features, &demos, &terms, &Work::default())?;
/// assert_eq!(world.features.names(), ["park", "park*night"]);
/// let settings = MaxEnt {
///     method: Method::RecursiveLogit,
///     options: Options { ends: Ends::Goal, ..Options::default() },
///     ..MaxEnt::default()
/// };
/// let fit = settings.fit(&world.mdp, &world.features, &world.demos)?;
/// // The log odds are log 3 by day, and 2 log 3 less by night.
/// assert!((fit.theta[0] - 3f64.ln()).abs() < 1e-6 && (fit.theta[1] + 2.0 * 3f64.ln()).abs() < 1e-6);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TripWorld {
    /// The copies as one world.
    pub mdp: Mdp,
    /// The features of the world, the products, and the link size.
    pub features: Features,
    /// The demonstrations in their copies. The column `origin-destination` of their trips has their ends in the world.
    pub demos: Demonstrations,
    /// The same as paths, to be written to a file.
    pub paths: Vec<Trajectory>,
    /// How many copies there are.
    pub copies: usize,
}

impl TripWorld {
    /// Makes the copies. `work` limits their memory and that of the first model's sums.
    ///
    /// # Errors
    /// If a term does not fit the world or a demonstration lacks its column, if the copies do not fit into the memory
    /// ([`Error::Copies`]), and for a link size as [`RouteSums::new`].
    pub fn new(
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        terms: &TripTerms,
        work: &Work,
    ) -> Result<TripWorld, Error> {
        terms.check(features)?;
        let first = match &terms.link_size {
            Some(theta) => Some(RouteSums::new(mdp, &features.reward(mdp, theta)?, work)?),
            None => None,
        };
        let (layers, layer_of) = layers(mdp, demos, terms, work)?;
        let n_states = layers.iter().map(Layer::n_states).sum();
        let mut world = MdpBuilder::new(n_states, mdp.n_actions());
        let mut all = FeaturesBuilder::new(features.n_features() + terms.n_features());
        world.discount(mdp.discount());
        all.names(terms.names(features));
        let products: Vec<usize> = terms.products.iter().map(|product| product.0).collect();
        // First states that no copy has would make the sum of p0 less than 1.
        let kept = |layer: &Layer| mdp.start().iter().filter(|row| layer.place(row.0).is_some()).map(|row| row.1).sum::<f64>();
        let share = 1.0 / layers.iter().map(kept).sum::<f64>();
        let mut row = 0;
        for layer in &layers {
            layer.add_to(mdp, share, &mut world);
            layer.add_features((mdp, features), &products, first.as_ref(), row, &mut all)?;
            row += layer.transitions(mdp).count();
        }
        let world = world.build()?;
        let features = all.build(&world)?;
        let moved = |index: usize| layers[layer_of[index]].moved(demos.trajectory(mdp, index));
        let paths: Vec<Trajectory> = (0..demos.len()).map(moved).collect();
        Ok(TripWorld { demos: Demonstrations::new(&world, &paths)?, mdp: world, features, paths, copies: layers.len() })
    }
}

/// The copies, and that of each demonstration.
fn layers(mdp: &Mdp, demos: &Demonstrations, terms: &TripTerms, work: &Work) -> Result<(Vec<Layer>, Vec<usize>), Error> {
    let (mut known, mut layers, mut layer_of) = (BTreeMap::new(), Vec::new(), Vec::new());
    let (mut n_states, mut n_transitions) = (0, 0);
    for index in 0..demos.len() {
        let values = terms.values(demos, index)?;
        let states = demos.states(index);
        let ends = terms.link_size.as_ref().map(|_| [states[0], states[states.len() - 1]].map(|state| state as usize));
        let kind = (values.iter().map(|&value| TripValue::Number(value).label()).collect::<Vec<_>>(), ends);
        let place = *known.entry(kind).or_insert(layers.len());
        if place == layers.len() {
            let layer = Layer::new(mdp, values, ends, n_states);
            n_states += layer.n_states();
            n_transitions += layer.transitions(mdp).count();
            layers.push(layer);
            let least = n_transitions.saturating_mul(OF_TRANSITION);
            if least > work.memory {
                return Err(Error::Copies { copies: layers.len(), trips: index + 1, n_states, least, budget: work.memory });
            }
        }
        layer_of.push(place);
    }
    Ok((layers, layer_of))
}
