//! The hidden stretches of known or bounded length of all demonstrations: their likelihood and their expectations.

use super::prices::Prices;
use super::sweep::{Forward, Sink};
use super::trellis::Trellis;
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;

/// The work is cut into at most this many pieces, each with sums of its own. The number does not depend on threads.
const CHUNKS: usize = 16;
/// Pieces with fewer edges than this are not worth their sums.
const LEAST_EDGES: usize = 1 << 14;
/// With fewer edges than this, one thread is faster than several.
const WORTH_SHARING: usize = 1 << 15;

/// The trellises, in pieces of similar size.
#[derive(Debug)]
pub(crate) struct Hidden {
    pub trellises: Vec<Trellis>,
    chunks: Vec<std::ops::Range<usize>>,
    n_edges: usize,
}

/// Σ share · log of a weight, or the first outcome of weight 0: (trellis, outcome).
type Weighed = Result<f64, (usize, usize)>;

impl Hidden {
    pub fn new(trellises: Vec<Trellis>) -> Hidden {
        let n_edges: usize = trellises.iter().map(Trellis::n_edges).sum();
        let most = n_edges.div_ceil(CHUNKS).max(LEAST_EDGES);
        let (mut chunks, mut first, mut edges) = (Vec::new(), 0, 0);
        for (number, trellis) in trellises.iter().enumerate() {
            edges += trellis.n_edges();
            if edges >= most {
                chunks.push(first..number + 1);
                (first, edges) = (number + 1, 0);
            }
        }
        if first < trellises.len() {
            chunks.push(first..trellises.len());
        }
        Hidden { trellises, chunks, n_edges }
    }

    /// Whether several threads make it faster.
    pub fn is_large(&self) -> bool {
        self.n_edges >= WORTH_SHARING && self.chunks.len() > 1
    }

    /// Σ share · log of the weight of each outcome, and what the sinks were told of the paths. `None` instead of the sum
    /// for the first outcome of weight 0: (trellis, outcome).
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn expect<S: Sink + Send>(
        &self,
        prices: &Prices<'_>,
        new: impl Fn() -> S + Sync + Send,
    ) -> Result<(Weighed, Vec<S>), Error> {
        let of_chunk = |chunk: std::ops::Range<usize>| {
            Cancel::check()?;
            let (mut sink, mut sum) = (new(), Ok(0.0));
            for number in chunk {
                let trellis = &self.trellises[number];
                let forward = Forward::new(trellis, prices);
                let mut shares = Vec::with_capacity(trellis.outcomes.len());
                for (outcome, total) in forward.totals().iter().enumerate() {
                    let share = trellis.outcomes[outcome].share;
                    if total.is_zero() {
                        sum = sum.and(Err((number, outcome)));
                    } else if let Ok(sum) = &mut sum {
                        *sum += share * total.ln();
                        shares.push((outcome, share));
                    }
                }
                forward.backward(trellis, prices, &shares, &mut sink);
            }
            Ok((sum, sink))
        };
        let found: Vec<Result<_, Error>> = parallel::map(self.chunks.iter().cloned(), of_chunk);
        let (mut total, mut sinks) = (Ok(0.0), Vec::new());
        for found in found {
            let (sum, sink) = found?;
            total = total.and_then(|total| sum.map(|sum| total + sum));
            sinks.push(sink);
        }
        Ok((total, sinks))
    }

    /// What the paths of each outcome do, in sinks of their own; `None` for an outcome of weight 0.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn by_outcome<S: Sink + Send>(
        &self,
        prices: &Prices<'_>,
        new: impl Fn() -> S + Sync + Send,
    ) -> Result<Vec<Vec<Option<S>>>, Error> {
        let of_trellis = |trellis: &Trellis| {
            Cancel::check()?;
            let forward = Forward::new(trellis, prices);
            let of_outcome = |(outcome, total): (usize, &crate::numeric::Scaled)| {
                (!total.is_zero()).then(|| {
                    let mut sink = new();
                    forward.backward(trellis, prices, &[(outcome, 1.0)], &mut sink);
                    sink
                })
            };
            Ok(forward.totals().iter().enumerate().map(of_outcome).collect())
        };
        parallel::map(&self.trellises, of_trellis).into_iter().collect()
    }
}
