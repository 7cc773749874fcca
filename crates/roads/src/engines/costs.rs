//! The learned costs of segments and turns.

use std::borrow::Cow;

use revealed::shown;

use crate::error::Error;
use crate::network::Network;
use crate::osm::Profile;
use crate::world::{Chains, Roads};

/// The learned costs of segments and turns: minus their rewards.
#[derive(Debug, Clone, PartialEq)]
pub struct RoadCosts<'a> {
    /// The network with copies.
    all: &'a Network,
    /// The network without copies: engines apply restrictions over ways by their own map.
    pub(super) network: Cow<'a, Network>,
    pub(super) names: &'a [String],
    pub(super) theta: &'a [f64],
    /// Of each segment, with those of the turn after it where it is the only one.
    pub(super) of_segments: Vec<f64>,
    /// Of each turn, in the order of [`Network::turns`]; 0 where it is the only one.
    pub(super) of_turns: Vec<f64>,
}

impl<'a> RoadCosts<'a> {
    /// The costs for these weights of the features. Engines join segments between which there is no choice, and forget
    /// the turns between them. So the cost of such a turn is added to the segment before it, which does not change the
    /// cost of routes from one junction to another.
    ///
    /// # Errors
    /// If the states of the network are chains, the weights do not fit, or a segment has a cost that is not positive.
    pub fn new(roads: &'a Roads, theta: &'a [f64]) -> Result<RoadCosts<'a>, Error> {
        if roads.chains.is_some() {
            let message = "the states of the network are chains, and engines have segments: import the network without \
                           --compress; the weights of the features stay the same";
            return Err(Error::Network(message.to_string()));
        }
        let (all, features) = (&roads.network, &roads.features);
        if theta.len() != features.names.len() {
            let (found, expected) = (theta.len(), features.names.len());
            return Err(Error::Network(format!("there are {found} weights, but the network has {expected} features")));
        }
        let mut of_segments = vec![0.0; all.n_segments()];
        features.of_segments.iter().for_each(|&(segment, feature, value)| of_segments[segment] -= theta[feature] * value);
        let mut of_turns = vec![0.0; all.n_turns()];
        features.of_turns.iter().for_each(|&(turn, feature, value)| of_turns[turn] -= theta[feature] * value);
        let network = if roads.has_copies() { Cow::Owned(all.without_copies()) } else { Cow::Borrowed(all) };
        if roads.has_copies() {
            of_segments.truncate(network.n_segments());
            let mut of_roads = vec![0.0; network.n_turns()];
            for ((from, to), cost) in all.turns().zip(&of_turns) {
                let [from, to] = [from, to].map(|segment| all.original(segment as usize));
                if let Ok(place) = network.turns_of(from).binary_search(&(to as u32)) {
                    of_roads[network.first_turn_of(from) + place] = *cost;
                }
            }
            of_turns = of_roads;
        }
        let chains = Chains::new(&network);
        for (turn, (from, _)) in network.turns().enumerate() {
            let chain = chains.segments_of(chains.chain_of(from as usize));
            if chain.last() != Some(&from) {
                of_segments[from as usize] += std::mem::take(&mut of_turns[turn]);
            }
        }
        let costs = RoadCosts { all, network, names: &features.names, theta, of_segments, of_turns };
        costs.check()?;
        Ok(costs)
    }

    /// Rejects a network that is not for cars, where an engine knows roads by what they are for cars.
    pub(super) fn check_cars(&self, engine: &str) -> Result<(), Error> {
        match self.network.profile {
            Profile::Car => Ok(()),
            other => Err(Error::Network(format!(
                "the network is for {}, and costs for {engine} are those of cars: export them for OSRM, or import with \
                 --profile car",
                other.travellers()
            ))),
        }
    }

    fn check(&self) -> Result<(), Error> {
        // A segment of no length costs nothing, and leads no route astray.
        let is_bad = |segment: usize| {
            let cost = self.of_segments[segment];
            !cost.is_finite() || cost < 0.0 || cost == 0.0 && self.network.segments[segment].length > 0.0
        };
        let bad: Vec<usize> = (0..self.network.n_segments()).filter(|&segment| is_bad(segment)).collect();
        let Some(&first) = bad.first() else { return Ok(()) };
        let way = self.network.way_of(first);
        Err(Error::Network(format!(
            "{} of {} segments have a cost that is not positive, such as segment {first} ({} {}) with {:.6}: engines need \
             positive costs; learn with --bounds -inf,0",
            bad.len(),
            self.network.n_segments(),
            way.highway,
            shown(&way.name),
            self.of_segments[first]
        )))
    }

    /// The cost of a route of segments; `None` if some turn between them does not exist.
    pub fn of_route(&self, segments: &[u32]) -> Option<f64> {
        let segments: Vec<u32> =
            self.all.route(segments).ok()?.into_iter().map(|segment| self.all.original(segment as usize) as u32).collect();
        let mut cost = segments.iter().map(|&segment| self.of_segments[segment as usize]).sum();
        for pair in segments.windows(2) {
            let place = self.network.turns_of(pair[0] as usize).binary_search(&pair[1]).ok()?;
            cost += self.of_turns[self.network.first_turn_of(pair[0] as usize) + place];
        }
        Some(cost)
    }

    /// The weight of a feature of this name; 0 if the model has none.
    pub(super) fn weight(&self, name: &str) -> f64 {
        self.names.iter().position(|known| known == name).map_or(0.0, |place| self.theta[place])
    }

    /// The features with a weight, except these.
    pub(super) fn others(&self, known: &[&str]) -> Vec<&str> {
        let names = self.names.iter().zip(self.theta).filter(|(name, theta)| **theta != 0.0 && !known.contains(&name.as_str()));
        names.map(|(name, _)| name.as_str()).collect()
    }
}
