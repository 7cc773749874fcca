//! Elasticities of the flows of an assignment: by how many per cent they change.

use std::collections::BTreeMap;

use crate::Error;
use crate::cancel::Cancel;
use crate::engine::elimination::{Elimination, EliminationSums, Limit};
use crate::model::route_choice::{is_large, solved};
use crate::model::route_flows::checked_pairs;
use crate::numeric::threads::Threads;
use crate::numeric::{Work, parallel};
use crate::watch::Watch;
use crate::world::{Features, Mdp};

/// Destinations are divided into this number of parts, whatever the number of threads.
const PARTS: usize = 8;
/// Sums are scaled by this: the weight of a trip across a city does not fit into an f64.
const SCALE: f64 = 1e280;
/// Smaller numbers have lost digits.
const LEAST: f64 = 1e-280;

/// The flows of an assignment, and their elasticities.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowElasticities {
    /// The expected number of visits to each state.
    pub flows: Vec<f64>,
    /// For each chosen feature, the elasticity of the flow of each state; NaN where there is no flow.
    pub of_features: Vec<Vec<f64>>,
}

/// The elasticities of the flows of [`route_flows`](crate::route_flows) by features: if a feature were 1 % larger
/// everywhere, by how many per cent the flow of a state would change. A feature that is 1 % larger has the effect of a
/// weight that is 1 % larger, so it is ∂ log flow / ∂ log θ_k.
///
/// ```
/// use revealed::{FeaturesBuilder, MdpBuilder, Work, flow_elasticities};
///
/// // Two ways from 0 to 3, of which one is a third as likely.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).terminal(3).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).build()?;
/// let features = FeaturesBuilder::new(1).state(2, 0, 1.0).build(&mdp)?;
/// let found = flow_elasticities(&mdp, &features, &[-3f64.ln()], &[([0, 3], 100.0)], &[0], &Work::default())?;
/// // ∂ log p / ∂ log θ = θ (1 − p), with p = 1/4.
/// assert!((found.of_features[0][2] + 0.75 * 3f64.ln()).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Cost
/// For each destination two solutions of a linear system by the elimination, and two more for each feature.
///
/// # Errors
/// As [`route_flows`](crate::route_flows), and if a feature does not exist.
pub fn flow_elasticities(
    mdp: &Mdp,
    features: &Features,
    theta: &[f64],
    trips: &[([usize; 2], f64)],
    chosen: &[usize],
    work: &Work,
) -> Result<FlowElasticities, Error> {
    let reward = features.reward(mdp, theta)?;
    let pairs = checked_pairs(mdp, &reward, trips)?;
    if let Some((row, &index)) = chosen.iter().enumerate().find(|entry| *entry.1 >= theta.len()) {
        return Err(Error::OutOfRange { table: "chosen", row, what: "feature", index, count: theta.len() });
    }
    let mut by_destination: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    pairs.iter().for_each(|&([from, to], weight)| by_destination.entry(to).or_default().push((from, weight)));
    let destinations: Vec<(usize, Vec<(usize, f64)>)> = by_destination.into_iter().collect();
    if destinations.is_empty() {
        return Err(Error::NoDemonstrations);
    }
    let network = Elimination::new(mdp, &Limit::of_uses(work.memory), &Watch::none())?;
    let slopes = chosen.iter().map(|&feature| slopes_of(mdp, features, feature)).collect();
    let find = || {
        let (weights, sums) = solved(mdp, &network, &reward)?;
        let task = Task { mdp, network: &network, weights, sums, slopes };
        let size = destinations.len().div_ceil(PARTS);
        let parts = parallel::map(destinations.chunks(size), |part| task.of_part(part));
        // They are added in order, so that the result does not depend on the number of threads.
        let mut all: Option<Flows> = None;
        for part in parts {
            let part = part?;
            match &mut all {
                None => all = Some(part),
                Some(all) => all.add(&part),
            }
        }
        all.ok_or(Error::NoDemonstrations)
    };
    let Flows { flows, slopes } = Threads::new(work.threads)?.run_if(is_large(&network, destinations.len()), find)?;
    let elasticity = |(&feature, slopes): (&usize, Vec<f64>)| {
        slopes
            .into_iter()
            .zip(&flows)
            .map(|(slope, &flow)| if flow > 0.0 { theta[feature] * slope / flow } else { f64::NAN })
            .collect()
    };
    let of_features = chosen.iter().zip(slopes).map(elasticity).collect();
    Ok(FlowElasticities { flows, of_features })
}

