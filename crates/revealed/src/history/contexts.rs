//! What of a path has to be remembered: the longest window at its end that is the beginning of a known one.
//!
//! This is the automaton of Aho and Corasick (1975) over the states of a path. Its nodes are the beginnings of all
//! windows, and every single state.

use std::collections::HashMap;

/// There is no shorter window.
const NONE: u32 = u32::MAX;

/// The nodes. The node of a single state has the number of that state.
#[derive(Debug, Clone)]
pub(super) struct Contexts {
    /// The last state of each node.
    last: Vec<u32>,
    /// The number of states of each node.
    length: Vec<u32>,
    /// The node of the longest known window at its end, other than itself.
    shorter: Vec<u32>,
    /// The node that is longer by one state.
    longer: HashMap<(u32, u32), u32>,
}

impl Contexts {
    /// The single states, and the beginnings of these windows.
    pub fn new<'w>(n_states: usize, windows: impl Iterator<Item = &'w [usize]>) -> Contexts {
        let last: Vec<u32> = (0..n_states as u32).collect();
        let mut contexts = Contexts { length: vec![1; n_states], shorter: vec![NONE; n_states], last, longer: HashMap::new() };
        windows.for_each(|states| contexts.insert(states));
        contexts.link();
        contexts
    }

    fn insert(&mut self, states: &[usize]) {
        let mut node = states[0] as u32;
        for &state in &states[1..] {
            let new = self.last.len() as u32;
            let next = *self.longer.entry((node, state as u32)).or_insert(new);
            if next == new {
                self.last.push(state as u32);
                self.length.push(self.length[node as usize] + 1);
                self.shorter.push(NONE);
            }
            node = next;
        }
    }

    /// Finds the shorter window of each node, those of short ones first.
    fn link(&mut self) {
        let mut longer: Vec<(u32, u32, u32)> = self.longer.iter().map(|(&(from, state), &to)| (from, state, to)).collect();
        longer.sort_by_key(|&(_, _, to)| (self.length[to as usize], to));
        for (from, state, to) in longer {
            let shorter = self.shorter[from as usize];
            self.shorter[to as usize] = if shorter == NONE { state } else { self.next(shorter, state) };
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// The state in which the path is.
    pub fn last(&self, node: usize) -> usize {
        self.last[node] as usize
    }

    /// Where a path is after another state.
    pub fn next(&self, node: u32, state: u32) -> u32 {
        let mut node = node;
        loop {
            if let Some(&next) = self.longer.get(&(node, state)) {
                return next;
            }
            match self.shorter[node as usize] {
                NONE => return state,
                shorter => node = shorter,
            }
        }
    }

    /// The node of a window, if it is one.
    pub fn node(&self, states: &[usize]) -> Option<usize> {
        let first = *states.first()? as u32;
        let node = states[1..].iter().try_fold(first, |node, &state| self.longer.get(&(node, state as u32)).copied());
        node.map(|node| node as usize)
    }

    /// A node, and the shorter windows at its end.
    pub fn suffixes(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&node| match self.shorter[node] {
            NONE => None,
            shorter => Some(shorter as usize),
        })
    }
}
