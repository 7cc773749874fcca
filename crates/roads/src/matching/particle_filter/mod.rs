//! A particle filter. The paper used one and gives no details, so the details are our own.
//!
//! A particle is a position on a segment, together with the route that led there. Between two fixes it moves along the
//! road and draws a turn at each junction. The proposal prefers turns towards the next fix, and the importance weight
//! of the particle corrects for this. The particle stops at the position on its route that is most likely under the
//! hidden Markov model: near the fix, and at a driven distance close to the straight distance between the two fixes.
//! Its weight is multiplied by this likelihood. The state of a particle has no speed, because the distance between the
//! fixes is better information about how far the car drove.

mod sights;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_formats::Fnv1a;

pub(super) use self::sights::Sights;
use super::candidates::Candidate;
use super::matcher::{Matched, Matcher, Observation, Outliers};
use super::tally::Reason;
use crate::geometry::Plane;
use crate::trips::Trip;

/// A position, and how it was reached.
#[derive(Debug, Clone, Copy)]
struct Particle {
    segment: u32,
    along: f64,
    /// The logarithm of its weight, up to a constant that all particles share.
    weight: f64,
    /// The last entry of its route in the history.
    last: u32,
}

/// A segment on some route, and the entry before it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    segment: u32,
    before: u32,
    /// The number of the fix before which it was entered.
    fix: u32,
}

/// No entry.
const NONE: u32 = u32::MAX;
/// With more entries, those that no particle descends from are removed.
const MANY: usize = 1 << 20;

struct ParticleFilter<'a> {
    matcher: &'a Matcher<'a>,
    rng: Pcg64Mcg,
    particles: Vec<Particle>,
    history: Vec<Entry>,
    /// For each fix that was used, the segments of the particles with their shares of the weight.
    shares: Vec<Vec<(u32, f64)>>,
    sights: &'a mut Sights,
}

impl Matcher<'_> {
    /// The most likely route of the particles at the end of the trip.
    pub(super) fn filtered(&self, trip: &Trip, sights: &mut Sights) -> Result<Matched, Reason> {
        let places = self.observations(trip)?;
        let mut filter = ParticleFilter::new(self, &trip.id, &places[0], sights);
        let (mut last, mut lost) = (&places[0], 0);
        for place in &places[1..] {
            let before = filter.particles.clone();
            let (direct, bound) = self.bound(&last.fix, &place.fix);
            if direct <= bound && filter.drive(direct, bound, place) <= self.options.radius {
                filter.normalise();
                filter.resample();
                (last, lost) = (place, 0);
                continue;
            }
            // Perhaps an outlier: it is skipped.
            filter.particles = before;
            lost += place.fixes;
            if lost > self.options.gap {
                return Err(Reason::NotConverged);
            }
        }
        let (segments, confidence) = filter.best_route();
        let used = filter.shares.len();
        Ok(Matched {
            id: trip.id.clone(),
            part: 0,
            why: None,
            segments,
            seen: Vec::new(),
            confidence,
            log_probability: 0.0,
            used,
            skipped: trip.fixes.len() - used,
            outliers: Outliers::default(),
        })
    }
}

