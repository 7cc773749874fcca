//! One path with gaps of unknown length, without a horizon.

use super::prices::Prices;
use super::sights::Sights;
use super::split::Paths;
use super::sweep::Sink;
use super::trellis::Chain;
use crate::Error;
use crate::engine::elimination::Elimination;
use crate::engine::fixed_point::FixedPoint;
use crate::numeric::Scaled;
use crate::world::Mdp;

/// What follows each state at one step, if the path agrees with what was seen from there on.
#[derive(Debug)]
pub(crate) struct Behind {
    /// (state, the weight of what follows), in order.
    pub states: Vec<(usize, Scaled)>,
}

impl Behind {
    fn at(&self, state: usize) -> Scaled {
        self.states.binary_search_by_key(&state, |row| row.0).map_or(Scaled::ZERO, |place| self.states[place].1)
    }
}

/// The backward pass over a path with gaps: what follows each state of each step, and each gap.
#[derive(Debug)]
pub(crate) struct Passage<'a> {
    pub mdp: &'a Mdp,
    sights: &'a Sights,
    chain: &'a Chain,
    /// log weights of the transitions.
    log: &'a [f64],
    /// What follows, by step.
    pub behind: Vec<Behind>,
    /// The gap before each step, and after the last.
    pub gaps: Vec<Option<FixedPoint<'a>>>,
    /// The first states and their weights: for a path from its beginning, p0 with what follows.
    pub first: Vec<(usize, Scaled)>,
    /// The weight of all.
    pub total: Scaled,
    begins: bool,
    ends: bool,
}

/// Something that happens on the way forward: the transition, its probability, and whether it leads into a gap.
type Taken = (usize, f64);

