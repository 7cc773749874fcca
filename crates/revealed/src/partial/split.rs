//! Demonstrations in pieces: what was seen, and the hidden stretches between states that were seen without doubt.
//!
//! Given a state that was seen without doubt, what comes before does not matter for what comes after. So the likelihood
//! of a demonstration is a product over its stretches, and equal stretches of different demonstrations are done once.

use std::collections::BTreeMap;

use super::sights::Sights;
use super::trellis::{Chain, Draft, Place, Trellis};
use crate::Error;
use crate::cancel::Pace;
use crate::engine::Horizon;
use crate::model::Ends;
use crate::world::{Mdp, PartialDemonstration, PartialDemonstrations, Sight};

/// What was seen of one demonstration, or could not have been otherwise.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenPart {
    /// The first state.
    pub first: Option<usize>,
    /// Transitions, with the number of steps before them. Without a horizon this is not known, and 0.
    pub transitions: Vec<(usize, usize)>,
    /// Whether the last state was seen: the number of steps before it, and the state.
    pub last: Option<(usize, usize)>,
    /// The logarithm of the weights of actions that were seen with noise.
    pub log_factor: f64,
}

/// A hidden stretch of a demonstration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stretch {
    /// An outcome of a trellis.
    Bounded { trellis: usize, outcome: usize },
    /// A stretch of unknown length, without a horizon.
    AnyLength(usize),
}

/// A stretch of unknown length, without a horizon.
#[derive(Debug, Clone)]
pub(crate) struct OpenStretch {
    /// The state that was seen before it; `None` if the path begins in it.
    pub from: Option<usize>,
    pub chain: Chain,
    /// Whether the path ends in it.
    pub ends: bool,
    pub share: f64,
}

/// All pieces.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// What was seen, by demonstration.
    pub seen: Vec<SeenPart>,
    pub trellises: Vec<Trellis>,
    pub open: Vec<OpenStretch>,
    /// The hidden stretches of each demonstration.
    pub stretches: Vec<Vec<Stretch>>,
    pub sights: Sights,
}

/// Which paths there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paths {
    pub horizon: Horizon,
    pub ends: Ends,
    /// Whether the weight of a step depends on the time.
    pub timed: bool,
    /// Bytes for the trellises.
    pub memory: usize,
}

impl Paths {
    /// Whether a path of `length` states may end in a state.
    pub fn may_end(&self, mdp: &Mdp, state: usize, length: usize) -> bool {
        match self.ends {
            Ends::Anywhere | Ends::Goal => true,
            Ends::Terminal => mdp.is_terminal(state),
            // Without a horizon, demonstrations are parts of episodes of a causal model.
            Ends::Horizon => mdp.is_terminal(state) || self.horizon == Horizon::AtMost(length) || self.horizon == Horizon::Any,
        }
    }
}

/// Where a trellis begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    /// With the path, where the first state has this sight.
    Start(u32),
    /// In a state that was seen, after this many steps if that matters.
    Seen(usize, usize),
}

/// A stretch within a horizon that has gaps: the state that was seen before it, with the steps before that, and what
/// was seen of the rest of the path.
type Rest = (Option<(usize, usize)>, Chain);

/// A tree of sightings from one root.
struct Tree<'a> {
    draft: Draft<'a>,
    /// The layer after (a layer, an action, a state).
    after: BTreeMap<(usize, u32, u32), usize>,
    /// The outcome of (a layer, whether the path ends there, whether every state is an end).
    outcomes: BTreeMap<(usize, bool, bool), usize>,
    shares: Vec<f64>,
}

/// Splits demonstrations.
struct Splitter<'a> {
    mdp: &'a Mdp,
    paths: Paths,
    trees: BTreeMap<Root, Tree<'a>>,
    /// Stretches within a horizon that have gaps: each has a trellis of its own.
    chains: BTreeMap<Rest, f64>,
    open: BTreeMap<(Option<usize>, Chain, bool), f64>,
    sights: Sights,
    bytes: usize,
    pace: Pace,
}

