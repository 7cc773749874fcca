//! A scenario as changes of a world.

use std::collections::{BTreeMap, BTreeSet};

use super::Scenario;
use crate::Error;
use crate::world::{Features, Mdp, MdpBuilder, Reward};

/// Entries (row, feature, value) of the three blocks of features.
type Entries = [Vec<(usize, usize, f64)>; 3];

/// (s', T(s'|s, a)) of one choice.
type NextStates = Vec<(usize, f64)>;

/// Where a feature or a reward changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Places {
    /// In these states.
    States(Vec<usize>),
    /// With these choices (s, a).
    Choices(Vec<[usize; 2]>),
    /// With these transitions (s, a, s').
    Transitions(Vec<[usize; 3]>),
}

/// Collects changes of a world; [`build`](ScenarioBuilder::build) checks them and makes a [`Scenario`].
///
/// Other outcomes come first, then closures, then features and rewards, whatever the order of the calls.
///
/// ```
/// use revealed::{Features, MdpBuilder, ScenarioBuilder};
///
/// // Two ways to state 3: over 1 or over 2.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).terminal(3).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let closed = ScenarioBuilder::new(&mdp, &features).close_state(1).build()?;
/// assert_eq!(closed.mdp().base_weight(0), 0.0);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ScenarioBuilder<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    outcomes: Vec<([usize; 2], NextStates)>,
    closed_states: Vec<usize>,
    closed_transitions: Vec<[usize; 3]>,
    forbidden_actions: Vec<usize>,
    forbidden_choices: Vec<[usize; 2]>,
    scaled: Vec<(usize, f64, Option<Places>)>,
    added_features: Vec<(usize, f64, Places)>,
    added_rewards: Vec<(f64, Places)>,
}

impl<'a> ScenarioBuilder<'a> {
    /// Starts from a world, without changes.
    pub fn new(mdp: &'a Mdp, features: &'a Features) -> Self {
        ScenarioBuilder {
            mdp,
            features,
            outcomes: Vec::new(),
            closed_states: Vec::new(),
            closed_transitions: Vec::new(),
            forbidden_actions: Vec::new(),
            forbidden_choices: Vec::new(),
            scaled: Vec::new(),
            added_features: Vec::new(),
            added_rewards: Vec::new(),
        }
    }

    /// No path visits this state: none begins there, and a choice that may lead there is not offered. In a world with
    /// chance, this removes the choice with all its outcomes.
    pub fn close_state(&mut self, state: usize) -> &mut Self {
        self.closed_states.push(state);
        self
    }

    /// No path has this transition: the choice that may lead to it is not offered.
    pub fn close_transition(&mut self, from: usize, action: usize, to: usize) -> &mut Self {
        self.closed_transitions.push([from, action, to]);
        self
    }

    /// No state offers this action.
    pub fn forbid_action(&mut self, action: usize) -> &mut Self {
        self.forbidden_actions.push(action);
        self
    }

    /// One state does not offer this action.
    pub fn forbid_choice(&mut self, state: usize, action: usize) -> &mut Self {
        self.forbidden_choices.push([state, action]);
        self
    }

    /// Other probabilities T(s'|s, a) of one choice, which may be new. Transitions that the world did not have have no
    /// features of transitions. With a reference policy, a new choice has probability 0.
    pub fn outcomes(&mut self, state: usize, action: usize, outcomes: Vec<(usize, f64)>) -> &mut Self {
        self.outcomes.push(([state, action], outcomes));
        self
    }

    /// All values of a feature times a factor.
    pub fn scale_feature(&mut self, feature: usize, factor: f64) -> &mut Self {
        self.scaled.push((feature, factor, None));
        self
    }

    /// The values of a feature in some places times a factor. States have φ_s, choices φ_sa, transitions φ_sas'.
    pub fn scale_feature_at(&mut self, feature: usize, factor: f64, places: Places) -> &mut Self {
        self.scaled.push((feature, factor, Some(places)));
        self
    }

    /// Adds to the values of a feature in some places.
    pub fn add_to_feature(&mut self, feature: usize, value: f64, places: Places) -> &mut Self {
        self.added_features.push((feature, value, places));
        self
    }

    /// Adds to the reward in some places, in units of utility. A toll is negative.
    pub fn add_reward(&mut self, reward: f64, places: Places) -> &mut Self {
        self.added_rewards.push((reward, places));
        self
    }

