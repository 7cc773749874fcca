//! The product of a world with the windows that its features ask about.

use std::collections::HashMap;

use super::contexts::Contexts;
use super::windows::{Window, Windows};
use crate::Error;
use crate::model::{Ends, MarginalKind};
use crate::numeric::Work;
use crate::world::{Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, Trajectory};

/// The bytes that a transition of the product takes, about: in the MDP and its features.
const OF_TRANSITION: usize = 300;
/// The place of a state or step that the world does not have.
const NONE: u32 = u32::MAX;

/// A world whose states know how a path came to them.
///
/// A state of the product is a state with the longest known window that ends there. Terminal states need no history,
/// because nothing follows. State s without a history has the number s in both worlds, so first states stay what they
/// are.
///
/// A path that ends in a given state may end there with any history. So a product for questions about last states has
/// an exit from each of them: one more step, which pays nothing, into a state of its own. All paths are then one state
/// longer, which [`lift`](Self::lift) takes into account, as does a horizon ([`has_exits`](Self::has_exits)).
///
/// ```
/// use revealed::{Demonstrations, Ends, Features, HistoryWorld, MaxEnt, MdpBuilder, Method, Options, Trajectory, Windows, Work};
///
/// // On a circle of four states, the walker goes on as it came.
/// let mut builder = MdpBuilder::new(4, 2);
/// for s in 0..4 {
///     builder.start(s, 0.25).transition(s, 0, (s + 1) % 4, 1.0).transition(s, 1, (s + 3) % 4, 1.0);
/// }
/// let mdp = builder.build()?;
/// let demos = [Trajectory::new(vec![0, 1, 2, 3, 0], vec![0; 4]), Trajectory::new(vec![0, 3, 2, 1, 0], vec![1; 4])];
/// let demos = Demonstrations::new(&mdp, &demos)?;
///
/// let windows = Windows::indicators(&mdp, &demos, 2, 1.0)?;
/// let world = HistoryWorld::new(&mdp, &Features::one_hot(&mdp), &windows, &[], &Work::default())?;
/// let lifted = world.lift_all(&mdp, &demos)?;
/// let settings = MaxEnt {
///     method: Method::Causal,
///     options: Options { ends: Ends::Horizon, ..Options::default() },
///     l2: 1e-3,
///     ..MaxEnt::default()
/// };
/// let fit = settings.fit(&world.mdp, &world.features, &lifted)?;
/// // Only the first step is a surprise: log 1/2, and log 1/4 for the first state.
/// assert!((fit.log_likelihood - 0.125f64.ln()).abs() < 0.2);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HistoryWorld {
    /// The product.
    pub mdp: Mdp,
    /// The features of the world, followed by those of the windows.
    pub features: Features,
    contexts: Contexts,
    /// Whether each state of the world is terminal.
    is_terminal: Vec<bool>,
    /// The exit of each state of the world; empty if there are none.
    exits: Vec<u32>,
    /// The state, the choice and the transition of the world for each of the product; `NONE` for exits.
    places: [Vec<u32>; 3],
    /// How many of each the world has.
    counts: [usize; 3],
}

impl HistoryWorld {
    /// Makes the product, with exits from the states `last`. `work` limits its memory.
    ///
    /// # Errors
    /// [`Error::Histories`] if the product does not fit into the memory; [`Error::HistoryReference`] if there are exits
    /// and a reference policy.
    pub fn new(mdp: &Mdp, features: &Features, windows: &Windows, last: &[usize], work: &Work) -> Result<HistoryWorld, Error> {
        if mdp.reference().is_some() && !last.is_empty() {
            return Err(Error::HistoryReference);
        }
        let is_terminal: Vec<bool> = (0..mdp.n_states()).map(|state| mdp.is_terminal(state)).collect();
        let contexts = Contexts::new(mdp.n_states(), windows.windows().iter().map(|window| window.states.as_slice()));
        check_size(mdp, &contexts, windows, work)?;
        let mut exits = Vec::new();
        if !last.is_empty() {
            exits = vec![NONE; mdp.n_states()];
            last.iter().for_each(|&state| exits[state] = 0);
            let numbers = contexts.len() as u32..;
            exits.iter_mut().filter(|exit| **exit == 0).zip(numbers).for_each(|(exit, number)| *exit = number);
        }
        let counts = [mdp.n_states(), mdp.n_choices(), mdp.n_transitions()];
        let places = [Vec::new(), Vec::new(), Vec::new()];
        let empty = Features::one_hot(mdp);
        let mut world = HistoryWorld { mdp: mdp.clone(), features: empty, contexts, is_terminal, exits, places, counts };
        let product = world.product(mdp)?;
        world.features = world.products(mdp, features, windows, &product)?;
        world.places = world.places_in(mdp, &product);
        world.mdp = product;
        Ok(world)
    }

