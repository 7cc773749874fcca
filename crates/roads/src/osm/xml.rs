//! XML, as the editors and the Overpass API write it.

use std::io::{BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Element, Kind, Member};
use crate::error::Fault;
use crate::geometry::Position;

/// So many events of the reader take some milliseconds.
const BETWEEN_LOOKS: u32 = 1 << 14;

pub(super) fn scan(
    file: impl Read,
    visit: &mut dyn FnMut(Element<'_>),
    look: &mut dyn FnMut() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut reader = Reader::from_reader(BufReader::with_capacity(1 << 20, file));
    let (mut buffer, mut parts, mut events) = (Vec::new(), Parts::default(), 0_u32);
    loop {
        events = events.wrapping_add(1);
        if events.is_multiple_of(BETWEEN_LOOKS) {
            look()?;
        }
        let event = reader.read_event_into(&mut buffer);
        let byte = reader.buffer_position();
        let malformed = |what: &str| Fault::Xml { byte, what: what.to_string() };
        match event.map_err(|error| malformed(&error.to_string()))? {
            Event::Start(start) => parts.begin(&start, visit).map_err(malformed)?,
            Event::Empty(start) => {
                parts.begin(&start, visit).map_err(malformed)?;
                parts.end(start.name().as_ref(), visit);
            }
            Event::End(end) => parts.end(end.name().as_ref(), visit),
            Event::Eof if !parts.begun => return Err(malformed("there is no element <osm>")),
            Event::Eof if !parts.ended => return Err(malformed("the file ends before </osm>: it was cut off")),
            Event::Eof => return look(),
            _ => {}
        }
        buffer.clear();
    }
}

/// What is known of the element that is being read.
#[derive(Default)]
struct Parts {
    begun: bool,
    ended: bool,
    id: i64,
    position: Position,
    tags: Vec<(String, String)>,
    nodes: Vec<i64>,
    members: Vec<(Kind, i64, String)>,
}

impl Parts {
    fn begin(&mut self, start: &BytesStart<'_>, visit: &mut dyn FnMut(Element<'_>)) -> Result<(), &'static str> {
        match start.name().as_ref() {
            b"osm" => {
                self.begun = true;
                visit(Element::Generator(&text(start, "generator").unwrap_or_default()));
            }
            b"node" => {
                self.id = number(start, "id").ok_or("a node has no id that is a number")?;
                let (lat, lon) = (number(start, "lat"), number(start, "lon"));
                // Deleted nodes have no place.
                self.position = Position { lat: lat.unwrap_or(f64::NAN), lon: lon.unwrap_or(f64::NAN) };
            }
            b"way" => self.id = number(start, "id").ok_or("a way has no id that is a number")?,
            b"tag" => {
                if let (Some(key), Some(value)) = (text(start, "k"), text(start, "v")) {
                    self.tags.push((key, value));
                }
            }
            b"nd" => self.nodes.push(number(start, "ref").ok_or("a node of a way has no ref that is a number")?),
            b"member" => {
                let kind = match text(start, "type").as_deref() {
                    Some("node") => Kind::Node,
                    Some("way") => Kind::Way,
                    _ => Kind::Relation,
                };
                let id = number(start, "ref").ok_or("a member of a relation has no ref that is a number")?;
                self.members.push((kind, id, text(start, "role").unwrap_or_default()));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8], visit: &mut dyn FnMut(Element<'_>)) {
        if name == b"osm" {
            self.ended = true;
        }
        if !matches!(name, b"node" | b"way" | b"relation") {
            return;
        }
        let tags: Vec<(&str, &str)> = self.tags.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        match name {
            b"node" => visit(Element::Node { id: self.id, position: self.position, tags: &tags }),
            b"way" => visit(Element::Way { id: self.id, nodes: &self.nodes, tags: &tags }),
            _ => {
                let members: Vec<Member<'_>> =
                    self.members.iter().map(|(kind, id, role)| Member { kind: *kind, id: *id, role }).collect();
                visit(Element::Relation { members: &members, tags: &tags });
            }
        }
        self.tags.clear();
        self.nodes.clear();
        self.members.clear();
    }
}

fn text(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok()??;
    found.unescape_value().ok().map(|value| value.into_owned())
}

fn number<T: std::str::FromStr>(start: &BytesStart<'_>, name: &str) -> Option<T> {
    text(start, name)?.parse().ok()
}
