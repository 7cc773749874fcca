//! How many trips are matched, and why others are dropped.

use serde_json::{Map, Value, json};

use super::matcher::{Dropped, Matched, Outliers};

/// Why a trip is dropped, or breaks into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It has no fixes.
    Empty,
    /// A trip before it has the same id.
    Duplicate,
    /// The file states that fixes are missing.
    Missing,
    /// Some of its positions are out of range.
    Nowhere,
    /// Its times run backwards.
    Backwards,
    /// It takes too little time.
    TooShort,
    /// Its latitudes and longitudes are swapped.
    Swapped,
    /// It leaves the area.
    OutOfArea,
    /// Its fixes are too far from any road.
    OffNetwork,
    /// No route leads from some fix to the next.
    Broken,
    /// The particle filter loses it.
    NotConverged,
    /// It hardly moves.
    Still,
    /// It passes a segment twice.
    Cyclic,
}

impl Reason {
    /// All reasons, in the order in which they are checked.
    pub const ALL: [Reason; 13] = [
        Reason::Empty,
        Reason::Duplicate,
        Reason::Missing,
        Reason::Nowhere,
        Reason::Backwards,
        Reason::TooShort,
        Reason::Swapped,
        Reason::OutOfArea,
        Reason::OffNetwork,
        Reason::Broken,
        Reason::NotConverged,
        Reason::Still,
        Reason::Cyclic,
    ];

    /// A name for the table of breaks.
    fn short(self) -> &'static str {
        match self {
            Reason::OffNetwork => "off the map",
            _ => "no way",
        }
    }

    /// A short name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Empty => "empty",
            Reason::Duplicate => "duplicate id",
            Reason::Missing => "missing data",
            Reason::Nowhere => "fixes at no place",
            Reason::Backwards => "times run backwards",
            Reason::TooShort => "too short",
            Reason::Swapped => "swapped coordinates",
            Reason::OutOfArea => "out of area",
            Reason::OffNetwork => "off the network",
            Reason::Broken => "no way between fixes",
            Reason::NotConverged => "not converged",
            Reason::Still => "hardly moves",
            Reason::Cyclic => "cyclic",
        }
    }
}

/// The number of trips that were matched, and of those that were dropped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// All trips that were read.
    pub trips: usize,
    /// Trips that were matched.
    pub matched: usize,
    /// The parts of the trips that were matched: one for each trip, and one more for each usable part after a break.
    pub parts: usize,
    /// The fixes of these parts that were skipped because no likely route leads by them.
    pub outliers: Outliers,
    /// Whether matching was stopped before the end of the file.
    pub interrupted: bool,
    dropped: [usize; Reason::ALL.len()],
    breaks: [usize; Reason::ALL.len()],
}

impl Tally {
    /// The number of trips that were dropped for a reason.
    pub fn dropped(&self, reason: Reason) -> usize {
        self.dropped[reason as usize]
    }

    /// The reasons that occurred with their numbers, in the order in which they are checked.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, usize)> + '_ {
        Reason::ALL.into_iter().map(|reason| (reason, self.dropped(reason))).filter(|row| row.1 > 0)
    }

    /// The reasons why trips break before one of their usable parts, with their numbers.
    pub fn breaks(&self) -> impl Iterator<Item = (Reason, usize)> + '_ {
        Reason::ALL.into_iter().map(|reason| (reason, self.breaks[reason as usize])).filter(|row| row.1 > 0)
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        let named = |(reason, n): (Reason, usize)| (reason.name().to_string(), json!(n));
        let dropped: Map<String, Value> = self.reasons().map(named).collect();
        let breaks: Map<String, Value> = self.breaks().map(named).collect();
        json!({
            "trips": self.trips, "matched": self.matched, "parts": self.parts, "dropped": dropped, "breaks": breaks,
            "outliers": { "fixes": self.outliers.fixes, "bursts": self.outliers.bursts },
        })
    }

    pub(super) fn count(&mut self, found: &Result<Vec<Matched>, Dropped>) {
        self.trips += 1;
        match found {
            Err(dropped) => self.dropped[dropped.reason as usize] += 1,
            Ok(parts) => {
                self.matched += 1;
                self.parts += parts.len();
                for part in parts {
                    self.outliers.fixes += part.outliers.fixes;
                    self.outliers.bursts += part.outliers.bursts;
                }
                parts.iter().filter_map(|part| part.why).for_each(|why| self.breaks[why as usize] += 1);
            }
        }
    }
}

/// A table with a line for each reason.
impl std::fmt::Display for Tally {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = self.trips.to_string().len();
        writeln!(out, "{:<20}  {:>width$}", "trips", self.trips)?;
        for (reason, count) in self.reasons() {
            writeln!(out, "{:<20}  {count:>width$}", reason.name())?;
        }
        write!(out, "{:<20}  {:>width$}", "matched", self.matched)?;
        if self.parts > self.matched {
            write!(out, "\n{:<20}  {:>width$}", "parts", self.parts)?;
        }
        self.breaks().try_for_each(|(reason, count)| write!(out, "\nbroken: {:<12}  {count:>width$}", reason.short()))?;
        if self.outliers.fixes > 0 {
            write!(out, "\n{:<20}  {:>width$}", "outliers skipped", self.outliers.fixes)?;
        }
        if self.outliers.bursts > 0 {
            write!(out, "\n{:<20}  {:>width$}", "bursts of outliers", self.outliers.bursts)?;
        }
        Ok(())
    }
}