/// A stretch before the trellises have numbers.
enum Found {
    Tree(Root, usize),
    Chain(Rest),
    Open(Option<usize>, Chain, bool),
}

/// Splits all demonstrations of positive weight.
///
/// # Errors
/// [`Error::HiddenMemory`], [`Error::Stopped`], and if a demonstration has no path within the horizon.
pub(crate) fn split(mdp: &Mdp, demos: &PartialDemonstrations, paths: Paths) -> Result<Pieces, Error> {
    let mut splitter = Splitter {
        mdp,
        paths,
        trees: BTreeMap::new(),
        chains: BTreeMap::new(),
        open: BTreeMap::new(),
        sights: Sights::default(),
        bytes: 0,
        pace: Pace::default(),
    };
    let (mut seen, mut found) = (Vec::new(), Vec::new());
    let total = demos.total_weight();
    for demo in demos.iter() {
        let mut of_demo = Vec::new();
        seen.push(match demo.weight() > 0.0 {
            true => splitter.demonstration(demo, demo.weight() / total, &mut of_demo)?,
            false => SeenPart::default(),
        });
        found.push(of_demo);
    }
    splitter.finish(seen, found)
}

impl<'a> Splitter<'a> {
    fn demonstration(&mut self, demo: &PartialDemonstration, share: f64, found: &mut Vec<Found>) -> Result<SeenPart, Error> {
        let (steps, any) = (demo.steps(), self.paths.horizon == Horizon::Any);
        let mut seen = SeenPart { first: demo.first(), ..SeenPart::default() };
        // The last state that was seen without doubt, and how many steps lie before it.
        let mut known = seen.first.map(|state| (state, 0));
        let mut step = usize::from(known.is_some());
        while step < steps.len() || (step == steps.len() && demo.open_end()) {
            // The stretch up to the next state that was seen without doubt.
            let next = (step..steps.len()).find(|&next| steps[next].state.exactly().is_some());
            let gap = (step..next.map_or(steps.len(), |next| next + 1)).any(|step| steps[step].after_gap);
            let open = gap || (next.is_none() && demo.open_end());
            let last = next.map_or(steps.len(), |next| next + 1);
            match (open, any) {
                (true, true) => {
                    let chain = chain_of(demo, step..last, next.is_none(), &mut self.sights);
                    let from = known.map(|(state, _)| state);
                    *self.open.entry((from, chain.clone(), next.is_none())).or_insert(0.0) += share;
                    found.push(Found::Open(from, chain, next.is_none()));
                }
                (true, false) => {
                    // The rest has no known times.
                    let chain = chain_of(demo, step..steps.len(), true, &mut self.sights);
                    *self.chains.entry((known, chain.clone())).or_insert(0.0) += share;
                    found.push(Found::Chain((known, chain)));
                    return Ok(seen);
                }
                (false, _) => {
                    if let (Some((from, time)), Some(to)) = (known, next.filter(|&next| next == step))
                        && let Some((transition, factor)) = self.only(from, &steps[step - 1].action, &steps[to].state)
                    {
                        seen.transitions.push((time, transition));
                        seen.log_factor += factor.ln();
                    } else {
                        let root = match known {
                            Some((state, time)) => Root::Seen(state, if self.paths.timed { time } else { 0 }),
                            None => Root::Start(self.sights.number(&steps[0].state)),
                        };
                        found.push(Found::Tree(root, self.stretch(root, demo, step..last, share)?));
                    }
                }
            }
            let Some(next) = next else { return Ok(seen) };
            let time = if any { 0 } else { next };
            known = steps[next].state.exactly().map(|state| (state, time));
            step = next + 1;
        }
        seen.last = known.map(|(state, time)| (time, state));
        Ok(seen)
    }

