//! The facts about a segment that a particle needs on its route to a fix. They are computed once, because hundreds of
//! particles pass the same segment.

use crate::geometry::{Plane, nearest};
use crate::matching::Matcher;

/// A segment, seen from a fix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    segment: u32,
    /// Metres from its beginning to the position nearest to the fix.
    pub along: f64,
    /// The log probability of the fix if the car was there.
    pub emission: f64,
    /// The index of its first turn among the proposals; none before a particle has to choose.
    proposals: Option<u32>,
}

/// A turn in the proposal distribution of particles.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnProposal {
    /// It is drawn with a probability proportional to this.
    pub attraction: f64,
    /// The log of the ratio of its proposal probability to its prior probability, which is uniform over turns. It is
    /// subtracted from the log weight of a particle that draws it.
    pub correction: f64,
    /// The metres to the next junction. A particle that cannot drive as far knows less.
    pub metres: f64,
}

/// The sights of one fix. The memory is used again for the next fix.
#[derive(Debug)]
pub(in crate::matching) struct Sights {
    /// The index of each segment among the sights, if it is there.
    place: Vec<u32>,
    sights: Vec<Sight>,
    proposals: Vec<TurnProposal>,
}

impl Sights {
    pub fn new(n_segments: usize) -> Sights {
        Sights { place: vec![0; n_segments], sights: Vec::new(), proposals: Vec::new() }
    }

    /// Removes everything, for another fix.
    pub(super) fn clear(&mut self) {
        self.sights.clear();
        self.proposals.clear();
    }

    /// A segment, seen from a fix at the origin of the plane.
    pub(super) fn of(&mut self, segment: u32, matcher: &Matcher<'_>, plane: &Plane) -> Sight {
        let place = self.place[segment as usize] as usize;
        match self.sights.get(place) {
            Some(sight) if sight.segment == segment => *sight,
            _ => {
                let length = matcher.network.segments[segment as usize].length;
                let [a, b] = matcher.network.ends_of(segment as usize).map(|end| plane.project(end));
                let along = nearest(a, b, [0.0, 0.0]).0 * length;
                let sight = Sight { segment, along, emission: matcher.emission_at(segment, along, plane), proposals: None };
                self.place[segment as usize] = self.sights.len() as u32;
                self.sights.push(sight);
                sight
            }
        }
    }

    /// The turns of a segment for a particle that can drive this many metres from its end.
    pub(super) fn proposals(&mut self, segment: u32, metres: f64, matcher: &Matcher<'_>, plane: &Plane) -> &[TurnProposal] {
        let n_turns = matcher.network.turns_of(segment as usize).len();
        let known = self.of(segment, matcher, plane).proposals;
        let far = |turns: &[TurnProposal]| turns.iter().all(|turn| turn.metres <= metres);
        if let Some(first) = known.map(|first| first as usize).filter(|&first| far(&self.proposals[first..first + n_turns])) {
            return &self.proposals[first..first + n_turns];
        }
        let first = self.proposals.len();
        self.proposals.extend(proposals(segment, metres, matcher, plane));
        // Proposals of a particle that could not drive to the next junction do not hold for others.
        if known.is_none() && far(&self.proposals[first..]) {
            self.sights[self.place[segment as usize] as usize].proposals = Some(first as u32);
        }
        &self.proposals[first..]
    }
}

fn proposals(segment: u32, metres: f64, matcher: &Matcher<'_>, plane: &Plane) -> Vec<TurnProposal> {
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
        // There are hardly ever more segments between two junctions.
        for _ in 0..100 {
            let &[next] = network.turns_of(last as usize) else { break };
            (last, driven) = (next, driven + network.segments[next as usize].length);
            if driven > metres {
                break;
            }
            over = over.min(from_goal(last) + driven);
        }
        let attraction = (-(over - here).max(0.0) / matcher.options.beta).exp().max(0.01);
        TurnProposal { attraction, correction: 0.0, metres: driven }
    };
    let mut found: Vec<TurnProposal> = turns.iter().map(seen).collect();
    let all: f64 = found.iter().map(|turn| turn.attraction).sum();
    found.iter_mut().for_each(|turn| turn.correction = (turns.len() as f64 * turn.attraction / all).ln());
    found
}
