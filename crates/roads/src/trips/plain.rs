//! A plain table: one row for each fix, and the rows of a trip together.

use std::collections::HashSet;

use csv::{Reader, StringRecord};
use revealed::shown;

use super::reader::{Bytes, row_fault};
use super::trip::{Fix, Trip, hash_of_id};
use crate::error::Fault;
use crate::files::line_of;
use crate::geometry::Position;

/// The rows of the table.
pub(super) struct PlainRows {
    reader: Reader<Bytes>,
    record: StringRecord,
    trip: usize,
    time: Option<usize>,
    lat: usize,
    lon: usize,
    /// The names and indices of the other columns.
    others: Vec<(String, usize)>,
    /// The trip whose rows are being read.
    open: Option<Trip>,
    /// Hashes of the ids of the trips that have begun.
    begun: HashSet<u64>,
}

impl PlainRows {
    pub(super) fn new(
        reader: Reader<Bytes>,
        [trip, lat, lon]: [usize; 3],
        time: Option<usize>,
        others: Vec<(String, usize)>,
    ) -> PlainRows {
        PlainRows { reader, record: StringRecord::new(), trip, time, lat, lon, others, open: None, begun: HashSet::new() }
    }

    pub(super) fn next(&mut self) -> Option<Result<Trip, Fault>> {
        loop {
            self.reader.get_mut().begin();
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
            let columns = self.columns();
            match &mut self.open {
                Some(trip) if trip.id == id => {
                    trip.fixes.push(fix);
                    // What differs between the fixes of a trip is not a column of the trip.
                    trip.columns.retain(|column| columns.contains(column));
                }
                _ if !self.begun.insert(hash_of_id(&id)) => {
                    let what = format!("the rows of trip {} are not together: sort the table by trip", shown(&id));
                    return Some(Err(wrong(what)));
                }
                open => {
                    let done = open.replace(Trip { id, fixes: vec![fix], columns, ..Trip::default() });
                    if let Some(trip) = done {
                        return Some(Ok(trip));
                    }
                }
            }
        }
    }

    /// The other columns of the row that have a value.
    fn columns(&self) -> Vec<(String, String)> {
        let cell = |(name, place): &(String, usize)| Some((name.clone(), self.record.get(*place)?.trim().to_string()));
        self.others.iter().filter_map(cell).filter(|column| !column.1.is_empty()).collect()
    }

    fn fix(&self) -> Result<(String, Fix), String> {
        let cell = |name: &str, place: usize| {
            let cell = self.record.get(place).map(str::trim);
            cell.ok_or_else(|| format!("it has {} cells: the {name} is missing", self.record.len()))
        };
        let number = |name: &str, place: usize| {
            let text = cell(name, place)?;
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(|| format!("the {name} is {text:?}: give a number"))
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
