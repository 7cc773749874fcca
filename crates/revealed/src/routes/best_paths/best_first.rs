//! The likeliest paths one after the other, where it is known what the best that may follow is worth.
//!
//! A path is told by where it deviates from doing what is best: D. Eppstein's sidetracks, in E. L. Lawler's order. Each path but
//! the best has one parent, the path without its last deviation, so none comes twice; and a deviation never gains, so the next
//! best path is always a child of one that was seen. Every path costs one walk, however many are equally likely. Searching among
//! beginnings of paths instead (A*) would look at every beginning of every path of the same weight, up to rounding.

use std::collections::HashSet;

use super::queue::Queue;

/// What may happen next on a path: it ends, or a transition is taken and the best follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// The transition and where it leads; `None` to end.
    pub step: Option<(usize, usize)>,
    /// The logarithm of the weight of all that follows.
    pub value: f64,
    /// How many states follow.
    pub states: usize,
}

/// Fills in the choices of (t, s): to end first, and transitions in their order.
pub(crate) type Choices<'a> = dyn FnMut(usize, usize, &mut Vec<Choice>) + 'a;

/// Which paths are wanted, and how much work they are worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedPaths {
    /// How many.
    pub k: usize,
    /// Paths with more states are passed over.
    pub longest: usize,
    /// Paths that visit a state twice are passed over.
    pub loopless: bool,
    /// Gives up after this many walks.
    pub walks: usize,
}

/// A path by its transitions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Walk {
    pub states: Vec<usize>,
    pub transitions: Vec<usize>,
}

/// Paths, best first, and whether these are all that are wanted or exist.
#[derive(Debug)]
pub(crate) struct Enumerated {
    pub walks: Vec<Walk>,
    pub finished: bool,
}

/// The likeliest paths from first states, given as (s, log f(s) + R(s)). Of equally likely ones, those with fewer states come first.
pub(crate) fn best_first(first: &[(usize, f64)], choices: &mut Choices<'_>, wanted: &WantedPaths) -> Enumerated {
    let mut queue = Queue::new();
    let mut here = Vec::new();
    for &(state, paid) in first {
        choices(1, state, &mut here);
        if let Some(best) = best(&here) {
            let beginning = Deviation { parent: None, t: 0, step: Some((0, state)) };
            queue.push(paid + best.value, 1 + best.states, beginning);
        }
    }
    let mut seen: Vec<Deviation> = Vec::new();
    let mut walks = Vec::new();
    while walks.len() < wanted.k && seen.len() < wanted.walks {
        queue.keep(wanted.walks - seen.len());
        let Some((score, deviation)) = queue.pop() else { break };
        seen.push(deviation);
        walks.extend(walk(&seen, score, choices, wanted, &mut queue));
    }
    let finished = walks.len() == wanted.k || queue.is_exhausted();
    Enumerated { walks, finished }
}

/// Where a path leaves the best way: at t it takes this step, or ends. At t = 0 it "steps" to its first state.
#[derive(Debug, Clone, Copy)]
struct Deviation {
    /// The path without this deviation, among those seen.
    parent: Option<usize>,
    t: usize,
    step: Option<(usize, usize)>,
}

/// Walks the path of the deviation seen last, and puts the paths that deviate from it later into the queue. `None` if it is
/// not wanted.
fn walk(
    seen: &[Deviation],
    score: f64,
    choices: &mut Choices<'_>,
    wanted: &WantedPaths,
    queue: &mut Queue<Deviation>,
) -> Option<Walk> {
    let mut deviations = chain(seen).into_iter().rev().peekable();
    let beginning = deviations.next().and_then(|deviation| deviation.step)?;
    let mut walk = Walk { states: vec![beginning.1], transitions: Vec::new() };
    let mut visited = HashSet::from([beginning.1]);
    let mut here = Vec::new();
    for t in 1..=wanted.longest {
        let state = walk.states[t - 1];
        choices(t, state, &mut here);
        let step = if let Some(deviation) = deviations.next_if(|deviation| deviation.t == t) {
            deviation.step
        } else {
            let chosen = *best(&here)?;
            // Before the last deviation, others were put into the queue with its ancestors.
            let own = deviations.peek().is_none();
            for other in here.iter().filter(|other| own && other.step != chosen.step) {
                let returns = wanted.loopless && other.step.is_some_and(|step| visited.contains(&step.1));
                if !returns {
                    let lost = (chosen.value - other.value).max(0.0);
                    queue.push(score - lost, t + other.states, Deviation { parent: Some(seen.len() - 1), t, step: other.step });
                }
            }
            chosen.step
        };
        let Some((transition, to)) = step else { return Some(walk) };
        if wanted.loopless && !visited.insert(to) {
            return None;
        }
        walk.transitions.push(transition);
        walk.states.push(to);
    }
    None
}

/// The deviations of the path seen last, the latest first.
fn chain(seen: &[Deviation]) -> Vec<Deviation> {
    let mut chain = Vec::new();
    let mut at = seen.len().checked_sub(1);
    while let Some(index) = at {
        chain.push(seen[index]);
        at = seen[index].parent;
    }
    chain
}

/// The best choice; of equal ones the one with the fewest states, and then the first.
fn best(choices: &[Choice]) -> Option<&Choice> {
    choices.iter().reduce(|best, other| {
        let better = other.value > best.value || (other.value == best.value && other.states < best.states);
        if better { other } else { best }
    })
}