    /// The only transition that agrees with what was seen, and how well it agrees.
    fn only(&self, from: usize, action: &Sight, to: &Sight) -> Option<(usize, f64)> {
        let factor = |transition: usize| {
            let taken = action.sorted_weight(self.mdp.action_of(self.mdp.choice_of()[transition] as usize));
            taken * to.sorted_weight(self.mdp.to()[transition] as usize)
        };
        let agree = |&transition: &usize| self.mdp.base_weight(transition) > 0.0 && factor(transition) > 0.0;
        let mut agreeing = self.mdp.children(from).filter(agree);
        let transition = agreeing.next()?;
        agreeing.next().is_none().then(|| (transition, factor(transition)))
    }

    /// Adds a stretch of known length to the tree of its root, and returns its outcome there.
    fn stretch(
        &mut self,
        root: Root,
        demo: &PartialDemonstration,
        steps: std::ops::Range<usize>,
        share: f64,
    ) -> Result<usize, Error> {
        let Splitter { mdp, paths, trees, sights, bytes, pace, .. } = self;
        let (mdp, paths, seen) = (*mdp, *paths, demo.steps());
        let tree = trees.entry(root).or_insert_with(|| Tree::at(mdp, root, sights));
        let (mut layer, before) = (0, tree.draft.bytes());
        tree.draft.set_memory(paths.memory.saturating_sub(*bytes) + before);
        for step in steps.start.max(1)..steps.end {
            let [action, state] = [&seen[step - 1].action, &seen[step].state].map(|sight| sights.number(sight));
            layer = tree.after(mdp, layer, action, state, sights)?;
        }
        *bytes += tree.draft.bytes() - before;
        pace.spend(tree.draft.bytes() - before)?;
        let (length, ends) = (seen.len(), steps.end == seen.len() && seen[steps.end - 1].state.exactly().is_none());
        let everywhere = ends && paths.horizon == Horizon::AtMost(length);
        let Tree { draft, outcomes, shares, .. } = tree;
        let number = *outcomes.entry((layer, ends, everywhere)).or_insert_with(|| {
            let may_end = |row: &(usize, &(u32, u32))| !ends || paths.may_end(mdp, row.1.0 as usize, length);
            let nodes = draft.nodes(layer).iter().enumerate().filter(may_end);
            let nodes = nodes.map(|(node, _)| (layer, node as u32)).collect();
            shares.push(0.0);
            draft.outcome(0.0, nodes, ends)
        });
        shares[number] += share;
        Ok(number)
    }

    /// Gives the trellises their numbers.
    fn finish(mut self, seen: Vec<SeenPart>, found: Vec<Vec<Found>>) -> Result<Pieces, Error> {
        let (mut trellises, mut of_root, mut of_rest) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for (root, Tree { draft, shares, .. }) in std::mem::take(&mut self.trees) {
            let mut trellis = draft.finish();
            trellis.outcomes.iter_mut().zip(shares).for_each(|(outcome, share)| outcome.share = share);
            of_root.insert(root, trellises.len());
            trellises.push(trellis);
        }
        for ((known, chain), share) in std::mem::take(&mut self.chains) {
            let memory = self.paths.memory.saturating_sub(self.bytes);
            let trellis = chain_trellis(self.mdp, &self.sights, self.paths, known, &chain, share, memory)?;
            self.bytes += trellis.bytes();
            of_rest.insert((known, chain), trellises.len());
            trellises.push(trellis);
        }
        let open: Vec<OpenStretch> = (self.open.iter())
            .map(|((from, chain, ends), &share)| OpenStretch { from: *from, chain: chain.clone(), ends: *ends, share })
            .collect();
        let of_open: BTreeMap<_, usize> = self.open.into_keys().enumerate().map(|(number, key)| (key, number)).collect();
        let place = |found: Found| match found {
            Found::Tree(root, outcome) => Stretch::Bounded { trellis: of_root[&root], outcome },
            Found::Chain(rest) => Stretch::Bounded { trellis: of_rest[&rest], outcome: 0 },
            Found::Open(from, chain, ends) => Stretch::AnyLength(of_open[&(from, chain, ends)]),
        };
        let stretches = found.into_iter().map(|found| found.into_iter().map(place).collect()).collect();
        Ok(Pieces { seen, trellises, open, stretches, sights: self.sights })
    }
}

