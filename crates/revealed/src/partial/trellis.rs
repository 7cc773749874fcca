//! The paths that agree with what was seen, as a graph in layers: its nodes are states at one time, and its edges are
//! transitions of the world.

use std::ops::Range;

use super::sights::Sights;
use crate::Error;
use crate::world::Mdp;

/// Bytes of an edge and of its weights.
const OF_EDGE: usize = 20 + 8;

/// The nodes of one time, and the edges that lead to them.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    /// The layer that its edges come from; its own number for the first.
    pub parent: usize,
    /// The number of steps before it.
    pub time: usize,
    pub nodes: Range<usize>,
    pub edges: Range<usize>,
}

/// A set of nodes where what was seen ends: exactly one of them was reached.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// Its share of the total weight of all demonstrations.
    pub share: f64,
    /// The layer and the node.
    pub nodes: Vec<(usize, u32)>,
    /// Whether the path ends there.
    pub ends: bool,
}

/// Layers of nodes. Demonstrations that share a first state share the layers of what was seen alike, so the layers are
/// a tree, and each path from the first layer down is one order of sightings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trellis {
    pub layers: Vec<Layer>,
    /// The state of each node.
    pub state: Vec<u32>,
    /// Which sighting each node belongs to: see [`Place`].
    pub place: Vec<u32>,
    /// The ends of each edge, and its transition. The edges of a layer are in the order of `to`.
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    pub transition: Vec<u32>,
    /// How well each edge agrees with what was seen.
    pub factor: Vec<f64>,
    /// The weights of the first nodes: p0 if the path begins there.
    pub first: Vec<f64>,
    /// Whether the path begins in the first layer, so that its states are paid for.
    pub begins: bool,
    pub outcomes: Vec<Outcome>,
}

/// A sighting as a number: 2i + 1 for step i, and 2i for the gap before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(pub u32);

impl Place {
    pub fn step(step: usize) -> Place {
        Place(2 * step as u32 + 1)
    }

    pub fn gap_before(step: usize) -> Place {
        Place(2 * step as u32)
    }

    /// The step; `None` in a gap.
    pub fn as_step(self) -> Option<usize> {
        (self.0 % 2 == 1).then_some(self.0 as usize / 2)
    }
}

impl Trellis {
    /// The number of edges.
    pub fn n_edges(&self) -> usize {
        self.transition.len()
    }

    /// Roughly.
    pub fn bytes(&self) -> usize {
        self.n_edges() * OF_EDGE
    }
}

#[derive(Debug, Default)]
struct DraftLayer {
    parent: usize,
    time: usize,
    /// (state, place), in order.
    nodes: Vec<(u32, u32)>,
    /// (from, to, transition, factor), with the nodes numbered within their layers.
    edges: Vec<(u32, u32, u32, f64)>,
}

/// A trellis that is being built.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    mdp: &'a Mdp,
    layers: Vec<DraftLayer>,
    first: Vec<f64>,
    begins: bool,
    outcomes: Vec<Outcome>,
    n_edges: usize,
    /// Bytes.
    memory: usize,
}