impl<'a> ParticleFilter<'a> {
    /// Particles around the first fix. The random numbers depend only on the seed and the id of the trip.
    fn new(matcher: &'a Matcher<'a>, id: &str, first: &Observation, sights: &'a mut Sights) -> ParticleFilter<'a> {
        let rng = Pcg64Mcg::seed_from_u64(Fnv1a::of(id.as_bytes()) ^ matcher.options.seed);
        let history = first.candidates.iter().map(|one| Entry { segment: one.segment, before: NONE, fix: 0 }).collect();
        let weighed = |(last, one): (usize, &Candidate)| Particle {
            segment: one.segment,
            along: one.along,
            weight: matcher.emission(one.away),
            last: last as u32,
        };
        let particles = first.candidates.iter().enumerate().map(weighed).collect();
        let mut filter = ParticleFilter { matcher, rng, particles, history, shares: Vec::new(), sights };
        filter.normalise();
        filter.draw(matcher.options.particles);
        filter
    }

    /// Drives all particles to the next observation and weighs them by it. Returns the distance of the nearest
    /// particle.
    fn drive(&mut self, direct: f64, bound: f64, to: &Observation) -> f64 {
        let plane = Plane::at(to.fix.position);
        self.sights.clear();
        let (mut particles, mut least) = (std::mem::take(&mut self.particles), f64::INFINITY);
        for particle in &mut particles {
            *particle = self.go(*particle, direct, bound, &plane);
            let [x, y] = plane.project(self.matcher.position(particle.segment, particle.along));
            least = least.min(x.hypot(y));
        }
        self.particles = particles;
        least
    }

    /// Drives one particle as long as a better position may follow.
    fn go(&mut self, mut particle: Particle, direct: f64, bound: f64, plane: &Plane) -> Particle {
        let (matcher, network) = (self.matcher, self.matcher.network);
        let mut driven = 0.0;
        let (mut best, mut most) = (particle, f64::NEG_INFINITY);
        // Segments of length 0 must not make it endless.
        for _ in 0..10_000 {
            let length = network.segments[particle.segment as usize].length;
            let sight = self.sights.of(particle.segment, matcher, plane);
            let along = sight.along.max(particle.along);
            // The emission of a particle past the nearest position depends on the particle.
            let past = particle.along > sight.along;
            let emission = if past { matcher.emission_at(particle.segment, along, plane) } else { sight.emission };
            let differs = (driven + along - particle.along - direct).abs();
            let log_probability = emission - differs / matcher.options.beta;
            if log_probability > most {
                (best, most) = (Particle { along, ..particle }, log_probability);
            }
            driven += length - particle.along;
            let turns = network.turns_of(particle.segment as usize);
            if turns.is_empty() || driven > bound || driven > direct && (direct - driven) / matcher.options.beta < most {
                break;
            }
            let to = if let [only] = turns { *only } else { self.turn(&mut particle, turns, bound - driven, plane) };
            self.history.push(Entry { segment: to, before: particle.last, fix: self.shares.len() as u32 });
            (particle.segment, particle.along, particle.last) = (to, 0.0, self.history.len() as u32 - 1);
        }
        // Turns after the stop are not taken: `best` has the weight of the turns before it.
        Particle { weight: best.weight + most, ..best }
    }

    /// Draws a turn and corrects the weight: all turns are equally likely, but those towards the goal are drawn more
    /// often. How much a turn leads there is judged by the road up to the next junction.
    fn turn(&mut self, particle: &mut Particle, turns: &[u32], distance: f64, plane: &Plane) -> u32 {
        let proposals = self.sights.proposals(particle.segment, distance, self.matcher, plane);
        let all: f64 = proposals.iter().map(|turn| turn.attraction).sum();
        let mut drawn = self.rng.random::<f64>() * all;
        let mut chosen = 0;
        while chosen + 1 < turns.len() && drawn >= proposals[chosen].attraction {
            drawn -= proposals[chosen].attraction;
            chosen += 1;
        }
        particle.weight -= proposals[chosen].correction;
        turns[chosen]
    }

    /// Normalises the weights, and keeps the shares of the segments.
    fn normalise(&mut self) {
        let most = self.particles.iter().map(|particle| particle.weight).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.particles.iter().map(|particle| (particle.weight - most).exp()).sum();
        let log_sum = most + sum.ln();
        self.particles.iter_mut().for_each(|particle| particle.weight -= log_sum);
        let mut shares: Vec<(u32, f64)> = self.particles.iter().map(|one| (one.segment, one.weight.exp())).collect();
        shares.sort_unstable_by_key(|share| share.0);
        shares.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        self.shares.push(shares);
    }

    /// Resamples once few particles have most of the weight: when the effective sample size is below half their number.
    fn resample(&mut self) {
        let squares: f64 = self.particles.iter().map(|particle| (2.0 * particle.weight).exp()).sum();
        if 1.0 / squares < 0.5 * self.particles.len() as f64 {
            self.draw(self.particles.len());
        }
        if self.history.len() > MANY {
            self.clear();
        }
    }

    /// Systematic resampling: `count` particles of equal weight, with one random number.
    fn draw(&mut self, count: usize) {
        let step = 1.0 / count as f64;
        let mut place = self.rng.random::<f64>() * step;
        let (mut up_to, mut drawn) = (0.0, Vec::with_capacity(count));
        for particle in &self.particles {
            up_to += particle.weight.exp();
            while place < up_to && drawn.len() < count {
                drawn.push(Particle { weight: step.ln(), ..*particle });
                place += step;
            }
        }
        // Because of rounding the last ones may be missing.
        let last = self.particles[self.particles.len() - 1];
        drawn.resize(count, Particle { weight: step.ln(), ..last });
        self.particles = drawn;
    }

    /// Removes the entries of the history that no particle descends from.
    fn clear(&mut self) {
        let mut place = vec![NONE; self.history.len()];
        for particle in &self.particles {
            let mut entry = particle.last;
            while entry != NONE && place[entry as usize] == NONE {
                place[entry as usize] = 0;
                entry = self.history[entry as usize].before;
            }
        }
        let mut kept = Vec::new();
        for (old, &entry) in self.history.iter().enumerate() {
            if place[old] != NONE {
                place[old] = kept.len() as u32;
                // The entry before has been moved already: entries only point back.
                let before = if entry.before == NONE { NONE } else { place[entry.before as usize] };
                kept.push(Entry { before, ..entry });
            }
        }
        self.particles.iter_mut().for_each(|particle| particle.last = place[particle.last as usize]);
        self.history = kept;
    }

    /// The route of the heaviest particle on the segment with the largest share, and the mean share along this route.
    fn best_route(&self) -> (Vec<u32>, f64) {
        let mut last = self.shares[self.shares.len() - 1].clone();
        last.sort_by(|a, b| b.1.total_cmp(&a.1));
        let there = self.particles.iter().filter(|particle| particle.segment == last[0].0);
        let Some(best) = there.max_by(|a, b| a.weight.total_cmp(&b.weight)) else { return (Vec::new(), 0.0) };
        let (mut entries, mut entry) = (Vec::new(), best.last);
        while entry != NONE {
            entries.push(self.history[entry as usize]);
            entry = self.history[entry as usize].before;
        }
        entries.reverse();
        let (mut at, mut sum) = (0, 0.0);
        for (fix, shares) in self.shares.iter().enumerate() {
            while at + 1 < entries.len() && entries[at + 1].fix as usize <= fix {
                at += 1;
            }
            sum += shares.iter().find(|share| share.0 == entries[at].segment).map_or(0.0, |share| share.1);
        }
        (entries.iter().map(|entry| entry.segment).collect(), sum / self.shares.len() as f64)
    }
}
