//! Single paths with gaps of unknown length, without a horizon: the likeliest, and draws.

use rand_pcg::Pcg64Mcg;

use super::passage::Passage;
use super::prices::Prices;
use super::sights::Sights;
use super::split::Paths;
use super::trellis::Chain;
use crate::Error;
use crate::cancel::Pace;
use crate::engine::fixed_point::heaviest_continuations;
use crate::numeric::random::{choose, draw};
use crate::world::Mdp;

/// log weights of the heaviest continuations, and how each begins.
type Gap = (Vec<f64>, Vec<Option<(usize, usize)>>);

/// The heaviest way on from each step, and through each gap.
struct Heaviest<'a> {
    mdp: &'a Mdp,
    sights: &'a Sights,
    chain: &'a Chain,
    log: Vec<f64>,
    /// By step and state.
    behind: Vec<Vec<f64>>,
    gaps: Vec<Option<Gap>>,
}

/// The likeliest path: its first state, its transitions, and the logarithm of its weight. `None` if there is none.
///
/// # Errors
/// [`Error::Diverges`] if loops gain.
pub(crate) fn likeliest(
    mdp: &Mdp,
    prices: &Prices<'_>,
    sights: &Sights,
    paths: Paths,
    chain: &Chain,
) -> Result<Option<(usize, Vec<usize>, f64)>, Error> {
    let log: Vec<f64> = (0..mdp.n_transitions()).map(|transition| prices.log_step(0, transition)).collect();
    let (behind, gaps) = (vec![Vec::new(); chain.len()], vec![None; chain.len() + 1]);
    let mut heaviest = Heaviest { mdp, sights, chain, log, behind, gaps };
    let end = |state: usize| match paths.may_end(mdp, state, 0) {
        true => prices.log_end(0, state),
        false => f64::NEG_INFINITY,
    };
    if chain.open_end {
        let ends: Vec<f64> = (0..mdp.n_states()).map(end).collect();
        heaviest.gaps[chain.len()] = Some(heaviest_continuations(mdp, &heaviest.log, &ends)?);
    }
    for step in (0..chain.len()).rev() {
        heaviest.behind[step] = heaviest.behind_step(step, &end);
        if chain.gap_before(step) {
            let ends: Vec<f64> = (0..mdp.n_states()).map(|state| heaviest.seen_at(step, state)).collect();
            heaviest.gaps[step] = Some(heaviest_continuations(mdp, &heaviest.log, &ends)?);
        }
    }
    let begin = |&(state, p): &(usize, f64)| (state, p.ln() + prices.log_first(state) + heaviest.of_step(0, state));
    let better = |best: Option<(usize, f64)>, next: (usize, f64)| match best {
        Some(best) if best.1 >= next.1 => Some(best),
        _ => Some(next),
    };
    let starts = mdp.start().iter().map(begin).filter(|row| row.1 > f64::NEG_INFINITY);
    Ok(starts.fold(None, better).map(|(first, log)| (first, heaviest.trace(first), log)))
}

impl Heaviest<'_> {
    /// What follows a state at a step, with what was seen of it.
    fn seen_at(&self, step: usize, state: usize) -> f64 {
        self.behind[step][state] + self.sights.weight(self.chain.sight(step).0, state).ln()
    }

    /// What follows a state that is that of a step, or lies in the gap before it.
    fn of_step(&self, step: usize, state: usize) -> f64 {
        match &self.gaps[step] {
            Some((heaviest, _)) => heaviest[state],
            None if step < self.chain.len() => self.seen_at(step, state),
            None => f64::NEG_INFINITY,
        }
    }

    fn onward(&self, step: usize, transition: usize) -> f64 {
        let action = self.mdp.action_of(self.mdp.choice_of()[transition] as usize);
        let taken = self.sights.weight(self.chain.sight(step).1, action).ln();
        self.log[transition] + taken + self.of_step(step + 1, self.mdp.to()[transition] as usize)
    }

    fn behind_step(&self, step: usize, end: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let last = step + 1 == self.chain.len() && self.chain.is_last_step(self.sights);
        let of = |state: usize| {
            if self.sights.weight(self.chain.sight(step).0, state) == 0.0 {
                return f64::NEG_INFINITY;
            }
            match (last, &self.gaps[step + 1]) {
                (true, Some((heaviest, _))) => heaviest[state],
                (true, None) => end(state),
                (false, _) => {
                    let steps = self.mdp.children(state).map(|transition| self.onward(step, transition));
                    steps.fold(f64::NEG_INFINITY, f64::max)
                }
            }
        };
        (0..self.mdp.n_states()).map(of).collect()
    }

    /// The transitions of the heaviest path from a first state.
    fn trace(&self, first: usize) -> Vec<usize> {
        let (mut state, mut transitions) = (first, Vec::new());
        let through = |gap: usize, mut state: usize, transitions: &mut Vec<usize>| {
            let Some((_, next)) = &self.gaps[gap] else { return state };
            while let Some((transition, to)) = next[state] {
                transitions.push(transition);
                state = to;
            }
            state
        };
        state = through(0, state, &mut transitions);
        for step in 0..self.chain.len() {
            if step + 1 == self.chain.len() && self.chain.is_last_step(self.sights) {
                through(step + 1, state, &mut transitions);
                break;
            }
            let better = |best: usize, next: usize| {
                if self.onward(step, next) > self.onward(step, best) { next } else { best }
            };
            let Some(transition) = self.mdp.children(state).reduce(better) else { break };
            transitions.push(transition);
            state = through(step + 1, self.mdp.to()[transition] as usize, &mut transitions);
        }
        transitions
    }
}

/// A path that is drawn: its first state and its transitions. `None` if there is none.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn sampled(passage: &Passage<'_>, rng: &mut Pcg64Mcg) -> Result<Option<(usize, Vec<usize>)>, Error> {
    let mdp = passage.mdp;
    let Some(first) = choose(&passage.first, rng) else { return Ok(None) };
    let (mut state, mut transitions, mut pace) = (first, Vec::new(), Pace::default());
    let n = passage.gaps.len() - 1;
    for step in 0..=n {
        if let Some(gap) = &passage.gaps[step] {
            // The way through a gap ends by chance.
            const END: usize = usize::MAX;
            loop {
                pace.spend(16)?;
                let steps = mdp.children(state).map(|transition| (transition, gap.step[transition]));
                let taken = draw(steps.chain([(END, gap.stop[state])]), rng);
                if taken == END {
                    break;
                }
                transitions.push(taken);
                state = mdp.to()[taken] as usize;
            }
        }
        if step == n || (step + 1 == n && passage.ends_with_last_step()) {
            if step < n {
                continue;
            }
            break;
        }
        let onward: Vec<_> = mdp.children(state).map(|transition| (transition, passage.onward(step, transition))).collect();
        let Some(taken) = choose(&onward, rng) else { return Ok(None) };
        transitions.push(taken);
        state = mdp.to()[taken] as usize;
    }
    Ok(Some((first, transitions)))
}
