//! Junctions: the states with more than one successor, and the runs between them.
//!
//! On roads most states have a single successor. A walk is then determined by its choices at junctions, and a search
//! that counts steps needs to look at junctions only. The run of states after a choice becomes one arc with a number of
//! steps and a log-weight. Long runs are divided by waypoints, which are junctions with one arc out of them, so that a
//! step of the search reads only recent times.

mod search;
mod spread;

use std::collections::VecDeque;

pub(crate) use self::search::{Goal, JunctionScratch, SEARCH_LANES};
pub(crate) use self::spread::{JunctionSums, SUM_LANES};
use crate::model::PathModel;
use crate::model::path_model::log_weight;
use crate::routes::Route;
use crate::world::parents::Parents;

/// The largest number of steps of an arc.
const REACH: u32 = 16;
/// Marks a state that is not a junction, or one that has no successor or several.
const NONE: u32 = u32::MAX;
/// The maximum number of arcs into a junction: the index of the arc is stored in a byte.
const MOST_ARCS: u32 = 255;

/// A run from a junction to the next. The states between them have one successor each.
#[derive(Debug, Clone, Copy)]
struct JunctionArc {
    /// The number of the junction where it begins.
    from: u32,
    /// The number of steps to the next junction.
    steps: u32,
    /// The sum of log T π0 + R over the run, without the reward of the first state.
    log_weight: f64,
    /// Its first transition.
    transition: u32,
}

/// The junctions of a model without a discount, for walks of at most L states.
#[derive(Debug)]
pub(crate) struct Junctions<'a> {
    model: PathModel<'a>,
    parents: Parents,
    /// The transition out of each state with a single successor.
    forced: Vec<u32>,
    /// The number of each junction. Neighbours have close numbers.
    number_of: Vec<u32>,
    n_junctions: usize,
    /// The arcs into junction k are `first[k]..first[k + 1]`.
    first: Vec<u32>,
    arcs: Vec<JunctionArc>,
}

/// The run of states from the first state of a walk to the first junction.
#[derive(Debug, Clone)]
pub(crate) struct Beginning {
    states: Vec<usize>,
    transitions: Vec<usize>,
    /// The log-weight of the walk to each of these states.
    log_weights: Vec<f64>,
    /// The number of the junction at the end of the run; `None` if the run ends elsewhere or is longer than the
    /// horizon.
    pub junction: Option<u32>,
}

/// A run from a junction to the goal.
#[derive(Debug, Clone)]
struct Ending {
    from: u32,
    /// The transitions of the run, the last one first.
    transitions: Vec<u32>,
    log_weight: f64,
}

impl<'a> Junctions<'a> {
    /// `None` if too many arcs lead into one junction for their indices to fit into a byte.
    pub fn new(model: &PathModel<'a>) -> Option<Self> {
        let mdp = model.mdp();
        let possible = |state: usize| mdp.children(state).filter(|&step| mdp.reference_probability(step) > 0.0);
        let mut forced = vec![NONE; mdp.n_states()];
        let mut number_of = vec![NONE; mdp.n_states()];
        let mut junctions = Vec::new();
        for state in 0..mdp.n_states() {
            let mut steps = possible(state);
            match (steps.next(), steps.next()) {
                (Some(only), None) => forced[state] = only as u32,
                (Some(_), Some(_)) => {
                    number_of[state] = junctions.len() as u32;
                    junctions.push(state);
                }
                (None, _) => {}
            }
        }
        let (parents, n_junctions) = (Parents::taken(mdp), 0);
        let mut made =
            Junctions { model: model.clone(), parents, forced, number_of, n_junctions, first: vec![0], arcs: Vec::new() };
        // All waypoints are set before the arcs are built, because an arc ends at the first junction that it meets.
        let mut from = 0;
        while from < junctions.len() {
            possible(junctions[from]).for_each(|transition| made.add_waypoint(transition, &mut junctions));
            from += 1;
        }
        made.n_junctions = junctions.len();
        let numbered = junctions.iter().enumerate();
        let steps = numbered.flat_map(|(from, &state)| possible(state).map(move |transition| (from as u32, transition)));
        let mut arcs: Vec<(u32, JunctionArc)> = steps.filter_map(|(from, transition)| made.arc(from, transition)).collect();
        made.arrange(&junctions, &mut arcs);
        let most = made.first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        (most <= MOST_ARCS).then_some(made)
    }

