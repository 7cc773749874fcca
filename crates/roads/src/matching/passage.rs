//! When a matched trip passes its states, and where on the first and the last of them it begins and ends.

use super::matcher::Matched;
use crate::geometry::Position;
use crate::trips::Trip;
use crate::world::Roads;

/// When and where a matched trip drives along its states.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The time at which each state is entered, in the seconds of the trip: that of the first fix for the first state,
    /// and between two fixes at constant speed. `None` if the trip has no times.
    pub times: Option<Vec<f64>>,
    /// The time of the last fix, if the trip has times.
    pub end_time: Option<f64>,
    /// Metres from the beginning of the first state to the first fix, and from the beginning of the last state to the
    /// last fix.
    pub offsets: [f64; 2],
    /// The route from the first fix to the last.
    pub line: Vec<Position>,
}

impl Passage {
    /// The passage of a part of a trip; `None` if it is not known where its fixes are, as for the particle filter.
    pub fn new(roads: &Roads, trip: &Trip, part: &Matched) -> Option<Passage> {
        let (first, last) = (part.seen.first()?, part.seen.last()?);
        let length = |segment: u32| roads.network.segments[segment as usize].length;
        // Metres from the beginning of the route to the beginning of each segment.
        let mut metres = vec![0.0];
        part.segments.iter().for_each(|&segment| metres.push(metres[metres.len() - 1] + length(segment)));
        let entered: Vec<usize> =
            (0..part.segments.len()).filter(|&at| at == 0 || roads.is_last_of_state(part.segments[at - 1] as usize)).collect();
        let fixes: Option<Vec<[f64; 2]>> =
            part.seen.iter().map(|seen| Some([metres[seen.at] + seen.along, trip.fixes[seen.fix].seconds?])).collect();
        let times = fixes.as_ref().map(|fixes| entered.iter().map(|&at| time_at(fixes, metres[at])).collect());
        let begin = roads.segments_of(roads.state_of(part.segments[0] as usize));
        let before = begin.take_while(|&segment| segment != part.segments[0] as usize).map(|segment| length(segment as u32));
        let last_entered = entered.last().copied().unwrap_or_default();
        let last_metres = metres[last.at] + last.along - metres[last_entered];
        let lead: f64 = before.sum();
        let offsets = [lead + first.along, last_metres + if last_entered == 0 { lead } else { 0.0 }];
        let end_time = fixes.as_ref().and_then(|fixes| fixes.last()).map(|fix| fix[1]);
        Some(Passage { times, end_time, offsets, line: line(roads, part) })
    }
}

/// The time at a place of the route, between fixes as pairs of metres and seconds. Before the first fix it is that of
/// the first, and where several fixes are at one place, that of the first of them.
fn time_at(fixes: &[[f64; 2]], metres: f64) -> f64 {
    let after = fixes.partition_point(|fix| fix[0] < metres);
    match (after.checked_sub(1).map(|before| fixes[before]), fixes.get(after)) {
        (None, _) => fixes[0][1],
        (Some(before), None) => before[1],
        (Some([m, s]), Some(&[n, t])) => s + (t - s) * (metres - m) / (n - m),
    }
}

/// The line from the first fix to the last.
fn line(roads: &Roads, part: &Matched) -> Vec<Position> {
    let at = |segment: u32, along: f64| {
        let [a, b] = roads.network.ends_of(segment as usize);
        let length = roads.network.segments[segment as usize].length;
        a.toward(b, if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 })
    };
    let (first, last) = (part.seen[0], part.seen[part.seen.len() - 1]);
    let mut line = vec![at(part.segments[first.at], first.along)];
    let passed = &part.segments[first.at..last.at];
    line.extend(passed.iter().map(|&segment| roads.network.ends_of(segment as usize)[1]));
    line.push(at(part.segments[last.at], last.along));
    line.dedup();
    line
}
