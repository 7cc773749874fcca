//! XML (`.osm`), as map editors and the Overpass API write it.

use std::io::{BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::element::{Element, Kind, Member};
use super::passes::Halt;
use crate::error::Fault;
use crate::files::Bounded;
use crate::geometry::Position;

/// Events between two calls of `look`: some milliseconds.
const BETWEEN_LOOKS: u32 = 1 << 14;

pub(super) fn scan(
    file: impl Read,
    visit: &mut dyn FnMut(Element<'_>),
    look: &mut dyn FnMut() -> Result<(), Halt>,
) -> Result<(), Halt> {
    let mut reader = Reader::from_reader(BufReader::with_capacity(1 << 20, Bounded::new(file)));
    let (mut buffer, mut open, mut events) = (Vec::new(), OpenElement::default(), 0_u32);
    loop {
        events = events.wrapping_add(1);
        if events.is_multiple_of(BETWEEN_LOOKS) {
            look()?;
        }
        reader.get_mut().get_mut().begin();
        let event = reader.read_event_into(&mut buffer);
        let byte = reader.buffer_position();
        let malformed = |what: &str| Fault::Xml { byte, what: what.to_string() };
        match event.map_err(|error| malformed(&error.to_string()))? {
            Event::Start(start) => open.begin(&start, visit).map_err(malformed)?,
            Event::Empty(start) => {
                open.begin(&start, visit).map_err(malformed)?;
                open.end(start.name().as_ref(), visit);
            }
            Event::End(end) => open.end(end.name().as_ref(), visit),
            Event::Eof if !open.begun => return Err(malformed("there is no element <osm>").into()),
            Event::Eof if !open.ended => return Err(malformed("the file ends before </osm>: it is truncated").into()),
            Event::Eof => return look(),
            _ => {}
        }
        buffer.clear();
    }
}

/// OpenStreetMap allows 2,000 nodes of a way and 32,000 members of a relation.
const MOST_PARTS: usize = 1_000_000;

/// The element that is being read.
#[derive(Default)]
struct OpenElement {
    begun: bool,
    ended: bool,
    id: i64,
    position: Position,
    tags: Vec<(String, String)>,
    nodes: Vec<i64>,
    members: Vec<(Kind, i64, String)>,
}

impl OpenElement {
    fn n_parts(&self) -> usize {
        self.tags.len() + self.nodes.len() + self.members.len()
    }

    fn begin(&mut self, start: &BytesStart<'_>, visit: &mut dyn FnMut(Element<'_>)) -> Result<(), &'static str> {
        match start.name().as_ref() {
            b"osm" => {
                self.begun = true;
                visit(Element::Generator(&text(start, "generator").unwrap_or_default()));
            }
            b"node" => {
                self.id = number(start, "id").ok_or("the id of a node is not a number")?;
                let (lat, lon) = (number(start, "lat"), number(start, "lon"));
                // Deleted nodes have no position.
                self.position = Position { lat: lat.unwrap_or(f64::NAN), lon: lon.unwrap_or(f64::NAN) };
            }
            b"way" => self.id = number(start, "id").ok_or("the id of a way is not a number")?,
            b"tag" | b"nd" | b"member" if self.n_parts() >= MOST_PARTS => {
                return Err("an element has more than a million parts");
            }
            b"tag" => {
                if let (Some(key), Some(value)) = (text(start, "k"), text(start, "v")) {
                    self.tags.push((key, value));
                }
            }
            b"nd" => self.nodes.push(number(start, "ref").ok_or("the ref of a node of a way is not a number")?),
            b"member" => {
                let kind = match text(start, "type").as_deref() {
                    Some("node") => Kind::Node,
                    Some("way") => Kind::Way,
                    _ => Kind::Relation,
                };
                let id = number(start, "ref").ok_or("the ref of a member of a relation is not a number")?;
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
