//! GPS trips, read one after another: files of any size, in little memory.

mod gpx;
mod plain;
mod uci;

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

pub(crate) use self::uci::UCI_SECONDS;
use crate::error::{Error, Fault};
use crate::geometry::Position;
use crate::table::line_of;

/// Where a car was, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fix {
    /// Where. Files have places that are none, such as null or a longitude of 500: they are kept, for [matching](crate::matching) to
    /// count.
    pub position: Position,
    /// When, in seconds from any moment that all fixes of the trip share; `None` where the file does not say.
    pub seconds: Option<f64>,
}

/// What a GPS receiver recorded from one passenger, or one switch of the engine, to the next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trip {
    /// Its name in the file.
    pub id: String,
    /// In the order of the file.
    pub fixes: Vec<Fix>,
    /// Whether the file itself says that fixes are missing.
    pub missing: bool,
}

impl Trip {
    /// From the first fix to the last in seconds, if the times are known.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.fixes.last()?.seconds? - self.fixes.first()?.seconds?)
    }
}

/// A file of trips: an iterator that reads one trip at a time. After an error there is nothing more.
pub struct Trips {
    path: PathBuf,
    source: Source,
    failed: bool,
}

enum Source {
    Uci(uci::Rows),
    Plain(plain::Rows),
    Gpx(gpx::Tracks),
}

impl Trips {
    /// Opens a file of trips:
    ///
    /// - `.csv` or `.csv.gz` with the columns of the UCI's taxi trips of Porto (`TRIP_ID`, `MISSING_DATA`, `POLYLINE` of
    ///   `[[lon, lat], ...]`; a fix every 15 seconds),
    /// - `.csv` or `.csv.gz` with the columns `trip`, `lat`, `lon` and, if known, `time` (seconds), a fix a row, and those of a trip
    ///   together,
    /// - `.gpx` or `.gpx.gz`: each segment of a track is a trip; those of one name are numbered, "name (2)".
    ///
    /// # Errors
    /// If it cannot be read, is of no known kind, or its columns are not those.
    pub fn open(path: impl AsRef<Path>) -> Result<Trips, Error> {
        let path = path.as_ref();
        let source = open(path).map_err(|fault| fault.of(path))?;
        Ok(Trips { path: path.to_path_buf(), source, failed: false })
    }
}

impl Iterator for Trips {
    type Item = Result<Trip, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = match &mut self.source {
            Source::Uci(rows) => rows.next(),
            Source::Plain(rows) => rows.next(),
            Source::Gpx(tracks) => tracks.next(),
        };
        self.failed = matches!(next, Some(Err(_)));
        next.map(|trip| trip.map_err(|fault| fault.of(&self.path)))
    }
}

/// The bytes of a file, unpacked.
type Bytes = Box<dyn Read + Send>;

fn open(path: &Path) -> Result<Source, Fault> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (name, packed) = match name.strip_suffix(".gz") {
        Some(rest) => (rest, true),
        None => (name.as_str(), false),
    };
    if !name.ends_with(".csv") && !name.ends_with(".gpx") {
        return Err(Fault::Content("its name ends in nothing that is known: give .csv, .csv.gz, .gpx or .gpx.gz".to_string()));
    }
    let file = File::open(path)?;
    let bytes: Bytes = if packed { Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file))) } else { Box::new(file) };
    if name.ends_with(".gpx") {
        return Ok(Source::Gpx(gpx::Tracks::new(bytes)));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).buffer_capacity(1 << 16).from_reader(bytes);
    let names: Vec<String> = reader.headers().map_err(row_fault)?.iter().map(|name| name.trim().to_lowercase()).collect();
    let place = |name: &str| names.iter().position(|column| column == name);
    if let Some(polyline) = place("polyline") {
        return Ok(Source::Uci(uci::Rows::new(reader, place("trip_id"), place("missing_data"), polyline)));
    }
    match (place("trip"), place("lat"), place("lon")) {
        (Some(trip), Some(lat), Some(lon)) => Ok(Source::Plain(plain::Rows::new(reader, trip, place("time"), lat, lon))),
        _ => Err(Fault::Row {
            line: 1,
            what: format!(
                "the columns are {}: either TRIP_ID and POLYLINE are wanted (UCI's taxi trips), or trip, lat, lon and perhaps time",
                names.join(", ")
            ),
        }),
    }
}

/// What is wrong with a table, and in which line.
fn row_fault(error: csv::Error) -> Fault {
    let line = error.position().map(line_of);
    let what = match error.kind() {
        csv::ErrorKind::Io(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Fault::Content(format!("it ends before its end, {cause}: it was cut off; get it again"));
        }
        csv::ErrorKind::Io(cause) => return Fault::Content(cause.to_string()),
        csv::ErrorKind::Utf8 { .. } => "it is no text in UTF-8".to_string(),
        _ => error.to_string(),
    };
    Fault::Row { line: line.unwrap_or(1), what }
}

/// A number that stands for an id: files may have millions of them to be remembered.
pub(crate) fn number_of(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
