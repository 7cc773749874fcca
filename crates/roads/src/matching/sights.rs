//! What particles see of the segments on their way to a fix. Hundreds of them come by the same segment: it is computed once.

use super::Matcher;
use crate::geometry::{Plane, nearest};

/// A segment, seen from a fix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    segment: u32,
    /// Metres from its beginning to the place that is nearest to the fix.
    pub along: f64,
    /// The log probability of the fix if it was taken there.
    pub emission: f64,
    /// Where its turns begin among the lures; none before a particle has to choose.
    lures: Option<u32>,
}

/// How much a turn leads towards a fix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lure {
    /// It is drawn in proportion to it.
    pub attraction: f64,
    /// The log weight that is taken from a particle that draws it: each turn is as likely as any other, but is not drawn as often.
    pub correction: f64,
    /// It is so many metres to the next junction. Who can drive no farther than that sees less.
    pub metres: f64,
}

/// The sights of one fix, and room for those of the next: of an earlier fix, nothing but the places among them is left.
#[derive(Debug)]
pub(super) struct Sights {
    /// Where each segment is among the sights, if it is there.
    place: Vec<u32>,
    sights: Vec<Sight>,
    lures: Vec<Lure>,
}

impl Sights {
    pub fn new(n_segments: usize) -> Sights {
        Sights { place: vec![0; n_segments], sights: Vec::new(), lures: Vec::new() }
    }

    /// Forgets everything: another fix is meant.
    pub fn clear(&mut self) {
        self.sights.clear();
        self.lures.clear();
    }

    /// A segment as it is seen from the origin of the plane.
    pub fn of(&mut self, segment: u32, matcher: &Matcher<'_>, plane: &Plane) -> Sight {
        let place = self.place[segment as usize] as usize;
        match self.sights.get(place) {
            Some(sight) if sight.segment == segment => *sight,
            _ => {
                let length = matcher.network.segments[segment as usize].length;
                let [a, b] = matcher.network.ends_of(segment as usize).map(|end| plane.project(end));
                let along = nearest(a, b, [0.0, 0.0]).0 * length;
                let sight = Sight { segment, along, emission: matcher.emission_at(segment, along, plane), lures: None };
                self.place[segment as usize] = self.sights.len() as u32;
                self.sights.push(sight);
                sight
            }
        }
    }

    /// The turns of a segment for a particle that can drive so many metres from its end.
    pub fn lures(&mut self, segment: u32, metres: f64, matcher: &Matcher<'_>, plane: &Plane) -> &[Lure] {
        let n_turns = matcher.network.turns_of(segment as usize).len();
        let known = self.of(segment, matcher, plane).lures;
        let far = |lures: &[Lure]| lures.iter().all(|lure| lure.metres <= metres);
        if let Some(first) = known.map(|first| first as usize).filter(|&first| far(&self.lures[first..first + n_turns])) {
            return &self.lures[first..first + n_turns];
        }
        let first = self.lures.len();
        self.lures.extend(lures(segment, metres, matcher, plane));
        // What was seen by one that could not drive to the next junction is not for others.
        if known.is_none() && far(&self.lures[first..]) {
            self.sights[self.place[segment as usize] as usize].lures = Some(first as u32);
        }
        &self.lures[first..]
    }
}

fn lures(segment: u32, metres: f64, matcher: &Matcher<'_>, plane: &Plane) -> Vec<Lure> {
    let network = matcher.network;
    let from_goal = |segment: u32| {
        let [x, y] = plane.project(network.ends_of(segment as usize)[1]);
        x.hypot(y)
    };
    let here = from_goal(segment);
    let turns = network.turns_of(segment as usize);
    let seen = |&to: &u32| {
        let (mut last, mut driven) = (to, network.segments[to as usize].length);
        let mut over = from_goal(to) + driven;
        // As many pieces of road as there may be between junctions.
        for _ in 0..100 {
            let &[next] = network.turns_of(last as usize) else { break };
            (last, driven) = (next, driven + network.segments[next as usize].length);
            if driven > metres {
                break;
            }
            over = over.min(from_goal(last) + driven);
        }
        let attraction = (-(over - here).max(0.0) / matcher.options.beta).exp().max(0.01);
        Lure { attraction, correction: 0.0, metres: driven }
    };
    let mut lures: Vec<Lure> = turns.iter().map(seen).collect();
    let all: f64 = lures.iter().map(|lure| lure.attraction).sum();
    lures.iter_mut().for_each(|lure| lure.correction = (turns.len() as f64 * lure.attraction / all).ln());
    lures
}