    fn product(&self, mdp: &Mdp) -> Result<Mdp, Error> {
        let n_exits = self.exits.iter().filter(|&&exit| exit != NONE).count();
        let n_actions = mdp.n_actions() + usize::from(n_exits > 0);
        let mut builder = MdpBuilder::new(self.contexts.len() + n_exits, n_actions);
        builder.discount(mdp.discount());
        mdp.start().iter().for_each(|&(state, p)| _ = builder.start(state, p));
        for node in 0..self.contexts.len() {
            let state = self.contexts.last(node);
            for transition in mdp.children(state) {
                let action = mdp.action_of(mdp.choice_of()[transition] as usize);
                let to = self.next(node, mdp.to()[transition] as usize);
                builder.transition(node, action, to, mdp.probability()[transition]);
            }
            match self.exit(state) {
                Some(exit) => _ = builder.transition(node, mdp.n_actions(), exit, 1.0),
                None if self.is_terminal[state] => _ = builder.terminal(node),
                None => {}
            }
            for choice in mdp.reference().into_iter().flat_map(|_| mdp.choices(state)) {
                let p = mdp.reference().map_or(1.0, |reference| reference[choice]);
                builder.reference(node, mdp.action_of(choice), p);
            }
        }
        (0..n_exits).for_each(|exit| _ = builder.terminal(self.contexts.len() + exit));
        builder.build()
    }

    /// The features of the product.
    fn products(&self, mdp: &Mdp, features: &Features, windows: &Windows, product: &Mdp) -> Result<Features, Error> {
        let n = features.n_features();
        let mut builder = FeaturesBuilder::new(n + windows.n_features());
        builder.names(windows.all_names(features));
        let [of_state, of_choice, of_transition] = features.blocks();
        let mut by_node: HashMap<usize, Vec<&Window>> = HashMap::new();
        for window in windows.windows() {
            let node = self.contexts.node(&window.states);
            by_node.entry(node.expect("every window is a node")).or_default().push(window);
        }
        let mut row = 0;
        for node in 0..self.contexts.len() {
            let state = self.contexts.last(node);
            of_state.row(state).for_each(|(k, value)| _ = builder.state(node, k, value));
            let known = self.contexts.suffixes(node).filter_map(|node| by_node.get(&node)).flatten();
            let known: Vec<&Window> = known.copied().collect();
            for choice in mdp.choices(state) {
                let action = mdp.action_of(choice);
                of_choice.row(choice).for_each(|(k, value)| _ = builder.state_action(node, action, k, value));
                for window in known.iter().filter(|window| window.to.is_none() && window.action.is_none_or(|a| a == action)) {
                    builder.state_action(node, action, n + window.feature, window.value);
                }
            }
            // The rows of the builder of the product are in this order.
            for transition in mdp.children(state) {
                let [to, action] = [mdp.to()[transition] as usize, mdp.action_of(mdp.choice_of()[transition] as usize)];
                of_transition.row(transition).for_each(|(k, value)| _ = builder.transition(row, k, value));
                for window in known.iter().filter(|w| w.to == Some(to) && w.action.is_none_or(|a| a == action)) {
                    builder.transition(row, n + window.feature, window.value);
                }
                row += 1;
            }
            row += usize::from(self.exit(state).is_some());
        }
        builder.build(product)
    }

    fn places_in(&self, mdp: &Mdp, product: &Mdp) -> [Vec<u32>; 3] {
        let nodes = self.contexts.len();
        let state = |node: usize| if node < nodes { self.contexts.last(node) as u32 } else { NONE };
        let of_choice = |choice: usize| {
            let of = state(product.state_of(choice)) as usize;
            mdp.choice(of, product.action_of(choice)).map_or(NONE, |choice| choice as u32)
        };
        let states = (0..product.n_states()).map(state).collect();
        let choices: Vec<u32> = (0..product.n_choices()).map(of_choice).collect();
        let of_transition = |transition: usize| {
            let choice = choices[product.choice_of()[transition] as usize];
            let to = state(product.to()[transition] as usize);
            if choice == NONE {
                return NONE;
            }
            let mut outcomes = mdp.outcomes(choice as usize);
            outcomes.find(|&outcome| mdp.to()[outcome] == to).map_or(NONE, |outcome| outcome as u32)
        };
        let transitions = (0..product.n_transitions()).map(of_transition).collect();
        [states, choices, transitions]
    }

