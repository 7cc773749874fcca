//! Readings: what the paper leaves open about this experiment, and the values that the study tries.

use std::fmt;

use revealed::Bounds;
use revealed_roads::{MatchOptions, NetworkOptions, matching};

/// A network, and how trips are matched to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dataset {
    /// U-turns on every two-way road, not only at dead ends.
    pub u_turns: bool,
    /// Service roads as well.
    pub service: bool,
    /// Roads outside the largest strongly connected part as well.
    pub keep_all: bool,
    /// Trips are matched by a particle filter, as in the paper, and not by a hidden Markov model.
    pub particles: bool,
    /// Trips are matched to the network without U-turns, and then moved to the one with them.
    pub moved: bool,
}

impl Dataset {
    pub const PLAIN: Dataset = Dataset { u_turns: false, service: false, keep_all: false, particles: false, moved: false };
    pub const U_TURNS: Dataset = Dataset { u_turns: true, ..Dataset::PLAIN };
    pub const MOVED: Dataset = Dataset { moved: true, ..Dataset::U_TURNS };
    pub const PARTICLES: Dataset = Dataset { particles: true, ..Dataset::U_TURNS };
    pub const SERVICE: Dataset = Dataset { service: true, ..Dataset::U_TURNS };
    pub const LARGEST: Dataset = Dataset { keep_all: true, ..Dataset::SERVICE };
    /// In the order of tables.
    pub const ALL: [Dataset; 6] =
        [Dataset::PLAIN, Dataset::U_TURNS, Dataset::MOVED, Dataset::PARTICLES, Dataset::SERVICE, Dataset::LARGEST];

    /// The network to which the trips are matched.
    pub fn matched_to(self) -> Dataset {
        Dataset { u_turns: self.u_turns && !self.moved, moved: false, ..self }
    }

    pub fn network(self) -> NetworkOptions {
        NetworkOptions { u_turns: self.u_turns, keep_all: self.keep_all, no_copies: true }
    }

    pub fn matching(self) -> MatchOptions {
        let method = if self.particles { matching::Method::Particles } else { matching::Method::Hmm };
        MatchOptions { method, strict: true, ..MatchOptions::default() }
    }

    /// The end of the names of the network's files.
    pub fn network_suffix(self) -> String {
        self.suffix(&[(self.u_turns, "-u-turns"), (self.service, "-service"), (self.keep_all, "-all")])
    }

    /// The end of the names of the files of its paths.
    pub fn paths_suffix(self) -> String {
        self.network_suffix() + &self.suffix(&[(self.particles, "-particles"), (self.moved, "-moved")])
    }

    fn suffix(self, parts: &[(bool, &str)]) -> String {
        parts.iter().filter(|part| part.0).map(|part| part.1).collect()
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.u_turns { "U-turns" } else { "no U-turns" })?;
        let more = [
            (self.service, ", service roads"),
            (self.keep_all, ", all parts"),
            (self.particles, ", particle filter"),
            (self.moved, ", trips matched without them"),
        ];
        more.iter().filter(|part| part.0).try_for_each(|part| f.write_str(part.1))
    }
}

/// Bounds of every weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    /// None.
    Free,
    /// At most 0: only costs.
    Costs,
    /// From minus this number for a kilometre to 0.
    PerKm(f64),
}

impl Bound {
    pub fn bounds(self) -> Bounds {
        match self {
            Bound::Free => Bounds::None,
            Bound::Costs => Bounds::Same(f64::NEG_INFINITY, 0.0),
            Bound::PerKm(most) => Bounds::Same(-most / 1000.0, 0.0),
        }
    }

    /// How many weights are at the lower and at the upper bound.
    pub fn reached(self, theta: &[f64]) -> [usize; 2] {
        let [low, high] = match self.bounds() {
            Bounds::Same(low, high) => [low, high],
            _ => return [0, 0],
        };
        let near = |value: f64, bound: f64| bound.is_finite() && (value - bound).abs() <= 1e-6 * low.abs().clamp(1e-6, 1.0);
        [low, high].map(|bound| theta.iter().filter(|&&value| near(value, bound)).count())
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Free => f.write_str("no bounds"),
            Bound::Costs => f.write_str("weights at most 0"),
            Bound::PerKm(most) => write!(f, "weights from -{most} to 0 per km"),
        }
    }
}

/// Where whole trips start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Every segment is equally likely.
    Uniform,
    /// As the training trips start.
    Training,
}

/// One value on each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reading {
    pub dataset: Dataset,
    pub bound: Bound,
    pub start: Start,
    pub discount: f64,
}

/// The axis on which a reading of the study differs from [`Reading::CENTRE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Bounds,
    UTurns,
    Discount,
    StartOfTrips,
    Matching,
    ServiceRoads,
    Several,
}

impl Axis {
    pub fn name(self) -> &'static str {
        match self {
            Axis::Bounds => "bounds",
            Axis::UTurns => "U-turns",
            Axis::Discount => "discount",
            Axis::StartOfTrips => "start",
            Axis::Matching => "matching",
            Axis::ServiceRoads => "service roads",
            Axis::Several => "several",
        }
    }
}

impl Reading {
    /// The reading around which the others vary one thing at a time.
    pub const CENTRE: Reading =
        Reading { dataset: Dataset::U_TURNS, bound: Bound::PerKm(10.0), start: Start::Uniform, discount: 1.0 };