    /// Numbers the junctions in the order of a breadth-first search along the arcs in both directions, and sorts the
    /// arcs by their ends.
    fn arrange(&mut self, junctions: &[usize], arcs: &mut [(u32, JunctionArc)]) {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); self.n_junctions];
        for (to, arc) in arcs.iter() {
            neighbours[*to as usize].push(arc.from);
            neighbours[arc.from as usize].push(*to);
        }
        let mut number = vec![NONE; self.n_junctions];
        let mut next = 0;
        let mut open = VecDeque::new();
        for start in 0..self.n_junctions as u32 {
            open.push_back(start);
            while let Some(junction) = open.pop_front() {
                if number[junction as usize] == NONE {
                    number[junction as usize] = next;
                    next += 1;
                    open.extend(neighbours[junction as usize].iter().filter(|&&other| number[other as usize] == NONE));
                }
            }
        }
        for (to, arc) in arcs.iter_mut() {
            (*to, arc.from) = (number[*to as usize], number[arc.from as usize]);
        }
        junctions.iter().zip(&number).for_each(|(&state, &number)| self.number_of[state] = number);
        arcs.sort_by_key(|(to, arc)| (*to, arc.from));
        self.first = vec![0; self.n_junctions + 1];
        arcs.iter().for_each(|arc| self.first[arc.0 as usize + 1] += 1);
        for junction in 0..self.n_junctions {
            self.first[junction + 1] += self.first[junction];
        }
        self.arcs = arcs.iter().map(|arc| arc.1).collect();
    }

    /// log T π0 + R of a transition, including the reward of the state that it leads to.
    fn step_log_weight(&self, transition: usize) -> f64 {
        let (mdp, reward) = (self.model.mdp(), self.model.reward());
        mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[mdp.to()[transition] as usize]
    }

    /// Makes a waypoint of the state that is too far from the last junction, if there is one.
    fn add_waypoint(&mut self, transition: usize, junctions: &mut Vec<usize>) {
        let mut state = self.model.mdp().to()[transition] as usize;
        for _ in 1..REACH {
            if self.number_of[state] != NONE || self.forced[state] == NONE {
                return;
            }
            state = self.model.mdp().to()[self.forced[state] as usize] as usize;
        }
        if self.number_of[state] == NONE && self.forced[state] != NONE {
            self.number_of[state] = junctions.len() as u32;
            junctions.push(state);
        }
    }

    /// The run after a choice to the next junction, and the number of that junction; `None` if the run ends before.
    fn arc(&self, from: u32, transition: usize) -> Option<(u32, JunctionArc)> {
        let (mut step, mut log_weight) = (transition, 0.0);
        for steps in 1..=REACH {
            log_weight += self.step_log_weight(step);
            let state = self.model.mdp().to()[step] as usize;
            if self.number_of[state] != NONE {
                return Some((self.number_of[state], JunctionArc { from, steps, log_weight, transition: transition as u32 }));
            }
            if self.forced[state] == NONE {
                return None;
            }
            step = self.forced[state] as usize;
        }
        None
    }

    /// The run that starts in a state.
    pub fn beginning(&self, state: usize) -> Beginning {
        let (mdp, horizon) = (self.model.mdp(), self.model.longest());
        let (mut states, mut transitions, mut log_weights) = (vec![state], Vec::new(), vec![self.model.reward().state[state]]);
        let (mut state, mut log_weight) = (state, log_weights[0]);
        while self.number_of[state] == NONE && self.forced[state] != NONE && states.len() < horizon {
            let transition = self.forced[state] as usize;
            log_weight += self.step_log_weight(transition);
            state = mdp.to()[transition] as usize;
            states.push(state);
            transitions.push(transition);
            log_weights.push(log_weight);
        }
        let junction = Some(self.number_of[state]).filter(|&number| number != NONE);
        Beginning { states, transitions, log_weights, junction }
    }

    /// Every run of at most L states from a junction to a state, including the run without a step.
    fn endings(&self, goal: usize) -> Vec<Ending> {
        self.endings_within(goal, self.model.longest())
    }

    /// The same for runs of at most `most` states.
    fn endings_within(&self, goal: usize, most: usize) -> Vec<Ending> {
        let mdp = self.model.mdp();
        let mut found = Vec::new();
        let mut open: Vec<(usize, Vec<u32>, f64)> = vec![(goal, Vec::new(), 0.0)];
        while let Some((state, transitions, log_weight)) = open.pop() {
            if self.number_of[state] != NONE {
                found.push(Ending { from: self.number_of[state], transitions, log_weight });
                continue;
            }
            if transitions.len() + 1 >= most {
                continue;
            }
            for &transition in self.parents.of(state) {
                let mut longer = transitions.clone();
                longer.push(transition);
                open.push((
                    mdp.from()[transition as usize] as usize,
                    longer,
                    self.step_log_weight(transition as usize) + log_weight,
                ));
            }
        }
        found
    }

    /// The transitions of an arc.
    fn unfold(&self, arc: &JunctionArc, transitions: &mut Vec<usize>) {
        let mut transition = arc.transition as usize;
        for step in 0..arc.steps {
            if step > 0 {
                transition = self.forced[self.model.mdp().to()[transition] as usize] as usize;
            }
            transitions.push(transition);
        }
    }

    fn route(&self, from: usize, transitions: Vec<usize>) -> Route {
        let mdp = self.model.mdp();
        let entered = transitions.iter().map(|&transition| mdp.to()[transition] as usize);
        let states: Vec<usize> = std::iter::once(from).chain(entered).collect();
        let log_weight = log_weight(mdp, self.model.reward(), &states, &transitions);
        Route { states, transitions, log_weight }
    }
}
