//! GPX: what receivers and phones write.

use std::collections::HashMap;
use std::io::BufReader;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{Bytes, Fix, Trip};
use crate::error::Fault;
use crate::geometry::Position;

/// The trips of a file: each segment of each track is one, called after the track. Those of one name are numbered.
pub(super) struct Tracks {
    reader: Reader<BufReader<Bytes>>,
    buffer: Vec<u8>,
    parts: Parts,
}

impl Tracks {
    pub(super) fn new(bytes: Bytes) -> Tracks {
        Tracks { reader: Reader::from_reader(BufReader::new(bytes)), buffer: Vec::new(), parts: Parts::default() }
    }

    pub(super) fn next(&mut self) -> Option<Result<Trip, Fault>> {
        self.step().transpose()
    }

    fn step(&mut self) -> Result<Option<Trip>, Fault> {
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer);
            let byte = self.reader.buffer_position();
            let malformed = |what: String| Fault::Content(format!("it is no whole GPX, at byte {byte}: {what}"));
            let parts = &mut self.parts;
            match event.map_err(|error| malformed(error.to_string()))? {
                Event::Start(start) => parts.begin(&start).map_err(malformed)?,
                Event::Empty(start) => {
                    parts.begin(&start).map_err(malformed)?;
                    parts.end(start.local_name().as_ref()).map_err(malformed)?;
                }
                Event::Text(text) => parts.text.push_str(&text.decode().map_err(|error| malformed(error.to_string()))?),
                Event::CData(text) => parts.text.push_str(&text.decode().map_err(|error| malformed(error.to_string()))?),
                Event::GeneralRef(entity) => parts.text.push_str(&unescaped(&entity).map_err(malformed)?),
                Event::End(end) => parts.end(end.local_name().as_ref()).map_err(malformed)?,
                Event::Eof if !parts.begun => return Err(malformed("there is no element <gpx>".to_string())),
                Event::Eof if !parts.ended => return Err(malformed("it ends before </gpx>: it was cut off".to_string())),
                Event::Eof if parts.names.is_empty() => {
                    let what = "it has no tracks: trips are its <trkseg>, and neither waypoints nor routes";
                    return Err(Fault::Content(what.to_string()));
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
            if let Some(trip) = parts.trip.take() {
                return Ok(Some(trip));
            }
        }
    }
}

/// What is known of the track that is being read.
#[derive(Default)]
struct Parts {
    begun: bool,
    ended: bool,
    trip: Option<Trip>,
    tracks: usize,
    name: String,
    /// How many trips have been called so.
    names: HashMap<String, usize>,
    fixes: Vec<Fix>,
    in_track: bool,
    in_point: bool,
    text: String,
}

impl Parts {
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
                let seconds = seconds(text).ok_or_else(|| format!("the time {text:?} is not such as 2015-01-01T11:35:02Z"))?;
                if let Some(fix) = self.fixes.last_mut() {
                    fix.seconds = Some(seconds);
                }
            }
            b"trkseg" => {
                let name = if self.name.is_empty() { format!("track {}", self.tracks) } else { self.name.clone() };
                let id = self.numbered(name);
                self.trip = Some(Trip { id, fixes: std::mem::take(&mut self.fixes), missing: false });
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    /// A name that no trip has had: "name (2)" for the second of them.
    fn numbered(&mut self, name: String) -> String {
        let mut id = name.clone();
        // A track may have been called "name (2)" by somebody.
        while self.names.contains_key(&id) {
            let count = self.names.entry(name.clone()).or_default();
            *count += 1;
            id = format!("{name} ({count})");
        }
        self.names.insert(id.clone(), 1);
        id
    }
}

/// What an entity such as `&amp;` or `&#233;` stands for; one that XML does not know stands for itself.
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
    text.trim().parse().map_err(|_| format!("the {name} of a point is {text:?}: a number is wanted"))
}

/// Seconds since 1970 of a time such as `2015-01-01T11:35:02.5Z` or `2015-01-01T11:35:02+01:00`.
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
    // Days since 1970 by the civil calendar: years begin in March, so that the leap day is the last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some(86_400.0 * days as f64 + hours(clock)? - east)
}