impl<'a> Passage<'a> {
    /// # Errors
    /// [`Error::Diverges`] if loops do not cost enough.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        elimination: &'a Elimination,
        mdp: &'a Mdp,
        prices: &Prices<'_>,
        log: &'a [f64],
        sights: &'a Sights,
        paths: Paths,
        from: Option<usize>,
        chain: &'a Chain,
        ends: bool,
    ) -> Result<Passage<'a>, Error> {
        let (behind, gaps) = (Vec::new(), Vec::new());
        let (first, total, begins) = (Vec::new(), Scaled::ZERO, from.is_none());
        let mut passage = Passage { mdp, sights, chain, log, behind, gaps, first, total, begins, ends };
        let n = chain.len();
        passage.gaps.resize_with(n + 1, || None);
        passage.behind.resize_with(n, || Behind { states: Vec::new() });
        let end = |state: usize| match ends && !paths.may_end(mdp, state, 0) {
            true => f64::NEG_INFINITY,
            false if ends => prices.log_end(0, state),
            false => 0.0,
        };
        if chain.open_end {
            let of_end: Vec<f64> = (0..mdp.n_states()).map(end).collect();
            passage.gaps[n] = Some(FixedPoint::of_weights(elimination, mdp, log, &of_end, 0..mdp.n_states())?);
        }
        for step in (0..n).rev() {
            let states = passage.behind_step(step, &end);
            passage.behind[step] = Behind { states };
            if chain.gap_before(step) {
                let mut of_end = vec![f64::NEG_INFINITY; mdp.n_states()];
                for &(state, after) in &passage.behind[step].states {
                    of_end[state] = after.ln() + sights.weight(chain.sight(step).0, state).ln();
                }
                passage.gaps[step] = Some(FixedPoint::of_weights(elimination, mdp, log, &of_end, 0..mdp.n_states())?);
            }
        }
        passage.first = match from {
            Some(state) => vec![(state, passage.behind[0].at(state))],
            None => {
                let weigh = |&(state, p): &(usize, f64)| {
                    let after = match &passage.gaps[0] {
                        Some(gap) => gap.after(state),
                        None => passage.behind[0].at(state) * Scaled::from(sights.weight(chain.first.0, state)),
                    };
                    (state, times(Scaled::from(p) * Scaled::exp(prices.log_first(state)), after))
                };
                mdp.start().iter().filter(|row| row.1 > 0.0).map(weigh).filter(|row| !row.1.is_zero()).collect()
            }
        };
        passage.total = passage.first.iter().map(|row| row.1).fold(Scaled::ZERO, plus);
        Ok(passage)
    }

    /// What follows each state of a step.
    fn behind_step(&self, step: usize, end: &dyn Fn(usize) -> f64) -> Vec<(usize, Scaled)> {
        let seen = self.chain.sight(step).0;
        let candidates: Vec<usize> = match self.sights.exactly(seen) {
            Some(state) => vec![state],
            None => (0..self.mdp.n_states()).filter(|&state| self.sights.weight(seen, state) > 0.0).collect(),
        };
        let last = step + 1 == self.chain.len();
        let of = |state: usize| {
            if last && self.chain.is_last_step(self.sights) {
                return match &self.gaps[step + 1] {
                    Some(gap) => gap.after(state),
                    None => Scaled::exp(end(state)),
                };
            }
            self.mdp.children(state).map(|transition| self.onward(step, transition)).fold(Scaled::ZERO, plus)
        };
        candidates.into_iter().map(|state| (state, of(state))).filter(|row| !row.1.is_zero()).collect()
    }

    /// Whether the path may end with the last step.
    pub fn ends_with_last_step(&self) -> bool {
        self.chain.is_last_step(self.sights)
    }

    /// The weight of a transition after a step and of all that follows it.
    pub fn onward(&self, step: usize, transition: usize) -> Scaled {
        let (mdp, to) = (self.mdp, self.mdp.to()[transition] as usize);
        let action = mdp.action_of(mdp.choice_of()[transition] as usize);
        let taken = self.sights.weight(self.chain.sight(step).1, action);
        if taken == 0.0 || self.log[transition] == f64::NEG_INFINITY {
            return Scaled::ZERO;
        }
        let after = match &self.gaps[step + 1] {
            Some(gap) => gap.after(to),
            None => {
                let seen = self.sights.weight(self.chain.sight(step + 1).0, to);
                if seen == 0.0 { Scaled::ZERO } else { times(self.behind[step + 1].at(to), Scaled::from(seen)) }
            }
        };
        times(Scaled::exp(self.log[transition]) * Scaled::from(taken), after)
    }

    /// Tells how often each transition is taken, times a share. Returns the probability of each state at each step.
    pub fn forward(&self, share: f64, sink: &mut impl Sink) -> Vec<Vec<(usize, f64)>> {
        let mut here: Vec<(usize, f64)> =
            self.first.iter().map(|&(state, weight)| (state, share * (weight / self.total).to_f64())).collect();
        if self.begins {
            here.iter().for_each(|&(state, p)| sink.first(state, p));
            if self.gaps[0].is_some() {
                here = self.through(0, &here, sink);
            }
        }
        let mut found = Vec::with_capacity(self.chain.len());
        for step in 0..self.chain.len() {
            if step + 1 == self.chain.len() && self.chain.is_last_step(self.sights) {
                let last = if self.gaps[step + 1].is_some() { self.through(step + 1, &here, sink) } else { here.clone() };
                if self.ends {
                    last.iter().for_each(|&(state, p)| sink.end(0, state, p));
                }
                found.push(std::mem::take(&mut here));
                break;
            }
            let mut next: Vec<Taken> = Vec::new();
            for &(state, p) in &here {
                let all = self.behind[step].at(state);
                for transition in self.mdp.children(state) {
                    let onward = self.onward(step, transition);
                    if !onward.is_zero() {
                        let taken = p * (onward / all).to_f64();
                        sink.step(0, transition, taken);
                        sink.leave(step, transition, taken);
                        next.push((self.mdp.to()[transition] as usize, taken));
                    }
                }
            }
            let mut next = summed(next);
            if self.gaps[step + 1].is_some() {
                next = self.through(step + 1, &next, sink);
            }
            if step + 1 == self.chain.len() && self.ends {
                next.iter().for_each(|&(state, p)| sink.end(0, state, p));
            }
            found.push(std::mem::replace(&mut here, next));
        }
        found
    }

    /// From the probabilities of the states where a gap begins to those of the states where it ends.
    fn through(&self, gap: usize, first: &[(usize, f64)], sink: &mut impl Sink) -> Vec<(usize, f64)> {
        let Some(point) = &self.gaps[gap] else { return first.to_vec() };
        let visits = point.visits(first);
        // The state where the gap ends is that of a step, or the one before it is.
        let of_step = gap < self.chain.len() || self.ends_with_last_step();
        let seen: f64 = if of_step { first.iter().map(|row| row.1).sum() } else { 0.0 };
        sink.gap(gap, (visits.iter().sum::<f64>() - seen).max(0.0));
        for (transition, (&step, &from)) in point.step.iter().zip(self.mdp.from()).enumerate() {
            let taken = visits[from as usize] * step;
            if taken > 0.0 {
                sink.step(0, transition, taken);
            }
        }
        let ending = visits.iter().zip(&point.stop).map(|(visits, stop)| visits * stop).enumerate();
        ending.filter(|row| row.1 > 0.0).collect()
    }
}

/// The sums of equal states, in order.
fn summed(mut rows: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    rows.sort_by_key(|row| row.0);
    rows.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    rows
}

fn times(one: Scaled, other: Scaled) -> Scaled {
    if one.is_zero() || other.is_zero() { Scaled::ZERO } else { one * other }
}

fn plus(one: Scaled, other: Scaled) -> Scaled {
    match (one.is_zero(), other.is_zero()) {
        (true, _) => other,
        (_, true) => one,
        _ => one + other,
    }
}