    /// Checks the changes and makes the scenario.
    ///
    /// # Errors
    /// If a state, an action, a choice, a transition or a feature does not exist, a number is not finite, outcomes do
    /// not sum to 1, a feature is scaled where it is 0, or no open state is left to begin in.
    pub fn build(&self) -> Result<Scenario, Error> {
        let (mdp, entries) = self.other_outcomes()?;
        let is_open = self.open_choices(&mdp)?;
        let mut is_closed = vec![false; mdp.n_states()];
        self.closed_states.iter().for_each(|&state| is_closed[state] = true);
        let entries = self.other_features(&mdp, entries)?;
        let mut added = Reward::of_states(vec![0.0; mdp.n_states()]);
        for (row, (reward, places)) in self.added_rewards.iter().enumerate() {
            add_reward(&mdp, row, *reward, places, &mut added)?;
        }
        let features = self.features.with_entries(&mdp, entries);
        let restricts = is_open.contains(&false) || is_closed.contains(&true);
        let mdp = if restricts { mdp.restricted(|state| !is_closed[state], |choice| is_open[choice]) } else { mdp };
        if mdp.start().is_empty() {
            return Err(Error::NoTripLeft { from: None, to: None, horizon: None });
        }
        Ok(Scenario { mdp, features, added, is_closed })
    }

    /// The MDP with other outcomes, and the features on its choices and transitions.
    fn other_outcomes(&self) -> Result<(Mdp, Entries), Error> {
        let (old, blocks) = (self.mdp, self.features.blocks());
        let entries = blocks.map(|block| {
            (0..block.n_rows()).flat_map(|row| block.row(row).map(move |(k, value)| (row, k, value))).collect::<Vec<_>>()
        });
        if self.outcomes.is_empty() {
            return Ok((old.clone(), entries));
        }
        let mut rows = BTreeMap::new();
        for transition in 0..old.n_transitions() {
            let choice = old.choice_of()[transition] as usize;
            let step = [old.state_of(choice), old.action_of(choice), old.to()[transition] as usize];
            rows.insert(step, old.probability()[transition]);
        }
        for (choice, outcomes) in &self.outcomes {
            rows.retain(|step, _| step[..2] != *choice);
            for &(to, p) in outcomes {
                *rows.entry([choice[0], choice[1], to]).or_insert(0.0) += p;
            }
        }
        let mut builder = MdpBuilder::new(old.n_states(), old.n_actions());
        builder.discount(old.discount());
        old.start().iter().for_each(|&(state, p)| _ = builder.start(state, p));
        (0..old.n_states()).filter(|&state| old.is_terminal(state)).for_each(|state| _ = builder.terminal(state));
        rows.iter().for_each(|(&[from, action, to], &p)| _ = builder.transition(from, action, to, p));
        for (choice, &p) in old.reference().into_iter().flatten().enumerate() {
            builder.reference(old.state_of(choice), old.action_of(choice), p);
        }
        let mdp = builder.build()?;
        let [state, choice, transition] = entries;
        let new_choice = |(row, k, value)| Some((mdp.choice(old.state_of(row), old.action_of(row))?, k, value));
        let new_transition = |(row, k, value): (usize, usize, f64)| {
            let choice = old.choice_of()[row] as usize;
            Some((mdp.transition(old.state_of(choice), old.action_of(choice), old.to()[row] as usize)?, k, value))
        };
        let choice = choice.into_iter().filter_map(new_choice).collect();
        let transition = transition.into_iter().filter_map(new_transition).collect();
        Ok((mdp, [state, choice, transition]))
    }

    /// Whether each choice is still offered.
    fn open_choices(&self, mdp: &Mdp) -> Result<Vec<bool>, Error> {
        for (row, &index) in self.closed_states.iter().enumerate() {
            check_index("closed states", row, "state", index, mdp.n_states())?;
        }
        for (row, &index) in self.forbidden_actions.iter().enumerate() {
            check_index("forbidden actions", row, "action", index, mdp.n_actions())?;
        }
        let mut is_open = vec![true; mdp.n_choices()];
        let closed: BTreeSet<usize> = self.closed_states.iter().copied().collect();
        for (transition, &to) in mdp.to().iter().enumerate() {
            if closed.contains(&(to as usize)) {
                is_open[mdp.choice_of()[transition] as usize] = false;
            }
        }
        for (choice, is_open) in is_open.iter_mut().enumerate() {
            *is_open &= !self.forbidden_actions.contains(&mdp.action_of(choice));
        }
        for (row, &step) in self.closed_transitions.iter().enumerate() {
            is_open[mdp.choice_of()[transition_of(mdp, "closed transitions", row, step)?] as usize] = false;
        }
        for (row, &pair) in self.forbidden_choices.iter().enumerate() {
            is_open[choice_of(mdp, "forbidden choices", row, pair)?] = false;
        }
        Ok(is_open)
    }