/// The value of a feature on each transition: that of the state that it leads to, of the choice, and its own.
fn slopes_of(mdp: &Mdp, features: &Features, feature: usize) -> Vec<f64> {
    let blocks = features.blocks();
    let of = |transition: usize| {
        let rows = [mdp.to()[transition] as usize, mdp.choice_of()[transition] as usize, transition];
        let entries = blocks.iter().zip(rows).flat_map(|(block, row)| block.row(row));
        entries.filter(|entry| entry.0 == feature).map(|entry| entry.1).sum()
    };
    (0..mdp.n_transitions()).map(of).collect()
}

/// Flows of states, and their derivatives by the weight of each chosen feature.
struct Flows {
    flows: Vec<f64>,
    slopes: Vec<Vec<f64>>,
}

impl Flows {
    fn add(&mut self, other: &Flows) {
        let sums = std::iter::once((&mut self.flows, &other.flows)).chain(self.slopes.iter_mut().zip(&other.slopes));
        sums.for_each(|(sums, others)| sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other));
    }
}

struct Task<'a> {
    mdp: &'a Mdp,
    network: &'a Elimination,
    weights: Vec<f64>,
    sums: EliminationSums,
    /// For each chosen feature, its value on each transition.
    slopes: Vec<Vec<f64>>,
}

impl Task<'_> {
    fn of_part(&self, destinations: &[(usize, Vec<(usize, f64)>)]) -> Result<Flows, Error> {
        let n = self.mdp.n_states();
        let mut found = Flows { flows: vec![0.0; n], slopes: vec![vec![0.0; n]; self.slopes.len()] };
        for (to, origins) in destinations {
            Cancel::check()?;
            self.add_destination(*to, origins, &mut found)?;
        }
        Ok(found)
    }

    /// With G = (I − W)⁻¹ and trips n(s) from s to one destination d, the expected visits of s are A(s) B(s), where
    ///
    /// ```text
    /// B(s) = G(s, d)        A(s) = Σ_o n(o) / G(o, d) · G(o, s)
    /// ```
    ///
    /// A change of the rewards changes W by W', and G by G W' G.
    fn add_destination(&self, to: usize, origins: &[(usize, f64)], found: &mut Flows) -> Result<(), Error> {
        let (mdp, network, sums) = (self.mdp, self.network, &self.sums);
        let mut x = vec![0.0; mdp.n_states()];
        x[to] = SCALE;
        let mut behind = sums.column(network, &x);
        if let Some(&(from, _)) = origins.iter().find(|&&(from, _)| !(behind[from] > LEAST && behind[from].is_finite())) {
            return Err(Error::NoSum { pair: Some([from, to]) });
        }
        // No scale is needed where trips weigh enough without.
        let least = origins.iter().map(|&(from, _)| behind[from]).fold(f64::INFINITY, f64::min).max(1.0);
        behind.iter_mut().for_each(|sum| *sum /= least);
        x[to] = 0.0;
        origins.iter().for_each(|&(from, trips)| x[from] += trips / behind[from]);
        let ahead = sums.row(network, &x);
        found.flows.iter_mut().zip(ahead.iter().zip(&behind)).for_each(|(flow, (a, b))| *flow += a * b);
        for (slopes, found) in self.slopes.iter().zip(&mut found.slopes) {
            let (mut into, mut out_of) = (vec![0.0; mdp.n_states()], vec![0.0; mdp.n_states()]);
            for (transition, slope) in slopes.iter().enumerate().filter(|entry| *entry.1 != 0.0) {
                let change = self.weights[transition] * slope;
                let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| state as usize);
                out_of[from] += change * behind[to];
                into[to] += change * ahead[from];
            }
            let behind_slope = sums.column(network, &out_of);
            origins.iter().for_each(|&(from, trips)| into[from] -= trips * (behind_slope[from] / behind[from]) / behind[from]);
            let ahead_slope = sums.row(network, &into);
            for (state, slope) in found.iter_mut().enumerate() {
                *slope += ahead_slope[state] * behind[state] + ahead[state] * behind_slope[state];
            }
        }
        Ok(())
    }
}
