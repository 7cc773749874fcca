//! Matching that never gives up a trip because of one bad stretch.
//!
//! The hidden Markov model of Newson and Krumm with two more events, each with a cost. A fix may be an outlier, which is
//! skipped. The route may break, because a road is not on the map or because a car did what the map forbids: then the
//! trip has several parts. The most likely sequence decides between a detour, a skip and a break.

mod lattice;
mod noise;
mod reach;

pub use self::lattice::{Lattice, LatticeStep, SkipCost, Taken};
use std::collections::BTreeSet;

use self::reach::{Clock, bound_of, log_step};
use super::candidates::Candidate;
use super::matcher::{Matched, Matcher, Outliers, Seen};
use super::routes::{BoundedSearch, Measure};
use super::tally::Reason;
use crate::trips::{Fix, Trip};

/// How often steps over more fixes are added where the path breaks.
const ROUNDS: usize = 3;
/// Candidates that would be worse than the best of their layer by this share of a break are not searched for.
const BEAM: f64 = 0.5;
/// The same for steps over skipped fixes.
const FEW: f64 = 0.1;
/// The numbers of layers from a break at which steps over many fixes begin and end.
const FROM_BREAK: [usize; 8] = [0, 1, 2, 4, 8, 16, 32, 64];

/// Fixes of the same time count this much.
const LEAST_WEIGHT: f64 = 1e-3;

/// Adds the pairs of layers around a break.
fn around(before: usize, after: usize, n: usize, pairs: &mut BTreeSet<(usize, usize)>) {
    for back in FROM_BREAK.iter().filter_map(|back| before.checked_sub(*back)) {
        let ahead = FROM_BREAK.iter().map(|ahead| after + ahead).filter(|&ahead| ahead < n);
        pairs.extend(ahead.map(|ahead| (ahead, back)));
    }
}

/// How much a fix says that the fix before does not: errors of GPS change slowly, so a second later they are nearly the
/// same.
pub(super) fn weight(memory: f64, before: Option<&Fix>, fix: &Fix) -> f64 {
    match before.and_then(|before| before.seconds).zip(fix.seconds) {
        Some((from, to)) if memory > 0.0 => ((to - from) / memory).clamp(LEAST_WEIGHT, 1.0),
        _ => 1.0,
    }
}

/// A fix that is used, with its candidates.
struct Place {
    fix: Fix,
    /// Its index in the trip.
    index: usize,
    /// Whether fixes before it, after the place before, are too far from any road.
    off_before: bool,
    candidates: Vec<Candidate>,
    /// How much it counts, from 0 to 1.
    weight: f64,
}

/// The places of a track, and what is known about its noise.
struct Track<'a> {
    places: Vec<Place>,
    sigma: f64,
    /// What makes routes likely.
    measure: &'a Measure,
    /// What is known about its times.
    clock: Clock,
}

impl Track<'_> {
    /// The log probability of a fix at a candidate, up to a constant.
    fn emission(&self, at: usize, candidate: &Candidate) -> f64 {
        -0.5 * self.places[at].weight * (candidate.away / self.sigma).powi(2)
    }
}

