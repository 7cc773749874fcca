//! The table of the taxi trips of Porto at UCI: one row for each trip, its fixes as JSON in one cell.

use csv::{Reader, StringRecord};

use super::reader::{Bytes, row_fault};
use super::trip::{Fix, Trip};
use crate::error::Fault;
use crate::files::line_of;
use crate::geometry::Position;

/// Seconds between two fixes, as the description of the data states. The file has no times of fixes.
pub(crate) const UCI_SECONDS: f64 = 15.0;

/// The rows of the table.
pub(super) struct UciRows {
    reader: Reader<Bytes>,
    record: StringRecord,
    id: Option<usize>,
    missing: Option<usize>,
    polyline: usize,
    /// The names and indices of the other columns.
    others: Vec<(String, usize)>,
}

impl UciRows {
    pub(super) fn new(
        reader: Reader<Bytes>,
        id: Option<usize>,
        missing: Option<usize>,
        polyline: usize,
        others: Vec<(String, usize)>,
    ) -> UciRows {
        UciRows { reader, record: StringRecord::new(), id, missing, polyline, others }
    }

    pub(super) fn next(&mut self) -> Option<Result<Trip, Fault>> {
        self.reader.get_mut().begin();
        match self.reader.read_record(&mut self.record) {
            Ok(false) => None,
            Ok(true) => Some(self.trip()),
            Err(error) => Some(Err(row_fault(error))),
        }
    }

    fn trip(&self) -> Result<Trip, Fault> {
        let line = self.record.position().map_or(0, line_of);
        let wrong = |what: String| Fault::Row { line, what };
        let cell = |place: usize| self.record.get(place);
        let Some(polyline) = cell(self.polyline) else {
            return Err(wrong(format!("it has {} cells: the POLYLINE is missing", self.record.len())));
        };
        let pairs: Vec<[Option<f64>; 2]> = serde_json::from_str(polyline)
            .map_err(|error| wrong(format!("the POLYLINE is not [[longitude, latitude], ...]: {error}")))?;
        let fix = |(place, pair): (usize, [Option<f64>; 2])| {
            let [lon, lat] = pair.map(|degrees| degrees.unwrap_or(f64::NAN));
            Fix { position: Position { lat, lon }, seconds: Some(UCI_SECONDS * place as f64) }
        };
        let fixes = pairs.into_iter().enumerate().map(fix).collect();
        let id = self.id.and_then(cell).map_or_else(|| format!("line {line}"), |id| id.trim().to_string());
        let missing = match self.missing.and_then(cell).map(str::trim) {
            None => false,
            Some(text) if text.eq_ignore_ascii_case("true") || text == "1" => true,
            Some(text) if text.eq_ignore_ascii_case("false") || text == "0" => false,
            Some(text) => return Err(wrong(format!("MISSING_DATA is {text:?}: give True or False"))),
        };
        let known = |(name, place): &(String, usize)| Some((name.clone(), cell(*place)?.trim().to_string()));
        let columns = self.others.iter().filter_map(known).filter(|column| !column.1.is_empty()).collect();
        Ok(Trip { id, fixes, missing, columns })
    }
}