    /// How many states the world has, without histories.
    pub fn n_places(&self) -> usize {
        self.counts[0]
    }

    /// The state of the world for a state of the product; `None` for an exit.
    pub fn place(&self, state: usize) -> Option<usize> {
        Some(self.places[0][state]).filter(|&place| place != NONE).map(|place| place as usize)
    }

    /// Whether there are exits.
    pub fn has_exits(&self) -> bool {
        !self.exits.is_empty()
    }

    /// The exit from a state of the world, if there is one.
    pub fn exit(&self, state: usize) -> Option<usize> {
        self.exits.get(state).filter(|&&exit| exit != NONE).map(|&exit| exit as usize)
    }

    /// Where a path is after another state of the world.
    pub(super) fn next(&self, node: usize, state: usize) -> usize {
        match self.is_terminal[state] {
            true => state,
            false => self.contexts.next(node as u32, state as u32) as usize,
        }
    }

    /// A path of the world in the product, without an exit.
    pub fn lift(&self, path: &Trajectory) -> Trajectory {
        let Some((&first, rest)) = path.states.split_first() else { return path.clone() };
        let after = rest.iter().scan(first, |node, &state| {
            *node = self.next(*node, state);
            Some(*node)
        });
        Trajectory { states: std::iter::once(first).chain(after).collect(), ..path.clone() }
    }

    /// Demonstrations of the world in the product; to the exits, if there are any.
    ///
    /// # Errors
    /// If a demonstration ends in a state that has no exit, and others have.
    pub fn lift_all(&self, mdp: &Mdp, demos: &Demonstrations) -> Result<Demonstrations, Error> {
        let paths: Result<Vec<Trajectory>, Error> = (0..demos.len())
            .map(|index| {
                let path = demos.trajectory(mdp, index);
                let mut lifted = self.lift(&path);
                if self.has_exits() {
                    let state = path.states[path.states.len() - 1];
                    let rule = "the product of the world with histories has no exit from it";
                    lifted.states.push(self.exit(state).ok_or(Error::NotAnEnd { state, rule })?);
                    lifted.actions.push(self.exit_action());
                }
                Ok(lifted)
            })
            .collect();
        Demonstrations::new(&self.mdp, &paths?)
    }

    /// The action that takes an exit.
    pub(super) fn exit_action(&self) -> usize {
        self.mdp.n_actions() - 1
    }

    /// A path of the product in the world.
    pub fn original(&self, path: Trajectory) -> Trajectory {
        let states: Vec<usize> = path.states.iter().filter_map(|&state| self.place(state)).collect();
        let mut actions = path.actions;
        actions.truncate(states.len().saturating_sub(1));
        Trajectory { states, actions, ..path }
    }

    /// Values of states, choices or transitions of the product, added up over histories.
    pub fn summed(&self, kind: MarginalKind, values: &[f64]) -> Vec<f64> {
        let which = match kind {
            MarginalKind::State => 0,
            MarginalKind::StateAction => 1,
            MarginalKind::Transition => 2,
        };
        let mut sums = vec![0.0; self.counts[which]];
        for (&place, value) in self.places[which].iter().zip(values).filter(|(place, _)| **place != NONE) {
            sums[place as usize] += value;
        }
        sums
    }

    /// The states in which the demonstrations end, for the exits of a model of these ends: none, unless each
    /// demonstration has a goal of its own.
    pub fn last_states(demos: &Demonstrations, ends: Ends) -> Vec<usize> {
        let last = |index: usize| demos.states(index)[demos.states(index).len() - 1] as usize;
        let mut states: Vec<usize> = match ends {
            Ends::Goal => (0..demos.len()).map(last).collect(),
            Ends::Anywhere | Ends::Horizon | Ends::Terminal => Vec::new(),
        };
        states.sort_unstable();
        states.dedup();
        states
    }
}

/// Refuses a product that does not fit into the memory, before it is made.
fn check_size(mdp: &Mdp, contexts: &Contexts, windows: &Windows, work: &Work) -> Result<(), Error> {
    let n_transitions: usize = (0..contexts.len()).map(|node| mdp.children(contexts.last(node)).len()).sum();
    let least = n_transitions.saturating_mul(OF_TRANSITION);
    if least > work.memory || contexts.len() >= NONE as usize / 2 {
        let (order, n_states) = (windows.order(), contexts.len());
        return Err(Error::Histories { order, n_states, n_transitions, least, budget: work.memory });
    }
    Ok(())
}