    /// The feature values after all changes.
    fn other_features(&self, mdp: &Mdp, mut entries: Entries) -> Result<Entries, Error> {
        let n_features = self.features.n_features();
        for (row, (feature, factor, places)) in self.scaled.iter().enumerate() {
            check_index("scaled features", row, "feature", *feature, n_features)?;
            check_number("scaled features", row, "the factor", *factor)?;
            let at = places.as_ref().map(|places| rows_of(mdp, "scaled features", row, places)).transpose()?;
            let mut found = false;
            for (block, entries) in entries.iter_mut().enumerate() {
                let here = |place: usize| at.as_ref().is_none_or(|(which, rows)| *which == block && rows.contains(&place));
                for entry in entries.iter_mut().filter(|entry| entry.1 == *feature && here(entry.0)) {
                    found |= entry.2 != 0.0;
                    entry.2 *= factor;
                }
            }
            if !found {
                let places = if at.is_some() { "at these places" } else { "everywhere" };
                return Err(Error::NothingToScale { feature: *feature, places });
            }
        }
        for (row, (feature, value, places)) in self.added_features.iter().enumerate() {
            check_index("added features", row, "feature", *feature, n_features)?;
            check_number("added features", row, "the value", *value)?;
            let (block, rows) = rows_of(mdp, "added features", row, places)?;
            entries[block].extend(rows.into_iter().map(|place| (place, *feature, *value)));
        }
        Ok(entries)
    }
}

fn check_index(table: &'static str, row: usize, what: &'static str, index: usize, count: usize) -> Result<(), Error> {
    if index < count { Ok(()) } else { Err(Error::OutOfRange { table, row, what, index, count }) }
}

fn check_number(table: &'static str, row: usize, what: &'static str, value: f64) -> Result<(), Error> {
    let expected = "a finite number";
    if value.is_finite() { Ok(()) } else { Err(Error::BadNumber { table, row, what, value, expected }) }
}

fn choice_of(mdp: &Mdp, table: &'static str, row: usize, [state, action]: [usize; 2]) -> Result<usize, Error> {
    check_index(table, row, "state", state, mdp.n_states())?;
    mdp.choice(state, action).ok_or(Error::NoSuchStep { table, row, state, action, to: None })
}

fn transition_of(mdp: &Mdp, table: &'static str, row: usize, [state, action, to]: [usize; 3]) -> Result<usize, Error> {
    check_index(table, row, "state", state, mdp.n_states())?;
    mdp.transition(state, action, to).ok_or(Error::NoSuchStep { table, row, state, action, to: Some(to) })
}

/// The block of features that places belong to, and their rows in it.
fn rows_of(mdp: &Mdp, table: &'static str, row: usize, places: &Places) -> Result<(usize, BTreeSet<usize>), Error> {
    match places {
        Places::States(states) => {
            states.iter().try_for_each(|&state| check_index(table, row, "state", state, mdp.n_states()))?;
            Ok((0, states.iter().copied().collect()))
        }
        Places::Choices(choices) => {
            let rows = choices.iter().map(|&pair| choice_of(mdp, table, row, pair));
            Ok((1, rows.collect::<Result<_, Error>>()?))
        }
        Places::Transitions(transitions) => {
            let rows = transitions.iter().map(|&step| transition_of(mdp, table, row, step));
            Ok((2, rows.collect::<Result<_, Error>>()?))
        }
    }
}

fn add_reward(mdp: &Mdp, row: usize, reward: f64, places: &Places, added: &mut Reward) -> Result<(), Error> {
    check_number("added rewards", row, "the reward", reward)?;
    let (block, rows) = rows_of(mdp, "added rewards", row, places)?;
    if block == 0 {
        rows.into_iter().for_each(|state| added.state[state] += reward);
        return Ok(());
    }
    added.transition.resize(mdp.n_transitions(), 0.0);
    for place in rows {
        let transitions = if block == 1 { mdp.outcomes(place) } else { place..place + 1 };
        transitions.for_each(|transition| added.transition[transition] += reward);
    }
    Ok(())
}
