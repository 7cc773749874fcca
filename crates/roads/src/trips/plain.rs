//! A plain table: a fix a row, the fixes of a trip one below the other.

use std::collections::HashSet;

use csv::{Reader, StringRecord};

use super::{Bytes, Fix, Trip, number_of, row_fault};
use crate::error::Fault;
use crate::geometry::Position;
use crate::table::line_of;

/// The rows of such a table.
pub(super) struct Rows {
    reader: Reader<Bytes>,
    record: StringRecord,
    trip: usize,
    time: Option<usize>,
    lat: usize,
    lon: usize,
    /// The trip whose rows are being read.
    open: Option<Trip>,
    /// The trips that have been begun, by the numbers of their ids.
    begun: HashSet<u64>,
}

impl Rows {
    pub(super) fn new(reader: Reader<Bytes>, trip: usize, time: Option<usize>, lat: usize, lon: usize) -> Rows {
        Rows { reader, record: StringRecord::new(), trip, time, lat, lon, open: None, begun: HashSet::new() }
    }

    pub(super) fn next(&mut self) -> Option<Result<Trip, Fault>> {
        loop {
            match self.reader.read_record(&mut self.record) {
                Ok(false) => return self.open.take().map(Ok),
                Err(error) => return Some(Err(row_fault(error))),
                Ok(true) => {}
            }
            let wrong = |what: String| Fault::Row { line: self.record.position().map_or(0, line_of), what };
            let (id, fix) = match self.fix() {
                Ok(row) => row,
                Err(what) => return Some(Err(wrong(what))),
            };
            match &mut self.open {
                Some(trip) if trip.id == id => trip.fixes.push(fix),
                _ if !self.begun.insert(number_of(&id)) => {
                    let what = format!("rows of trip {id} are not together: sort the table by trip");
                    return Some(Err(wrong(what)));
                }
                open => {
                    let done = open.replace(Trip { id, fixes: vec![fix], missing: false });
                    if let Some(trip) = done {
                        return Some(Ok(trip));
                    }
                }
            }
        }
    }

    fn fix(&self) -> Result<(String, Fix), String> {
        let cell = |name: &str, place: usize| {
            let cell = self.record.get(place).map(str::trim);
            cell.ok_or_else(|| format!("it has {} cells: the {name} is missing", self.record.len()))
        };
        let number = |name: &str, place: usize| {
            let text = cell(name, place)?;
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(|| format!("the {name} is {text:?}: a number is wanted"))
        };
        let seconds = match self.time {
            Some(place) if !cell("time", place)?.is_empty() => Some(number("time", place)?),
            _ => None,
        };
        let degrees = |name: &str, place: usize| match cell(name, place)? {
            text if ["", "null", "nan", "na"].iter().any(|none| text.eq_ignore_ascii_case(none)) => Ok(f64::NAN),
            _ => number(name, place),
        };
        let position = Position { lat: degrees("lat", self.lat)?, lon: degrees("lon", self.lon)? };
        Ok((cell("trip", self.trip)?.to_string(), Fix { position, seconds }))
    }
}
