//! Linear systems of a stationary policy: (I − cP) x = b and its transpose, where P(s, s') = Σ_a π(a|s) T(s'|s,a).
//!
//! Small systems are solved by elimination. Large ones are solved by the stabilised biconjugate gradient method
//! (van der Vorst, 1992), which needs only products with P. If it does not converge, elimination decides.

use super::kernel::{Flows, arrivals, expectations, flows};
use super::layout::ChoiceLayout;
use crate::Error;
use crate::cancel::Pace;
use crate::engine::elimination::{Elimination, EliminationSums, Limit, Unsolved};
use crate::engine::network::LANES;
use crate::watch::Watch;
use crate::world::Mdp;

/// Up to this many states elimination is faster.
const SMALL: usize = 600;
/// The residual that counts as zero, relative to b.
const EXACT: f64 = 1e-14;
/// The residual that is accepted when no iteration makes it smaller.
const ACCEPTED: f64 = 1e-11;
const MOST_ITERATIONS: usize = 2_000;

/// Which of the two systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Side {
    /// (I − cP) x = b: expected sums of b over the states of an episode.
    Sums,
    /// (I − cPᵀ) x = b: expected visits, if b is where episodes begin.
    Visits,
}

/// A stationary policy as a matrix. Vectors are over the places of the layout.
pub(crate) struct PolicySystem<'a> {
    pub mdp: &'a Mdp,
    pub layout: &'a ChoiceLayout,
    pub policy: &'a [f64],
    /// c.
    pub factor: f64,
    pub share: bool,
    /// The memory budget of an elimination, in bytes.
    pub memory: usize,
}

impl PolicySystem<'_> {
    /// The solution. `None` if there is none: the policy has a loop that it never leaves.
    ///
    /// # Errors
    /// [`Error::FillIn`] and [`Error::Stopped`].
    pub fn solve(&self, side: Side, b: &[f64], elimination: &mut Option<Elimination>) -> Result<Option<Vec<f64>>, Error> {
        if self.mdp.n_states() > SMALL
            && let Some(x) = self.iterate(side, b)?
        {
            return Ok(Some(x));
        }
        let network = match elimination {
            Some(network) => network,
            none => none.insert(Elimination::new(self.mdp, &Limit::of_sums(self.memory), &Watch::none())?),
        };
        let policy =
            |transition: usize| self.policy[self.layout.slot_of_choice[self.mdp.choice_of()[transition] as usize] as usize];
        let weight = |transition: usize| self.factor * policy(transition) * self.mdp.probability()[transition];
        let weights: Vec<f64> = (0..self.mdp.n_transitions()).map(weight).collect();
        let sums = match EliminationSums::new(network, &weights) {
            Ok(sums) => sums,
            Err(Unsolved::Diverges(_)) => return Ok(None),
            Err(Unsolved::Stopped(stopped)) => return Err(stopped),
        };
        let by_state = self.layout.by_state(b);
        let x = match side {
            Side::Sums => sums.column(network, &by_state),
            Side::Visits => sums.row(network, &by_state),
        };
        Ok(x.iter().all(|x| x.is_finite()).then(|| self.layout.by_place(|state| x[state])))
    }

    /// out = (I − cP) x, or with the transpose.
    fn apply(&self, side: Side, x: &[f64], out: &mut [f64], flow: &mut Flows) {
        match side {
            Side::Sums => expectations(self.layout, self.share, -self.factor, self.policy, x, out),
            Side::Visits => {
                flows(self.layout, self.share, self.policy, x, flow);
                arrivals(self.layout, self.share, -self.factor, flow, out);
            }
        }
        // Terminal states have no expectations.
        let inner = if side == Side::Sums { self.layout.inner_slices * LANES } else { self.layout.n_places() };
        out[inner..].fill(0.0);
        out.iter_mut().zip(x).for_each(|(out, x)| *out += x);
    }

    fn iterate(&self, side: Side, b: &[f64]) -> Result<Option<Vec<f64>>, Error> {
        let size = norm(b);
        let mut x = vec![0.0; b.len()];
        if size == 0.0 {
            return Ok(Some(x));
        }
        let mut flow = Flows::new(self.layout, false);
        let mut r = b.to_vec();
        let shadow = b.to_vec();
        let [mut p, mut v, mut s, mut t] = [(); 4].map(|()| vec![0.0; b.len()]);
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let mut best = (f64::INFINITY, x.clone());
        let mut pace = Pace::default();
        for _ in 0..MOST_ITERATIONS {
            pace.spend(2 * self.mdp.n_transitions())?;
            let next_rho = dot(&shadow, &r);
            let beta = next_rho / rho * (alpha / omega);
            rho = next_rho;
            p.iter_mut().zip(&r).zip(&v).for_each(|((p, r), v)| *p = r + beta * (*p - omega * v));
            self.apply(side, &p, &mut v, &mut flow);
            alpha = rho / dot(&shadow, &v);
            s.iter_mut().zip(&r).zip(&v).for_each(|((s, r), v)| *s = r - alpha * v);
            self.apply(side, &s, &mut t, &mut flow);
            let square = dot(&t, &t);
            omega = if square > 0.0 { dot(&t, &s) / square } else { 0.0 };
            for (((x, p), s), (r, t)) in x.iter_mut().zip(&p).zip(&s).zip(r.iter_mut().zip(&t)) {
                *x += alpha * p + omega * s;
                *r = s - omega * t;
            }
            let left = norm(&r) / size;
            if !left.is_finite() {
                break;
            }
            if left < best.0 {
                best = (left, x.clone());
            }
            if left <= EXACT || rho == 0.0 || omega == 0.0 {
                break;
            }
        }
        // The recursion of the residual drifts: the true one decides.
        self.apply(side, &best.1, &mut t, &mut flow);
        t.iter_mut().zip(b).for_each(|(t, b)| *t = b - *t);
        Ok((norm(&t) <= ACCEPTED * size).then_some(best.1))
    }
}

/// a · b in eight sums, which run at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        (0..8).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    let rest = a.len() / 8 * 8;
    sums.iter().sum::<f64>() + a[rest..].iter().zip(&b[rest..]).map(|(a, b)| a * b).sum::<f64>()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
