//! One copy of the world: for the trips with the same columns, or with a link size between the same two ends.

use crate::Error;
use crate::model::RouteSums;
use crate::world::{Features, FeaturesBuilder, Mdp, MdpBuilder, Trajectory};

/// A copy of the world, or of the part of it that its trips can use.
pub(super) struct Layer {
    /// The values of the products' columns.
    values: Vec<f64>,
    /// The first and the last state, if there is a link size.
    ends: Option<[usize; 2]>,
    /// The place of each state among the states of all copies; `None` if the copy does not have it.
    place: Vec<Option<usize>>,
    n_states: usize,
}

impl Layer {
    /// A copy whose states follow `before` others. With ends, and without chance and a reference policy, it has only
    /// the states on ways between these ends: other states are on no path of the model.
    pub fn new(mdp: &Mdp, values: Vec<f64>, ends: Option<[usize; 2]>, before: usize) -> Layer {
        let all = vec![true; mdp.n_states()];
        let certain = mdp.probability().iter().all(|&p| p == 1.0) && mdp.reference().is_none();
        let kept = match ends {
            Some([from, to]) if certain => {
                let ahead = reached(mdp, from, |transition| [mdp.from()[transition], mdp.to()[transition]]);
                let behind = reached(mdp, to, |transition| [mdp.to()[transition], mdp.from()[transition]]);
                ahead.iter().zip(behind).map(|(ahead, behind)| *ahead && behind).collect()
            }
            _ => all,
        };
        let mut n_states = 0;
        let mut next = |kept: bool| {
            n_states += usize::from(kept);
            kept.then(|| before + n_states - 1)
        };
        let place = kept.into_iter().map(&mut next).collect();
        Layer { values, ends, place, n_states }
    }

    pub fn n_states(&self) -> usize {
        self.n_states
    }

    pub fn place(&self, state: usize) -> Option<usize> {
        self.place[state]
    }

    /// A demonstration in this copy. Its ends in the world become the column `origin-destination`, so that they are
    /// still known as those of other copies.
    pub fn moved(&self, path: Trajectory) -> Trajectory {
        let ends = format!("{}-{}", path.states[0], path.states[path.states.len() - 1]);
        let mut trip = path.trip;
        trip.entry("origin-destination".to_string()).or_insert(crate::world::TripValue::Text(ends));
        let states = path.states.iter().filter_map(|&state| self.place(state)).collect();
        Trajectory { states, trip, ..path }
    }

    /// Adds the states and transitions of this copy, and the features of the world. `share` is the share of each first
    /// state.
    pub fn add_to(&self, mdp: &Mdp, share: f64, builder: &mut MdpBuilder) {
        for &(state, p) in mdp.start() {
            self.place(state).into_iter().for_each(|place| _ = builder.start(place, share * p));
        }
        let mut goes_on = vec![false; mdp.n_states()];
        for (transition, from, to) in self.transitions(mdp) {
            let choice = mdp.choice_of()[transition] as usize;
            goes_on[mdp.state_of(choice)] = true;
            builder.transition(from, mdp.action_of(choice), to, mdp.probability()[transition]);
        }
        let ends = goes_on.iter().zip(&self.place).filter(|(goes_on, _)| !**goes_on);
        ends.filter_map(|(_, place)| *place).for_each(|place| _ = builder.terminal(place));
        for (choice, &p) in mdp.reference().into_iter().flatten().enumerate() {
            let place = self.place(mdp.state_of(choice));
            place.into_iter().for_each(|place| _ = builder.reference(place, mdp.action_of(choice), p));
        }
    }

    /// The transitions of the copy, with the places of their states.
    pub fn transitions<'a>(&'a self, mdp: &'a Mdp) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        (0..mdp.n_transitions()).filter_map(move |transition| {
            let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| self.place(state as usize));
            Some((transition, from?, to?))
        })
    }

    /// Adds the features of this copy. `products` are the features that are multiplied with its values, and `first_row`
    /// is the row of its first transition.
    ///
    /// # Errors
    /// As [`RouteSums::visits`].
    pub fn add_features(
        &self,
        world: (&Mdp, &Features),
        products: &[usize],
        first: Option<&RouteSums>,
        first_row: usize,
        builder: &mut FeaturesBuilder,
    ) -> Result<(), Error> {
        let (mdp, features) = world;
        let n = features.n_features();
        let with_products = |row: Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            let times = |(place, (feature, by)): (usize, (&usize, &f64))| {
                let value: f64 = row.iter().filter(|entry| entry.0 == *feature).map(|entry| entry.1).sum();
                (value * by != 0.0).then_some((n + place, value * by))
            };
            let added: Vec<_> = products.iter().zip(&self.values).enumerate().filter_map(times).collect();
            row.into_iter().chain(added).collect()
        };
        let [of_state, of_choice, of_transition] = features.blocks();
        for (state, place) in self.place.iter().enumerate().filter_map(|(state, place)| Some((state, (*place)?))) {
            let row = with_products(of_state.row(state).collect());
            row.into_iter().for_each(|(k, value)| _ = builder.state(place, k, value));
            for choice in mdp.choices(state) {
                let row = with_products(of_choice.row(choice).collect());
                let action = mdp.action_of(choice);
                row.into_iter().for_each(|(k, value)| _ = builder.state_action(place, action, k, value));
            }
        }
        for (row, (transition, ..)) in self.transitions(mdp).enumerate() {
            let entries = with_products(of_transition.row(transition).collect());
            entries.into_iter().for_each(|(k, value)| _ = builder.transition(first_row + row, k, value));
        }
        if let (Some(first), Some([from, to])) = (first, self.ends) {
            let visits = first.visits(from, to)?;
            for (place, visits) in self.place.iter().zip(visits).filter(|(_, visits)| *visits > 0.0) {
                place.iter().for_each(|&place| _ = builder.state(place, n + products.len(), visits));
            }
        }
        Ok(())
    }
}

/// The states that a search from one state reaches along steps.
fn reached(mdp: &Mdp, from: usize, step: impl Fn(usize) -> [u32; 2]) -> Vec<bool> {
    let mut next = vec![Vec::new(); mdp.n_states()];
    for transition in 0..mdp.n_transitions() {
        let [here, there] = step(transition);
        next[here as usize].push(there as usize);
    }
    let (mut seen, mut queue) = (vec![false; mdp.n_states()], vec![from]);
    seen[from] = true;
    while let Some(state) = queue.pop() {
        for &to in &next[state] {
            if !std::mem::replace(&mut seen[to], true) {
                queue.push(to);
            }
        }
    }
    seen
}