/// These sightings and the one before them. `to_the_end` says whether what follows the last of them belongs to them.
pub(crate) fn chain_of(
    demo: &PartialDemonstration,
    which: std::ops::Range<usize>,
    to_the_end: bool,
    sights: &mut Sights,
) -> Chain {
    let (steps, last, whole) = (demo.steps(), which.end, to_the_end);
    // A stretch that begins in a state that was seen has it as its first step.
    let first = which.start.saturating_sub(1);
    let unseen = sights.number(&Sight::Unseen);
    let mut of = |number: usize| {
        // What follows the state that ends the stretch belongs to the next one.
        let action = if number + 1 == last && !whole { unseen } else { sights.number(&steps[number].action) };
        (sights.number(&steps[number].state), action)
    };
    let rest = |number: usize, (state, action): (u32, u32)| (steps[number].after_gap, state, action);
    Chain {
        first: of(first),
        gap_first: which.start == 0 && steps[0].after_gap,
        rest: (first + 1..last).map(|number| rest(number, of(number))).collect(),
        open_end: whole && demo.open_end(),
    }
}

/// The trellis of a path from a state that was seen on, or from its beginning, with gaps or without.
///
/// # Errors
/// [`Error::HiddenMemory`].
pub(crate) fn chain_trellis(
    mdp: &Mdp,
    sights: &Sights,
    paths: Paths,
    known: Option<(usize, usize)>,
    chain: &Chain,
    share: f64,
    memory: usize,
) -> Result<Trellis, Error> {
    let (nodes, time) = match known {
        Some((state, time)) => (vec![(state as u32, Place::step(0).0, 1.0)], time),
        None => {
            let seen = |place: Place, state: usize| place.as_step().map_or(1.0, |_| sights.weight(chain.first.0, state));
            let row = |&(state, p): &(usize, f64)| {
                let of = move |place: Place| (state as u32, place.0, p * seen(place, state));
                chain.beginnings().map(of).collect::<Vec<_>>()
            };
            let mut rows: Vec<(u32, u32, f64)> = mdp.start().iter().flat_map(row).filter(|row| row.2 > 0.0).collect();
            rows.sort_by_key(|row| (row.0, row.1));
            (rows, 0)
        }
    };
    let draft = Draft::new(mdp, time, nodes, known.is_none(), memory);
    chain.trellis(sights, draft, paths.horizon.longest(), share, |state, length| paths.may_end(mdp, state, length))
}

impl<'a> Tree<'a> {
    fn at(mdp: &'a Mdp, root: Root, sights: &Sights) -> Tree<'a> {
        let place = Place::step(0).0;
        let draft = match root {
            Root::Seen(state, time) => Draft::new(mdp, time, vec![(state as u32, place, 1.0)], false, 0),
            Root::Start(sight) => {
                let row = |&(state, p): &(usize, f64)| (state as u32, place, p * sights.weight(sight, state));
                Draft::new(mdp, 0, mdp.start().iter().map(row).filter(|row| row.2 > 0.0).collect(), true, 0)
            }
        };
        Tree { draft, after: BTreeMap::new(), outcomes: BTreeMap::new(), shares: Vec::new() }
    }

    /// The layer after one step with these sights of the action and of the next state.
    fn after(&mut self, mdp: &Mdp, layer: usize, action: u32, state: u32, sights: &Sights) -> Result<usize, Error> {
        if let Some(&known) = self.after.get(&(layer, action, state)) {
            return Ok(known);
        }
        let next = self.draft.extend(layer, |_, transition, places| {
            let taken = sights.weight(action, mdp.action_of(mdp.choice_of()[transition] as usize));
            places.push((Place::step(0).0, taken * sights.weight(state, mdp.to()[transition] as usize)));
        })?;
        self.after.insert((layer, action, state), next);
        Ok(next)
    }
}
