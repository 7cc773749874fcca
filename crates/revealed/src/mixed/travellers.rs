//! The demonstrations by traveller, as the likelihood needs them.

use std::collections::BTreeMap;

use super::draws::Sharing;
use crate::Error;
use crate::uncertainty::Cluster;
use crate::world::{Demonstrations, Features, Mdp};

/// Travellers with the same draws.
#[derive(Debug, Default)]
pub(super) struct Set {
    /// The first and last states of their trips, each pair once.
    pub pairs: Vec<[usize; 2]>,
    pub trips: Vec<Trip>,
    pub travellers: Vec<Traveller>,
}

/// A demonstration.
#[derive(Debug)]
pub(super) struct Trip {
    /// Its place among the pairs of the set.
    pub pair: usize,
    /// Its place among the travellers of the set.
    pub traveller: usize,
    /// How often the traveller made it.
    pub count: f64,
    /// log q(τ) without p0.
    pub log_q: f64,
    /// φ(τ).
    pub phi: Vec<f64>,
}

/// Whoever has one draw of coefficients for all trips.
#[derive(Debug)]
pub(super) struct Traveller {
    /// How many such travellers there are, over the total weight of the demonstrations.
    pub share: f64,
    /// The first demonstration.
    pub first: usize,
}

/// The demonstrations of positive weight, in sets of travellers with the same draws.
///
/// Without a panel, each demonstration is a traveller, and its weight is the number of such travellers. With a panel,
/// the weight of a demonstration says how often its traveller made this trip.
pub(super) fn sets(
    mdp: &Mdp,
    features: &Features,
    demos: &Demonstrations,
    panel: &Cluster,
    sharing: Sharing,
) -> Result<Vec<Set>, Error> {
    let total = demos.total_weight();
    let (groups, is_panel) = match panel.groups(demos)? {
        Some(groups) => (groups, true),
        None => ((0..demos.len()).filter(|&index| demos.weight(index) > 0.0).map(|index| vec![index]).collect(), false),
    };
    let together: Vec<&[Vec<usize>]> = match sharing {
        Sharing::Own => groups.chunks(1).collect(),
        Sharing::Common => vec![&groups[..]],
    };
    let set = |groups: &[Vec<usize>]| {
        let mut set = Set::default();
        let mut place_of: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for (traveller, members) in groups.iter().enumerate() {
            let share = (if is_panel { 1.0 } else { demos.weight(members[0]) }) / total;
            set.travellers.push(Traveller { share, first: members[0] });
            for &index in members {
                let states = demos.states(index);
                let ends = [states[0], states[states.len() - 1]].map(|state| state as usize);
                let pair = *place_of.entry(ends).or_insert_with(|| {
                    set.pairs.push(ends);
                    set.pairs.len() - 1
                });
                let steps = demos.transitions(index).iter().map(|&step| mdp.log_base_weight(step as usize));
                let count = if is_panel { demos.weight(index) } else { 1.0 };
                let phi = features.of_path(mdp, demos, index);
                set.trips.push(Trip { pair, traveller, count, log_q: steps.sum(), phi });
            }
        }
        set
    };
    Ok(together.into_iter().map(set).collect())
}
