//! The likeliest paths one after another, given the value of the best continuation of each state.
//!
//! A path is described by its deviations from the best continuation: D. Eppstein's sidetracks, in E. L. Lawler's order.
//! Each path except the best has one parent, the path without its last deviation, so no path is found twice. A
//! deviation never increases the weight, so the next best path is always a child of one that was found before. Each
//! path costs one walk, even if many paths tie. A search over beginnings of paths (A*) would be slow with ties: it
//! would look at every beginning of every path whose weight is equal, up to rounding.

use std::collections::HashSet;

use super::queue::Queue;
use crate::Error;
use crate::cancel::Cancel;

/// A choice on a path: to end, or to take a transition and then the best continuation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// The transition and where it leads; `None` to end.
    pub step: Option<(usize, usize)>,
    /// The logarithm of the weight of the step and its continuation.
    pub value: f64,
    /// The number of states that follow.
    pub states: usize,
}

/// Fills in the choices of (t, s): first the end, then the transitions in order.
pub(crate) type Choices<'a> = dyn FnMut(usize, usize, &mut Vec<Choice>) -> Result<(), Error> + 'a;

/// Which paths are wanted, and when to give up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedPaths {
    /// How many paths are wanted.
    pub k: usize,
    /// Paths with more states are skipped.
    pub longest: usize,
    /// Whether paths that visit a state twice are skipped.
    pub loopless: bool,
    /// The search gives up after this many walks.
    pub walks: usize,
}

/// A path as states and transitions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Walk {
    pub states: Vec<usize>,
    pub transitions: Vec<usize>,
}

/// Paths, the best first, and whether all paths that are wanted or exist were found.
#[derive(Debug)]
pub(crate) struct Enumerated {
    pub walks: Vec<Walk>,
    pub finished: bool,
}

/// The likeliest paths from first states, given as (s, log f(s) + R(s)). Of equally likely paths, those with fewer
/// states come first.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn best_first(first: &[(usize, f64)], choices: &mut Choices<'_>, wanted: &WantedPaths) -> Result<Enumerated, Error> {
    let mut queue = Queue::new();
    let mut here = Vec::new();
    for &(state, paid) in first {
        choices(1, state, &mut here)?;
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
        Cancel::check()?;
        walks.extend(walk(&seen, score, choices, wanted, &mut queue)?);
    }
    let finished = walks.len() == wanted.k || queue.is_exhausted();
    Ok(Enumerated { walks, finished })
}

/// Where a path deviates from the best continuation: at t it takes this step, or ends. At t = 0 the step leads to the
/// first state.
#[derive(Debug, Clone, Copy)]
struct Deviation {
    /// The index in `seen` of the path without this deviation.
    parent: Option<usize>,
    t: usize,
    step: Option<(usize, usize)>,
}

/// Follows the path of the last deviation in `seen`, and adds the paths that deviate from it later to the queue. `None`
/// if the path is not wanted.
fn walk(
    seen: &[Deviation],
    score: f64,
    choices: &mut Choices<'_>,
    wanted: &WantedPaths,
    queue: &mut Queue<Deviation>,
) -> Result<Option<Walk>, Error> {
    let mut deviations = chain(seen).into_iter().rev().peekable();
    let Some(beginning) = deviations.next().and_then(|deviation| deviation.step) else { return Ok(None) };
    let mut walk = Walk { states: vec![beginning.1], transitions: Vec::new() };
    let mut visited = HashSet::from([beginning.1]);
    let mut here = Vec::new();
    for t in 1..=wanted.longest {
        let state = walk.states[t - 1];
        choices(t, state, &mut here)?;
        let step = if let Some(deviation) = deviations.next_if(|deviation| deviation.t == t) {
            deviation.step
        } else {
            let Some(&chosen) = best(&here) else { return Ok(None) };
            // The deviations before the last one were added with the ancestors of this path.
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
        let Some((transition, to)) = step else { return Ok(Some(walk)) };
        if wanted.loopless && !visited.insert(to) {
            return Ok(None);
        }
        walk.transitions.push(transition);
        walk.states.push(to);
    }
    Ok(None)
}

/// The deviations of the last path in `seen`, the latest first.
fn chain(seen: &[Deviation]) -> Vec<Deviation> {
    let mut chain = Vec::new();
    let mut at = seen.len().checked_sub(1);
    while let Some(index) = at {
        chain.push(seen[index]);
        at = seen[index].parent;
    }
    chain
}

/// The best choice; of equal choices the one with the fewest states, then the first.
fn best(choices: &[Choice]) -> Option<&Choice> {
    choices.iter().reduce(|best, other| {
        let better = other.value > best.value || (other.value == best.value && other.states < best.states);
        if better { other } else { best }
    })
}
