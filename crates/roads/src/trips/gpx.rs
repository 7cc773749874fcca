//! GPX, as GPS receivers and phones write it.

use std::collections::HashMap;
use std::io::BufReader;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::reader::Bytes;
use super::trip::{Fix, Trip};
use crate::error::Fault;
use crate::geometry::Position;

/// The trips of a file: each segment of a track is one, with the name of the track. Trips of one name are numbered.
pub(super) struct Tracks {
    reader: Reader<BufReader<Bytes>>,
    buffer: Vec<u8>,
    track: OpenTrack,
}

impl Tracks {
    pub(super) fn new(bytes: Bytes) -> Tracks {
        Tracks { reader: Reader::from_reader(BufReader::new(bytes)), buffer: Vec::new(), track: OpenTrack::default() }
    }

    pub(super) fn next(&mut self) -> Option<Result<Trip, Fault>> {
        self.step().transpose()
    }

    fn step(&mut self) -> Result<Option<Trip>, Fault> {
        loop {
            self.buffer.clear();
            self.reader.get_mut().get_mut().begin();
            let event = self.reader.read_event_into(&mut self.buffer);
            let byte = self.reader.buffer_position();
            let malformed = |what: String| Fault::Content(format!("not valid GPX, at byte {byte}: {what}"));
            let track = &mut self.track;
            match event.map_err(|error| malformed(error.to_string()))? {
                Event::Start(start) => track.begin(&start).map_err(malformed)?,
                Event::Empty(start) => {
                    track.begin(&start).map_err(malformed)?;
                    track.end(start.local_name().as_ref()).map_err(malformed)?;
                }
                Event::Text(text) => track.add(&text.decode().map_err(|error| malformed(error.to_string()))?),
                Event::CData(text) => track.add(&text.decode().map_err(|error| malformed(error.to_string()))?),
                Event::GeneralRef(entity) => track.add(&unescaped(&entity).map_err(malformed)?),
                Event::End(end) => track.end(end.local_name().as_ref()).map_err(malformed)?,
                Event::Eof if !track.begun => return Err(malformed("there is no element <gpx>".to_string())),
                Event::Eof if !track.ended => {
                    return Err(malformed("the file ends before </gpx>: it is truncated".to_string()));
                }
                Event::Eof if track.names.is_empty() => {
                    let what = "it has no tracks: trips are read from <trkseg>, not from waypoints or routes";
                    return Err(Fault::Content(what.to_string()));
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
            if let Some(trip) = track.trip.take() {
                return Ok(Some(trip));
            }
        }
    }
}

/// The track that is being read.
#[derive(Default)]
struct OpenTrack {
    begun: bool,
    ended: bool,
    trip: Option<Trip>,
    tracks: usize,
    name: String,
    /// How many trips have each name.
    names: HashMap<String, usize>,
    fixes: Vec<Fix>,
    in_track: bool,
    in_point: bool,
    text: String,
}

/// Texts are names and times. More characters are not kept.
const LONGEST_TEXT: usize = 1 << 16;

impl OpenTrack {
    fn add(&mut self, text: &str) {
        if self.text.len() < LONGEST_TEXT {
            self.text.push_str(text);
        }
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        self.text.clear();
        match start.local_name().as_ref() {
            b"gpx" => self.begun = true,
            b"trk" => {
                self.in_track = true;
                self.tracks += 1;
                self.name.clear();
            }
            b"trkpt" => {
                self.in_point = true;
                let position = Position { lat: number(start, "lat")?, lon: number(start, "lon")? };
                self.fixes.push(Fix { position, seconds: None });
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) -> Result<(), String> {
        match name {
            b"gpx" => self.ended = true,
            b"trk" => self.in_track = false,
            b"name" if self.in_track && !self.in_point => self.name = self.text.trim().to_string(),
            b"trkpt" => self.in_point = false,
            b"time" if self.in_point => {
                let text = self.text.trim();
                let seconds = seconds(text)
                    .ok_or_else(|| format!("the time {text:?} is not valid: give one such as 2015-01-01T11:35:02Z"))?;
                if let Some(fix) = self.fixes.last_mut() {
                    fix.seconds = Some(seconds);
                }
            }
            b"trkseg" => {
                let name = if self.name.is_empty() { format!("track {}", self.tracks) } else { self.name.clone() };
                let id = self.numbered(name);
                self.trip = Some(Trip { id, fixes: std::mem::take(&mut self.fixes), ..Trip::default() });
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    /// A name that no trip has yet: "name (2)" for the second of them.
    fn numbered(&mut self, name: String) -> String {
        let mut id = name.clone();
        // The file itself may have a track called "name (2)".
        while self.names.contains_key(&id) {
            let count = self.names.entry(name.clone()).or_default();
            *count += 1;
            id = format!("{name} ({count})");
        }
        self.names.insert(id.clone(), 1);
        id
    }
}

/// The text of an entity such as `&amp;` or `&#233;`; an entity that XML does not define is kept as it is.
fn unescaped(entity: &BytesRef<'_>) -> Result<String, String> {
    if let Some(character) = entity.resolve_char_ref().map_err(|error| error.to_string())? {
        return Ok(character.to_string());
    }
    let name = entity.decode().map_err(|error| error.to_string())?;
    Ok(quick_xml::escape::resolve_xml_entity(&name).map_or_else(|| format!("&{name};"), str::to_string))
}

fn number(start: &BytesStart<'_>, name: &str) -> Result<f64, String> {
    let found = start.try_get_attribute(name).ok().flatten();
    let text = found.and_then(|found| found.unescape_value().ok().map(|value| value.into_owned()));
    let text = text.ok_or_else(|| format!("a point of a track has no {name}"))?;
    text.trim().parse().map_err(|_| format!("the {name} of a point is {text:?}: give a number"))
}

/// The seconds since 1970 of a time such as `2015-01-01T11:35:02.5Z` or `2015-01-01T11:35:02+01:00`.
fn seconds(text: &str) -> Option<f64> {
    let (date, clock) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let zone = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at(zone);
    let hours = |text: &str| {
        let mut parts = text.splitn(3, ':').map(|part| part.parse::<f64>().ok());
        let (hour, minute) = (parts.next()??, parts.next()??);
        let second = parts.next().unwrap_or(Some(0.0))?;
        Some(3600.0 * hour + 60.0 * minute + second)
    };
    let east = match zone.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => 0.0,
        Some(("+", rest)) => hours(rest)?,
        Some(("-", rest)) => -hours(rest)?,
        Some(_) => return None,
    };
    // Days since 1970 in the Gregorian calendar. Years begin in March here, so that the leap day is the last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some(86_400.0 * days as f64 + hours(clock)? - east)
}