    /// The readings of the study, by axis. A quick run has those of the bounds and of U-turns.
    pub fn all(quick: bool) -> Vec<(Axis, Reading)> {
        let centre = Reading::CENTRE;
        let bounds = [Bound::Free, Bound::Costs].into_iter().chain([5.0, 7.5, 10.0, 12.5, 15.0, 20.0].map(Bound::PerKm));
        let mut all: Vec<(Axis, Reading)> = bounds.map(|bound| (Axis::Bounds, Reading { bound, ..centre })).collect();
        all.push((Axis::UTurns, Reading { dataset: Dataset::PLAIN, ..centre }));
        if quick {
            return all;
        }
        all.push((Axis::Discount, Reading { discount: 0.999, ..centre }));
        all.push((Axis::StartOfTrips, Reading { start: Start::Training, ..centre }));
        all.push((Axis::Matching, Reading { dataset: Dataset::MOVED, ..centre }));
        all.push((Axis::Matching, Reading { dataset: Dataset::PARTICLES, ..centre }));
        all.push((Axis::ServiceRoads, Reading { dataset: Dataset::SERVICE, ..centre }));
        let plain = [Bound::Free, Bound::Costs].into_iter().chain([5.0, 15.0, 20.0].map(Bound::PerKm));
        all.extend(plain.map(|bound| (Axis::Several, Reading { dataset: Dataset::PLAIN, bound, ..centre })));
        all.push((Axis::Several, Reading { bound: Bound::Costs, discount: 0.999, ..centre }));
        all.push((Axis::Several, Reading { bound: Bound::Costs, start: Start::Training, ..centre }));
        all
    }

    /// In which ways it differs from the centre.
    pub fn differences(&self) -> String {
        let (one, centre) = (self.dataset, Reading::CENTRE);
        let mut words: Vec<String> = Vec::new();
        if one.u_turns != centre.dataset.u_turns {
            words.push("no U-turns".to_string());
        }
        if one.service != centre.dataset.service {
            words.push("service roads".to_string());
        }
        if one.keep_all != centre.dataset.keep_all {
            words.push("all parts".to_string());
        }
        if one.particles != centre.dataset.particles {
            words.push("particle filter".to_string());
        }
        if one.moved != centre.dataset.moved {
            words.push("trips matched without U-turns".to_string());
        }
        if self.bound != centre.bound {
            words.push(self.bound.to_string());
        }
        if self.start != centre.start {
            words.push("start of training trips".to_string());
        }
        if self.discount != centre.discount {
            words.push(format!("$\\gamma = {}$", self.discount));
        }
        if words.is_empty() { format!("the centre: {}", self.bound) } else { words.join(", ") }
    }

    /// The name of the files of its model.
    pub fn file(&self) -> String {
        let bound = match self.bound {
            Bound::Free => "free".to_string(),
            Bound::Costs => "costs".to_string(),
            Bound::PerKm(most) => format!("{most}-per-km"),
        };
        let start = if self.start == Start::Uniform { "uniform" } else { "training" };
        format!("reading{}-{bound}-{start}-{}", self.dataset.paths_suffix(), self.discount)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = if self.start == Start::Uniform { "uniform start" } else { "start of training trips" };
        write!(f, "{}; {}; {start}; discount {}", self.dataset, self.bound, self.discount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_vary_one_axis_at_a_time_around_the_centre() {
        let all = Reading::all(false);
        assert!(all.iter().any(|(_, reading)| *reading == Reading::CENTRE));
        let differences = |reading: &Reading| {
            let (one, centre) = (reading.dataset, Reading::CENTRE.dataset);
            [
                reading.bound != Reading::CENTRE.bound,
                one.u_turns != centre.u_turns,
                reading.discount != Reading::CENTRE.discount,
                reading.start != Reading::CENTRE.start,
                (one.particles, one.moved) != (centre.particles, centre.moved),
                (one.service, one.keep_all) != (centre.service, centre.keep_all),
            ]
        };
        for (axis, reading) in &all {
            let found = differences(reading);
            let count = found.iter().filter(|differs| **differs).count();
            match axis {
                Axis::Several => assert!(count > 1, "{reading}"),
                _ if *reading == Reading::CENTRE => assert_eq!(count, 0),
                _ => assert!(count == 1 && found[*axis as usize], "{reading} is not on the axis {}", axis.name()),
            }
        }
    }

    #[test]
    fn every_reading_has_its_own_name_and_files() {
        let all = Reading::all(false);
        for (place, (_, one)) in all.iter().enumerate() {
            let names = |reading: &Reading| [reading.file(), reading.to_string(), reading.differences()];
            let differ = |other: &Reading| names(other).iter().zip(names(one)).all(|(one, other)| *one != other);
            assert!(all[..place].iter().all(|(_, other)| differ(other)), "{one}");
        }
        assert!(Reading::all(true).iter().all(|reading| all.contains(reading)));
    }

    #[test]
    fn weights_at_a_bound_are_counted() {
        assert_eq!(Bound::PerKm(10.0).reached(&[-0.01, -0.00999, 0.0, -0.01 + 1e-12, -1e-13]), [2, 2]);
        assert_eq!(Bound::Costs.reached(&[-0.01, 0.0, -3.0]), [0, 1]);
        assert_eq!(Bound::Free.reached(&[0.0, -1.0]), [0, 0]);
    }
}
