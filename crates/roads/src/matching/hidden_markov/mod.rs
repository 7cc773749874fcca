//! The hidden Markov model of Newson and Krumm (2009). Fixes are normally distributed around the position of the car,
//! and the length of a route is close to the distance between its fixes.

mod trellis;

pub use self::trellis::Trellis;
use super::candidates::Candidate;
use super::matcher::{Matched, Matcher, Observation, Outliers, Seen};
use super::routes::{BoundedSearch, Measure};
use super::tally::Reason;
use crate::trips::{Fix, Trip};

/// A trellis, with the meaning of its layers.
struct Layers {
    trellis: Trellis,
    /// The observation of each layer.
    places: Vec<usize>,
    /// The candidates of each layer.
    candidates: Vec<Vec<Candidate>>,
}

impl Layers {
    fn keep(&mut self, first: usize) {
        self.trellis.truncate(first);
        self.places.truncate(first);
        self.candidates.truncate(first);
    }
}

impl Matcher<'_> {
    /// The most likely route of a trip.
    pub(super) fn most_likely(&self, trip: &Trip, search: &mut BoundedSearch) -> Result<Matched, Reason> {
        let places = self.observations(trip)?;
        let layers = self.layers(&places, search)?;
        let (best, log_probability) = layers.trellis.best_path();
        let posteriors = layers.trellis.posteriors(&best);
        let taken: Vec<Candidate> = layers.candidates.iter().zip(&best).map(|(candidates, &one)| candidates[one]).collect();
        let mut segments = vec![taken[0].segment];
        let mut seen = vec![Seen { fix: places[layers.places[0]].index, at: 0, along: taken[0].along }];
        for (pair, at) in taken.windows(2).zip(layers.places.windows(2)) {
            let (from, to) = (&places[at[0]].fix, &places[at[1]].fix);
            search.run(
                self.network,
                &Measure::Lengths,
                pair[0],
                &pair[1..],
                self.bound(from, to).1,
                (to.position, self.options.radius),
            );
            segments.extend(search.path_to(pair[1]));
            seen.push(Seen { fix: places[at[1]].index, at: segments.len() - 1, along: pair[1].along });
        }
        // A first segment of which nothing was driven is not a part of the route.
        if segments.len() > 1 && taken[0].along >= self.network.segments[taken[0].segment as usize].length {
            segments.remove(0);
            seen.iter_mut().for_each(|seen| seen.move_up());
        }
        Ok(Matched {
            id: trip.id.clone(),
            part: 0,
            why: None,
            segments,
            seen,
            confidence: posteriors.iter().sum::<f64>() / posteriors.len() as f64,
            log_probability,
            used: taken.len(),
            skipped: trip.fixes.len() - taken.len(),
            outliers: Outliers::default(),
        })
    }

    /// The layers from the first observation to the last. Where no route leads on, as few observations as possible are
    /// skipped: the next ones, the last ones, or both.
    fn layers(&self, places: &[Observation], search: &mut BoundedSearch) -> Result<Layers, Reason> {
        let first = |place: usize| {
            let candidates = places[place].candidates.clone();
            let trellis = Trellis::new(self.emissions(&candidates));
            Layers { trellis, places: vec![place], candidates: vec![candidates] }
        };
        let (mut layers, mut next) = (first(0), 1);
        'places: while next < places.len() {
            for out in 0..=2 * self.options.gap {
                for back in 0..=out.min(layers.places.len()) {
                    let (ahead, kept) = (next + out - back, layers.places.len() - back);
                    if ahead > places.len() || kept == 0 && ahead == places.len() {
                        continue;
                    }
                    // All consecutive fixes that would be skipped, including those of an earlier break.
                    let after = if kept == 0 { 0 } else { layers.places[kept - 1] + 1 };
                    if places[after..ahead].iter().map(|place| place.fixes).sum::<usize>() > self.options.gap {
                        continue;
                    }
                    // At either end no route has to connect across the skipped fixes.
                    if kept == 0 {
                        layers = first(ahead);
                    } else if ahead == places.len() {
                        layers.keep(kept);
                    } else if !self.step(places, &mut layers, kept, ahead, search) {
                        continue;
                    }
                    next = ahead + 1;
                    continue 'places;
                }
            }
            return Err(Reason::Broken);
        }
        Ok(layers)
    }

    /// Adds an observation after the first `kept` layers, if it can be reached from them.
    fn step(&self, places: &[Observation], layers: &mut Layers, kept: usize, place: usize, search: &mut BoundedSearch) -> bool {
        let (before, here) = (&places[layers.places[kept - 1]].fix, &places[place].fix);
        let (direct, bound) = self.bound(before, here);
        let old = &layers.candidates[kept - 1];
        let mut candidates = places[place].candidates.clone();
        if direct < self.options.still {
            self.stay(old, here, &mut candidates);
        }
        let n = candidates.len();
        let mut steps = vec![f64::NEG_INFINITY; old.len() * n];
        for (from, &at) in old.iter().enumerate() {
            if layers.trellis.best(kept - 1)[from] == f64::NEG_INFINITY {
                continue;
            }
            search.run(self.network, &Measure::Lengths, at, &candidates, bound, (here.position, self.options.radius));
            for (to, &target) in candidates.iter().enumerate() {
                if let Some(distance) = search.distance_to(target).filter(|&distance| distance <= bound) {
                    steps[from * n + to] = -(distance - direct).abs() / self.options.beta;
                }
            }
        }
        let reached = layers.trellis.push(kept, self.emissions(&candidates), steps);
        if reached {
            layers.places.truncate(kept);
            layers.places.push(place);
            layers.candidates.truncate(kept);
            layers.candidates.push(candidates);
        }
        reached
    }

    /// Adds the candidates of the layer before: because of noise, a car that stands still or hardly moves seems to
    /// drive backwards, which is not possible. A candidate is not added if the same segment has one farther ahead.
    fn stay(&self, old: &[Candidate], fix: &Fix, candidates: &mut Vec<Candidate>) {
        let own = candidates.len();
        for &one in old {
            let away = self.position(one.segment, one.along).distance(fix.position);
            let ahead = |new: &Candidate| new.segment == one.segment && new.along >= one.along;
            if away <= self.options.radius && !candidates[..own].iter().any(ahead) {
                candidates.push(Candidate { away, ..one });
            }
        }
    }

    fn emissions(&self, candidates: &[Candidate]) -> Vec<f64> {
        candidates.iter().map(|candidate| self.emission(candidate.away)).collect()
    }

    /// The distance between two fixes, and the longest route between them that is considered.
    pub(super) fn bound(&self, from: &Fix, to: &Fix) -> (f64, f64) {
        let direct = from.position.distance(to.position);
        let mut bound = direct + self.options.detour;
        if let (Some(from), Some(to)) = (from.seconds, to.seconds) {
            // Both ends may be off by the radius, and clocks by a second.
            bound = bound.min(self.options.fastest / 3.6 * (to - from).max(1.0) + 2.0 * self.options.radius);
        }
        (direct, bound)
    }
}