impl<'a> Draft<'a> {
    /// Begins with these nodes (state, place, weight) at this time.
    pub fn new(mdp: &'a Mdp, time: usize, nodes: Vec<(u32, u32, f64)>, begins: bool, memory: usize) -> Draft<'a> {
        let first = nodes.iter().map(|node| node.2).collect();
        let nodes = nodes.into_iter().map(|node| (node.0, node.1)).collect();
        let layer = DraftLayer { parent: 0, time, nodes, edges: Vec::new() };
        Draft { mdp, layers: vec![layer], first, begins, outcomes: Vec::new(), n_edges: 0, memory }
    }

    /// Adds a layer after another: for each transition out of a node (state, place), `targets` gives the places that it
    /// may lead to, with their weights. Returns its number.
    ///
    /// # Errors
    /// [`Error::HiddenMemory`].
    pub fn extend(&mut self, parent: usize, mut targets: impl FnMut(u32, usize, &mut Vec<(u32, f64)>)) -> Result<usize, Error> {
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for (node, &(state, place)) in self.layers[parent].nodes.iter().enumerate() {
            for transition in self.mdp.children(state as usize) {
                if self.mdp.base_weight(transition) == 0.0 {
                    continue;
                }
                places.clear();
                targets(place, transition, &mut places);
                let to = self.mdp.to()[transition];
                let edge = |&(place, factor): &(u32, f64)| (node as u32, (to, place), transition as u32, factor);
                found.extend(places.iter().filter(|place| place.1 > 0.0).map(edge));
            }
        }
        let mut nodes: Vec<(u32, u32)> = found.iter().map(|edge| edge.1).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let number = |node| nodes.binary_search(node).expect("every end of an edge is a node") as u32;
        let mut edges: Vec<(u32, u32, u32, f64)> =
            found.iter().map(|(from, to, transition, factor)| (*from, number(to), *transition, *factor)).collect();
        edges.sort_by_key(|edge| edge.1);
        self.n_edges += edges.len();
        if self.n_edges * OF_EDGE > self.memory {
            return Err(Error::HiddenMemory { budget: self.memory });
        }
        let time = self.layers[parent].time + 1;
        self.layers.push(DraftLayer { parent, time, nodes, edges });
        Ok(self.layers.len() - 1)
    }

    /// How many bytes it may take.
    pub fn set_memory(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// Bytes so far.
    pub fn bytes(&self) -> usize {
        self.n_edges * OF_EDGE
    }

    /// The nodes of a layer: (state, place).
    pub fn nodes(&self, layer: usize) -> &[(u32, u32)] {
        &self.layers[layer].nodes
    }

    /// Adds an outcome: (layer, node within the layer). Returns its number.
    pub fn outcome(&mut self, share: f64, nodes: Vec<(usize, u32)>, ends: bool) -> usize {
        self.outcomes.push(Outcome { share, nodes, ends });
        self.outcomes.len() - 1
    }

    /// Only the nodes from which an outcome can be reached. Layers keep their numbers.
    pub fn finish(mut self) -> Trellis {
        let mut alive: Vec<Vec<bool>> = self.layers.iter().map(|layer| vec![false; layer.nodes.len()]).collect();
        for &(layer, node) in self.outcomes.iter().flat_map(|outcome| &outcome.nodes) {
            alive[layer][node as usize] = true;
        }
        for number in (1..self.layers.len()).rev() {
            let DraftLayer { parent, edges, .. } = &self.layers[number];
            let (before, here) = alive.split_at_mut(number);
            for &(from, ..) in edges.iter().filter(|edge| here[0][edge.1 as usize]) {
                before[*parent][from as usize] = true;
            }
        }
        let mut trellis = Trellis { begins: self.begins, ..Trellis::default() };
        let mut new: Vec<Vec<u32>> = Vec::with_capacity(self.layers.len());
        for (layer, alive) in self.layers.iter().zip(&alive) {
            let first = trellis.state.len();
            let mut numbers = vec![u32::MAX; layer.nodes.len()];
            for (node, &(state, place)) in layer.nodes.iter().enumerate().filter(|row| alive[row.0]) {
                numbers[node] = trellis.state.len() as u32;
                trellis.state.push(state);
                trellis.place.push(place);
            }
            let edges = trellis.transition.len();
            let parents = if new.is_empty() { None } else { Some(&new[layer.parent]) };
            for &(from, to, transition, factor) in layer.edges.iter().filter(|edge| alive[edge.1 as usize]) {
                let Some(parents) = parents else { continue };
                trellis.from.push(parents[from as usize]);
                trellis.to.push(numbers[to as usize]);
                trellis.transition.push(transition);
                trellis.factor.push(factor);
            }
            let (nodes, edges) = (first..trellis.state.len(), edges..trellis.transition.len());
            trellis.layers.push(Layer { parent: layer.parent, time: layer.time, nodes, edges });
            new.push(numbers);
        }
        trellis.first = self.first.iter().zip(&alive[0]).filter(|row| *row.1).map(|row| *row.0).collect();
        for outcome in &mut self.outcomes {
            outcome.nodes.iter_mut().for_each(|(layer, node)| *node = new[*layer][*node as usize]);
        }
        trellis.outcomes = self.outcomes;
        trellis
    }
}

/// What is known of a path from one of its states on, in the order of the path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chain {
    /// What was seen of the first state and of the action after it.
    pub first: (u32, u32),
    /// Whether a gap lies before the first state.
    pub gap_first: bool,
    /// For each later step: whether a gap lies before it, and what was seen of its state and its action.
    pub rest: Vec<(bool, u32, u32)>,
    pub open_end: bool,
}

impl Chain {
    /// The number of steps.
    pub fn len(&self) -> usize {
        self.rest.len() + 1
    }