impl Matcher<'_> {
    /// The parts of a trip, by what makes routes likely.
    pub(super) fn tolerant(&self, trip: &Trip, measure: &Measure, search: &mut BoundedSearch) -> Result<Vec<Matched>, Reason> {
        let track = self.track(trip, measure)?;
        let (path, log_probability, layers) = self.best(&track, search);
        let mut parts: Vec<Matched> = Vec::new();
        let mut last: Option<Taken> = None;
        for &taken in &path {
            let (place, candidate) = (&track.places[taken.layer], layers[taken.layer][taken.candidate]);
            match last.filter(|_| !taken.begins) {
                None => {
                    let reason = last.map(|last| self.why(&track, last.layer, taken.layer));
                    parts.push(self.begun(trip, parts.len(), reason, log_probability, candidate));
                }
                Some(last) => {
                    let from = layers[last.layer][last.candidate];
                    let part = parts.last_mut().expect("a path begins with a part");
                    self.go_on(&track, [last.layer, taken.layer], [from, candidate], search, part);
                    part.outliers.count(taken.layer - last.layer - 1);
                }
            }
            let part = parts.last_mut().expect("a path begins with a part");
            let at = part.segments.len() - 1;
            part.seen.push(Seen { fix: place.index, at, along: candidate.along });
            part.confidence += taken.posterior;
            last = Some(taken);
        }
        parts.iter_mut().for_each(|part| self.finish(part));
        Ok(parts)
    }

    /// A part with its first candidate.
    fn begun(&self, trip: &Trip, part: usize, why: Option<Reason>, log_probability: f64, first: Candidate) -> Matched {
        let (id, segments) = (trip.id.clone(), vec![first.segment]);
        let (seen, outliers) = (Vec::new(), Outliers::default());
        Matched { id, part, why, segments, seen, confidence: 0.0, log_probability, used: 0, skipped: 0, outliers }
    }

    /// Adds the route to the next candidate.
    fn go_on(
        &self,
        track: &Track<'_>,
        layers: [usize; 2],
        [from, to]: [Candidate; 2],
        search: &mut BoundedSearch,
        part: &mut Matched,
    ) {
        let [a, b] = layers.map(|layer| &track.places[layer]);
        let bound = bound_of(track.measure, &self.reach(track, a, b), 3.0 * self.options.break_cost);
        search.run(self.network, track.measure, from, &[to], bound, (b.fix.position, to.away));
        part.segments.extend(search.path_to(to));
    }

    /// Counts fixes, and removes a first segment of which nothing was driven.
    fn finish(&self, part: &mut Matched) {
        part.used = part.seen.len();
        part.confidence /= part.used as f64;
        let (first, last) = (part.seen[0], part.seen[part.used - 1]);
        part.skipped = last.fix + 1 - first.fix - part.used;
        let length = self.network.segments[part.segments[0] as usize].length;
        if part.segments.len() > 1 && first.along >= length {
            part.segments.remove(0);
            part.seen.iter_mut().for_each(Seen::move_up);
        }
    }

    /// Why a route breaks between two layers.
    fn why(&self, track: &Track<'_>, from: usize, to: usize) -> Reason {
        let off = track.places[from + 1..=to].iter().any(|place| place.off_before);
        if off { Reason::OffNetwork } else { Reason::Broken }
    }

    /// The fixes that are used: at valid positions, in the order of time, with a candidate, and so far from the fix
    /// before that they say more than noise.
    fn track<'m>(&self, trip: &Trip, measure: &'m Measure) -> Result<Track<'m>, Reason> {
        let fixes = in_order(trip);
        let valid = trip.fixes.iter().filter(|fix| fix.position.is_valid()).count();
        if 2 * fixes.len() < valid {
            return Err(Reason::Backwards);
        }
        let sigma = self.noise(&fixes);
        let spacing = self.options.spacing / self.options.sigma * sigma;
        let mut places: Vec<Place> = Vec::new();
        let mut off_before = false;
        for &(index, fix) in &fixes {
            if places.last().is_some_and(|last| last.fix.position.distance(fix.position) < spacing) {
                continue;
            }
            let candidates = self.widening(fix);
            if candidates.is_empty() {
                off_before = true;
                continue;
            }
            let weight = weight(self.options.memory, places.last().map(|last| &last.fix), &fix);
            places.push(Place { fix, index, off_before, candidates, weight });
            off_before = false;
        }
        let clock = Clock::new(places.iter().map(|place| place.fix));
        if places.is_empty() { Err(Reason::OffNetwork) } else { Ok(Track { places, sigma, measure, clock }) }
    }

    /// The candidates in the smallest circle that has some.
    fn widening(&self, fix: Fix) -> Vec<Candidate> {
        let mut radius = self.options.radius;
        loop {
            let found = self.near(fix.position, radius);
            if !found.is_empty() || radius >= self.options.farthest {
                return found;
            }
            radius = (2.0 * radius).min(self.options.farthest);
        }
    }

    /// The most likely path, its log probability, and the candidates of all layers. Where the path breaks, steps over
    /// more fixes are tried: many fixes in a row may be outliers, as in a street between high buildings.
    fn best(&self, track: &Track<'_>, search: &mut BoundedSearch) -> (Vec<Taken>, f64, Vec<Vec<Candidate>>) {
        let mut long = BTreeSet::new();
        let mut round = 0;
        loop {
            let (lattice, layers) = self.lattice(track, &long, search);
            let (path, log_probability) = lattice.best_path();
            let known = long.len();
            if round < ROUNDS {
                let breaks = path.windows(2).filter(|pair| pair[1].begins);
                breaks.for_each(|pair| around(pair[0].layer, pair[1].layer, track.places.len(), &mut long));
            }
            if long.len() == known {
                return (self.over_copies(path, &lattice, &layers), log_probability, layers);
            }
            round += 1;
        }
    }

    /// The path with the posterior of each place on the road: copies of a segment are the same road.
    fn over_copies(&self, mut path: Vec<Taken>, lattice: &Lattice, layers: &[Vec<Candidate>]) -> Vec<Taken> {
        let road = |one: &Candidate| (self.network.original(one.segment as usize), one.along.to_bits());
        if self.network.n_originals() < self.network.n_segments() {
            let posteriors = lattice.posteriors();
            for taken in &mut path {
                let (layer, here) = (&layers[taken.layer], road(&layers[taken.layer][taken.candidate]));
                let same = layer.iter().zip(&posteriors[taken.layer]).filter(|(one, _)| road(one) == here);
                taken.posterior = same.map(|(_, posterior)| posterior).sum::<f64>().min(1.0);
            }
        }
        path
    }

    /// The lattice, and the candidates of its layers. `long` has pairs of layers, the later one first, with steps over
    /// all between them.
    fn lattice(
        &self,
        track: &Track<'_>,
        long: &BTreeSet<(usize, usize)>,
        search: &mut BoundedSearch,
    ) -> (Lattice, Vec<Vec<Candidate>>) {
        let mut lattice = Lattice::new(self.options.break_cost, self.options.burst_cost);
        let mut layers: Vec<Vec<Candidate>> = Vec::new();
        for (at, place) in track.places.iter().enumerate() {
            let mut candidates = place.candidates.clone();
            if at > 0 {
                self.may_stay(track, at, &lattice, &layers[at - 1], &mut candidates);
            }
            let [alone, in_burst] = [self.options.skip_cost, self.options.burst_skip_cost].map(|cost| cost * place.weight);
            let emissions = candidates.iter().map(|one| track.emission(at, one)).collect();
            lattice.push(emissions, SkipCost { alone, in_burst });
            layers.push(candidates);
            for old in (at.saturating_sub(1 + self.options.skips)..at).rev() {
                self.steps(track, old, at, &mut lattice, &layers, search);
            }
            for &(_, old) in long.range((at, 0)..(at, at)).filter(|pair| pair.1 + 1 + self.options.skips < at) {
                self.steps(track, old, at, &mut lattice, &layers, search);
            }
        }
        (lattice, layers)
    }

    /// Adds candidates of the layer before: a car that hardly moves seems to drive backwards because of noise.
    fn may_stay(&self, track: &Track<'_>, at: usize, lattice: &Lattice, old: &[Candidate], candidates: &mut Vec<Candidate>) {
        let (fix, last) = (&track.places[at].fix, &track.places[at - 1].fix);
        let still = self.options.still / self.options.sigma * track.sigma;
        if last.position.distance(fix.position) >= still {
            return;
        }
        let (own, least) = (candidates.len(), lattice.top(at - 1) - self.options.break_cost);
        let farthest = candidates.iter().map(|one| one.away).fold(self.options.radius, f64::max);
        for (&one, &best) in old.iter().zip(lattice.best(at - 1)) {
            let away = self.position(one.segment, one.along).distance(fix.position);
            let ahead = |new: &Candidate| new.segment == one.segment && new.along >= one.along;
            if best >= least && away <= farthest && !candidates[..own].iter().any(ahead) {
                candidates.push(Candidate { away, ..one });
            }
        }
    }

    /// Adds the steps from one layer to another, which skip those between.
    fn steps(
        &self,
        track: &Track<'_>,
        old: usize,
        at: usize,
        lattice: &mut Lattice,
        layers: &[Vec<Candidate>],
        search: &mut BoundedSearch,
    ) {
        let (cost, top) = (lattice.skipped_between(old, at), lattice.top(old));
        let reach = self.reach(track, &track.places[old], &track.places[at]);
        let goal = track.places[at].fix.position;
        let own: Vec<f64> = layers[at].iter().map(|one| track.emission(at, one)).collect();
        let radius = layers[at].iter().map(|one| one.away).fold(0.0, f64::max);
        let beam = if old + 1 < at { FEW } else { BEAM } * self.options.break_cost;
        let mut sources: Vec<usize> = (0..layers[old].len()).collect();
        sources.sort_by(|&a, &b| lattice.best(old)[b].total_cmp(&lattice.best(old)[a]).then(a.cmp(&b)));
        for from in sources {
            let so_far = lattice.best(old)[from];
            if so_far <= top - self.options.break_cost {
                break;
            }
            // What a step may cost to be of use: more would not improve the target, or would not be near the best.
            let least = lattice.top(at) - beam;
            let gain = |to: usize| so_far - cost + own[to] - lattice.best(at)[to].max(least);
            let wanted: Vec<usize> = (0..own.len()).filter(|&to| gain(to) > 0.0).collect();
            let Some(most) = wanted.iter().map(|&to| gain(to)).max_by(f64::total_cmp) else { continue };
            let targets: Vec<Candidate> = wanted.iter().map(|&to| layers[at][to]).collect();
            let bound = bound_of(track.measure, &reach, most);
            search.run(self.network, track.measure, layers[old][from], &targets, bound, (goal, radius));
            for (to, target) in wanted.into_iter().zip(targets) {
                if let Some(distance) = search.distance_to(target).filter(|&distance| distance <= bound) {
                    let haste = self.haste(track.measure, &reach, distance, [layers[old][from], target], search);
                    let log_probability = log_step(track.measure, &reach, distance) - haste - cost;
                    lattice.add(LatticeStep { layer: old, from, to, log_probability });
                }
            }
        }
    }
}

/// The fixes at valid positions, with their indices. If times run backwards, the most fixes whose times do not. If all
/// have one time, it is the time of none.
fn in_order(trip: &Trip) -> Vec<(usize, Fix)> {
    let valid = |(_, fix): &(usize, Fix)| fix.position.is_valid();
    let mut fixes: Vec<(usize, Fix)> = trip.fixes.iter().copied().enumerate().filter(valid).collect();
    if fixes.windows(2).all(|pair| pair[0].1.seconds == pair[1].1.seconds) {
        fixes.iter_mut().for_each(|(_, fix)| fix.seconds = None);
    }
    let Some(times) = fixes.iter().map(|one| one.1.seconds).collect::<Option<Vec<f64>>>() else { return fixes };
    if times.windows(2).all(|pair| pair[0] <= pair[1]) {
        return fixes;
    }
    // The longest subsequence that does not decrease: the last index of the best one of each length.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, time) in times.iter().enumerate() {
        let length = ends.partition_point(|&end| times[end] <= *time);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut kept: Vec<(usize, Fix)> = Vec::new();
    let mut at = ends.last().copied();
    while let Some(here) = at {
        kept.push(fixes[here]);
        at = before[here];
    }
    kept.reverse();
    kept
}
