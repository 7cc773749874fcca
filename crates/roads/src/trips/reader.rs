//! Files of trips.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use revealed_formats::is_stdin;

use super::gpx::Tracks;
use super::plain::PlainRows;
use super::trip::Trip;
use super::uci::UciRows;
use crate::error::{Error, Fault};
use crate::files::{Bounded, line_of, lower_case_name};

/// A file of trips: an iterator that reads one trip at a time. It ends after an error.
pub struct Trips {
    path: PathBuf,
    format: TripFormat,
    failed: bool,
}

enum TripFormat {
    Uci(UciRows),
    Plain(PlainRows),
    Gpx(Tracks),
}

impl Trips {
    /// Opens a file of trips:
    ///
    /// - `.csv` or `.csv.gz` with the columns of the taxi trips of Porto at UCI (`TRIP_ID`, `MISSING_DATA`, `POLYLINE`
    ///   of `[[lon, lat], ...]`; a fix every 15 seconds),
    /// - `.csv` or `.csv.gz` with the columns `trip`, `lat`, `lon` and, if known, `time` (seconds): one row for each
    ///   fix, and the rows of a trip together,
    /// - `-`: either of these tables from stdin,
    /// - `.gpx` or `.gpx.gz`: each segment of a track is a trip. Trips of one name are numbered: "name (2)".
    ///
    /// # Errors
    /// If the file cannot be read, its extension is not known, or columns are missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Trips, Error> {
        let path = path.as_ref();
        let format = open(path).map_err(|fault| fault.of(path))?;
        Ok(Trips { path: path.to_path_buf(), format, failed: false })
    }

    /// Reads the first trip of a file.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no trip.
    pub fn first(path: impl AsRef<Path>) -> Result<Trip, Error> {
        let path = path.as_ref();
        let none = || Err(Fault::Content("there is no trip in it".to_string()).of(path));
        Trips::open(path)?.next().unwrap_or_else(none)
    }
}

impl Iterator for Trips {
    type Item = Result<Trip, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = match &mut self.format {
            TripFormat::Uci(rows) => rows.next(),
            TripFormat::Plain(rows) => rows.next(),
            TripFormat::Gpx(tracks) => tracks.next(),
        };
        self.failed = matches!(next, Some(Err(_)));
        next.map(|trip| trip.map_err(|fault| fault.of(&self.path)))
    }
}

/// The bytes of a file, decompressed.
pub(super) type Bytes = Bounded<Box<dyn Read + Send>>;

fn open(path: &Path) -> Result<TripFormat, Fault> {
    if is_stdin(path) {
        return table(Bounded::new(Box::new(std::io::stdin())));
    }
    let name = lower_case_name(path);
    let (name, packed) = match name.strip_suffix(".gz") {
        Some(rest) => (rest, true),
        None => (name.as_str(), false),
    };
    if !name.ends_with(".csv") && !name.ends_with(".gpx") {
        return Err(Fault::Content("the extension is not known: give .csv, .csv.gz, .gpx or .gpx.gz".to_string()));
    }
    let file = File::open(path)?;
    let bytes: Box<dyn Read + Send> =
        if packed { Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file))) } else { Box::new(file) };
    let bytes = Bounded::new(bytes);
    if name.ends_with(".gpx") {
        return Ok(TripFormat::Gpx(Tracks::new(bytes)));
    }
    table(bytes)
}

fn table(bytes: Bytes) -> Result<TripFormat, Fault> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).buffer_capacity(1 << 16).from_reader(bytes);
    let given: Vec<String> = reader.headers().map_err(row_fault)?.iter().map(|name| name.trim().to_string()).collect();
    let names: Vec<String> = given.iter().map(|name| name.to_lowercase()).collect();
    let others = |known: &[&str]| {
        let other = |(place, name): (usize, &String)| (!known.contains(&names[place].as_str())).then(|| (name.clone(), place));
        given.iter().enumerate().filter_map(other).collect::<Vec<_>>()
    };
    let place = |name: &str| names.iter().position(|column| column == name);
    if let Some(polyline) = place("polyline") {
        return Ok(TripFormat::Uci(UciRows::new(
            reader,
            place("trip_id"),
            place("missing_data"),
            polyline,
            others(&["trip_id", "missing_data", "polyline"]),
        )));
    }
    match (place("trip"), place("lat"), place("lon")) {
        (Some(trip), Some(lat), Some(lon)) => {
            let others = others(&["trip", "lat", "lon", "time"]);
            Ok(TripFormat::Plain(PlainRows::new(reader, [trip, lat, lon], place("time"), others)))
        }
        _ => Err(Fault::Row {
            line: 1,
            what: format!(
                "the columns are {}: give either TRIP_ID and POLYLINE (as the Porto taxis at UCI), or trip, lat, lon \
                 and optionally time",
                names.join(", ")
            ),
        }),
    }
}

/// The fault of a row of a table.
pub(super) fn row_fault(error: csv::Error) -> Fault {
    let line = error.position().map(line_of);
    let what = match error.kind() {
        csv::ErrorKind::Io(cause) => return Fault::Content(cause.to_string()),
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8".to_string(),
        _ => error.to_string(),
    };
    Fault::Row { line: line.unwrap_or(1), what }
}