    /// What was seen of the state and the action of a step.
    pub fn sight(&self, step: usize) -> (u32, u32) {
        if step == 0 { self.first } else { (self.rest[step - 1].1, self.rest[step - 1].2) }
    }

    /// Whether a gap lies before a step, or after the last.
    pub fn gap_before(&self, step: usize) -> bool {
        match step {
            0 => self.gap_first,
            step if step == self.len() => self.open_end,
            step => self.rest[step - 1].0,
        }
    }

    /// The places that may follow a place.
    fn after(&self, place: Place) -> impl Iterator<Item = Place> + use<> {
        let (step, in_gap) = match place.as_step() {
            Some(step) => (step + 1, self.gap_before(step + 1)),
            None => (place.0 as usize / 2, true),
        };
        let step_there = (step < self.len()).then(|| Place::step(step));
        step_there.into_iter().chain(in_gap.then(|| Place::gap_before(step)))
    }

    /// Whether a path may end with the last step. An action that was seen there has led on.
    pub fn is_last_step(&self, sights: &Sights) -> bool {
        sights.is_unseen(self.sight(self.len() - 1).1)
    }

    /// Whether a path may end at a place.
    fn is_last(&self, place: Place, sights: &Sights) -> bool {
        (place == Place::step(self.len() - 1) && self.is_last_step(sights)) || place == Place::gap_before(self.len())
    }

    /// The places where a path may begin.
    pub fn beginnings(&self) -> impl Iterator<Item = Place> + use<> {
        [Place::step(0)].into_iter().chain(self.gap_first.then(|| Place::gap_before(0)))
    }

    /// The trellis of all lengths up to a horizon, or of the one length if there are no gaps. `may_end` says whether a
    /// path of some number of states may end in a state.
    ///
    /// # Errors
    /// [`Error::HiddenMemory`].
    pub fn trellis(
        &self,
        sights: &Sights,
        mut draft: Draft<'_>,
        longest: usize,
        share: f64,
        may_end: impl Fn(usize, usize) -> bool,
    ) -> Result<Trellis, Error> {
        let (mdp, mut layer, mut ends) = (draft.mdp, 0, Vec::new());
        loop {
            let time = draft.layers[layer].time;
            for (node, &(state, place)) in draft.nodes(layer).iter().enumerate() {
                if self.is_last(Place(place), sights) && may_end(state as usize, time + 1) {
                    ends.push((layer, node as u32));
                }
            }
            if time + 1 >= longest || draft.nodes(layer).is_empty() {
                break;
            }
            layer = draft.extend(layer, |place, transition, places| {
                let (action, to) = (mdp.action_of(mdp.choice_of()[transition] as usize), mdp.to()[transition] as usize);
                let taken = Place(place).as_step().map_or(1.0, |step| sights.weight(self.sight(step).1, action));
                for next in self.after(Place(place)) {
                    let seen = next.as_step().map_or(1.0, |step| sights.weight(self.sight(step).0, to));
                    places.push((next.0, taken * seen));
                }
            })?;
        }
        draft.outcome(share, ends, true);
        Ok(draft.finish())
    }
}
