//! Protocol buffers (`.osm.pbf`), as Geofabrik and others publish them. A file is a sequence of blobs, which are
//! decompressed and read in parallel.
//!
//! The reader is our own because a broken file must be an error. The crate osmpbf (0.3.8) unwraps the kind of a member,
//! has sums that may overflow, and silently ends the tags at one that is not in its table.

use std::io::{BufReader, Read};

use revealed::{Threads, parallel};

use super::element::{Element, Kind, Member, VisitElement, Wanted};
use super::part::Part;
use super::passes::Halt;
use super::wire::{Broken, FieldValue, Fields, signed, sums};
use crate::error::Fault;
use crate::geometry::Position;

/// The format's own limits in bytes.
const LARGEST_HEADER: u32 = 64 << 10;
const LARGEST_BLOB: u64 = 32 << 20;
/// The number of blobs in memory at a time.
const BATCH: usize = 32;

pub(super) fn scan(
    file: impl Read,
    wanted: Wanted,
    visit: VisitElement<'_>,
    merge: &mut dyn FnMut(Part),
    look: &mut dyn FnMut() -> Result<(), Halt>,
) -> Result<(), Halt> {
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut byte = 0;
    let mut first = true;
    loop {
        let mut blobs = Vec::with_capacity(BATCH);
        while blobs.len() < BATCH
            && let Some(blob) = next_blob(&mut file, &mut byte)?
        {
            if std::mem::take(&mut first) && blob.kind != "OSMHeader" {
                return Err(Fault::Pbf("it does not begin with a header".to_string()).into());
            }
            blobs.push(blob);
        }
        if first {
            return Err(Fault::Pbf("it is empty".to_string()).into());
        }
        if blobs.is_empty() {
            return Ok(());
        }
        let read = |blob: &Blob| {
            let broken = |what: &str| Fault::Pbf(format!("the blob at byte {}: {what}", blob.byte));
            let unpacked = unpack(&blob.bytes).map_err(broken)?;
            let mut part = Part::default();
            match blob.kind.as_str() {
                "OSMHeader" => header(&unpacked).map_err(|what| broken(&what))?,
                "OSMData" => block(&unpacked, wanted, &mut |element| visit(element, &mut part)).map_err(broken)?,
                // The format allows new kinds, which old readers skip.
                _ => {}
            }
            Ok(part)
        };
        let parts: Vec<Result<Part, Fault>> = Threads::default().run(|| parallel::map(&blobs, read));
        for part in parts {
            merge(part?);
        }
        look()?;
    }
}

struct Blob {
    byte: u64,
    kind: String,
    bytes: Vec<u8>,
}

/// The next blob; `None` at the end of the file.
fn next_blob(file: &mut impl Read, byte: &mut u64) -> Result<Option<Blob>, Fault> {
    let start = *byte;
    let broken = |what: &str| Fault::Pbf(format!("the blob at byte {start}: {what}"));
    let cut = "the file ends within it: it is truncated";
    let mut length = Vec::new();
    file.by_ref().take(4).read_to_end(&mut length)?;
    if length.is_empty() {
        return Ok(None);
    }
    let length = u32::from_be_bytes(length.try_into().map_err(|_| broken(cut))?);
    if length > LARGEST_HEADER {
        return Err(broken("its header would be longer than the format allows"));
    }
    // The buffer grows with the bytes that are there, so a wrong length allocates nothing.
    let mut bytes = |length: u64| {
        let mut bytes = Vec::new();
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length { Err(broken(cut)) } else { Ok(bytes) }
    };
    let header = bytes(length.into())?;
    let (mut kind, mut size, mut fields) = (String::new(), None, Fields(&header));
    while let Some((number, value)) = fields.next().map_err(broken)? {
        match number {
            1 => kind = String::from_utf8_lossy(value.bytes().map_err(broken)?).into_owned(),
            3 => size = Some(value.number().map_err(broken)?),
            _ => {}
        }
    }
    let size = size.ok_or_else(|| broken("its header does not give its length"))?;
    if size > LARGEST_BLOB {
        return Err(broken("it would be longer than the format allows"));
    }
    let bytes = bytes(size)?;
    *byte += 4 + u64::from(length) + size;
    Ok(Some(Blob { byte: start, kind, bytes }))
}

fn unpack(blob: &[u8]) -> Result<Vec<u8>, Broken> {
    let mut fields = Fields(blob);
    let (mut raw, mut packed, mut size) = (None, None, None);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => raw = Some(value.bytes()?),
            2 => size = Some(value.number()?),
            3 => packed = Some(value.bytes()?),
            4..=7 => return Err("it is not compressed by zlib: convert it with `osmium cat`"),
            _ => {}
        }
    }
    if let Some(raw) = raw {
        return Ok(raw.to_vec());
    }
    let packed = packed.ok_or("there is nothing in it")?;
    let mut unpacked = Vec::new();
    let whole = flate2::read::ZlibDecoder::new(packed).take(LARGEST_BLOB + 1).read_to_end(&mut unpacked);
    whole.map_err(|_| "it cannot be decompressed")?;
    match unpacked.len() as u64 {
        length if length > LARGEST_BLOB => Err("its decompressed size would be more than the format allows"),
        length if size.is_some_and(|size| size != length) => Err("its decompressed size is not the one that it states"),
        _ => Ok(unpacked),
    }
}

/// Checks the features that the file requires of its reader.
fn header(message: &[u8]) -> Result<(), String> {
    let mut fields = Fields(message);
    while let Some((number, value)) = fields.next()? {
        if number == 4 {
            match String::from_utf8_lossy(value.bytes()?).as_ref() {
                "OsmSchema-V0.6" | "DenseNodes" => {}
                "HistoricalInformation" => {
                    return Err("it holds the history of all versions: give an extract of one day".to_string());
                }
                other => return Err(format!("it requires a reader that supports {other:?}")),
            }
        }
    }
    Ok(())
}

/// What the elements of a block have in common.
struct Block<'a> {
    texts: Vec<&'a str>,
    granularity: i64,
    offset: [i64; 2],
}

fn block(message: &[u8], wanted: Wanted, visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Broken> {
    let mut block = Block { texts: Vec::new(), granularity: 100, offset: [0; 2] };
    let (mut fields, mut groups) = (Fields(message), Vec::new());
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => block.texts = texts(value.bytes()?)?,
            2 => groups.push(value.bytes()?),
            17 => block.granularity = value.number()? as i64,
            19 => block.offset[0] = value.number()? as i64,
            20 => block.offset[1] = value.number()? as i64,
            _ => {}
        }
    }
    for group in groups {
        let mut fields = Fields(group);
        while let Some((number, value)) = fields.next()? {
            match (number, wanted) {
                (1, Wanted::Nodes) => block.node(value.bytes()?, visit)?,
                (2, Wanted::Nodes) => block.dense(value.bytes()?, visit)?,
                (3, Wanted::Rest) => block.way(value.bytes()?, visit)?,
                (4, Wanted::Rest) => block.relation(value.bytes()?, visit)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn texts(message: &[u8]) -> Result<Vec<&str>, Broken> {
    let (mut fields, mut texts) = (Fields(message), Vec::new());
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
            texts.push(std::str::from_utf8(value.bytes()?).map_err(|_| "a text is not UTF-8")?);
        }
    }
    Ok(texts)
}

const NO_ID: Broken = "an element has no id";

/// The id of an element, and those of its fields that are lists.
fn columns<const N: usize>(message: &[u8], numbers: [u64; N]) -> Result<(Option<u64>, [Vec<u64>; N]), Broken> {
    let (mut fields, mut id, mut lists) = (Fields(message), None, [const { Vec::new() }; N]);
    while let Some((number, value)) = fields.next()? {
        if let Some(place) = numbers.iter().position(|known| *known == number) {
            value.numbers(&mut lists[place])?;
        } else if let (1, FieldValue::Number(value)) = (number, value) {
            id = Some(value);
        }
    }
    Ok((id, lists))
}

impl<'a> Block<'a> {
    fn text(&self, index: u64) -> Result<&'a str, Broken> {
        usize::try_from(index).ok().and_then(|index| self.texts.get(index).copied()).ok_or("a text is not in its table")
    }

    fn tags(&self, keys: &[u64], values: &[u64]) -> Result<Vec<(&'a str, &'a str)>, Broken> {
        if keys.len() != values.len() {
            return Err("the numbers of keys and of values differ");
        }
        keys.iter().zip(values).map(|(&key, &value)| Ok((self.text(key)?, self.text(value)?))).collect()
    }

    fn position(&self, lat: i64, lon: i64) -> Position {
        let [lat, lon] = [(lat, self.offset[0]), (lon, self.offset[1])]
            .map(|(value, offset)| 1e-9 * offset.wrapping_add(value.wrapping_mul(self.granularity)) as f64);
        Position { lat, lon }
    }

    fn node(&self, message: &[u8], visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Broken> {
        let (id, [keys, values, lat, lon]) = columns(message, [2, 3, 8, 9])?;
        let (&[lat], &[lon]) = (lat.as_slice(), lon.as_slice()) else { return Err("a node has no position") };
        let tags = self.tags(&keys, &values)?;
        let id = signed(id.ok_or(NO_ID)?);
        visit(Element::Node { id, position: self.position(signed(lat), signed(lon)), tags: &tags });
        Ok(())
    }

    fn dense(&self, message: &[u8], visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Broken> {
        let (_, [ids, lats, lons, texts]) = columns(message, [1, 8, 9, 10])?;
        if lats.len() != ids.len() || lons.len() != ids.len() {
            return Err("the numbers of positions and of nodes differ");
        }
        let (mut texts, mut tags) = (texts.into_iter(), Vec::new());
        for ((id, lat), lon) in sums(&ids).zip(sums(&lats)).zip(sums(&lons)) {
            tags.clear();
            // The tags of each node end with a 0; if no node has tags, the list is empty.
            while let Some(key) = texts.next().filter(|&key| key != 0) {
                let value = texts.next().ok_or("the numbers of keys and of values differ")?;
                tags.push((self.text(key)?, self.text(value)?));
            }
            visit(Element::Node { id, position: self.position(lat, lon), tags: &tags });
        }
        Ok(())
    }

    fn way(&self, message: &[u8], visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Broken> {
        let (id, [keys, values, nodes]) = columns(message, [2, 3, 8])?;
        let (tags, nodes): (_, Vec<i64>) = (self.tags(&keys, &values)?, sums(&nodes).collect());
        visit(Element::Way { id: id.ok_or(NO_ID)? as i64, nodes: &nodes, tags: &tags });
        Ok(())
    }

    fn relation(&self, message: &[u8], visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Broken> {
        let (_, [keys, values, roles, ids, kinds]) = columns(message, [2, 3, 8, 9, 10])?;
        if roles.len() != ids.len() || kinds.len() != ids.len() {
            return Err("the numbers of members, roles and kinds differ");
        }
        let tags = self.tags(&keys, &values)?;
        let member = |((id, role), kind): ((i64, &u64), &u64)| {
            let kind = match kind {
                0 => Kind::Node,
                1 => Kind::Way,
                2 => Kind::Relation,
                _ => return Err("a member is neither a node nor a way nor a relation"),
            };
            Ok(Member { kind, id, role: self.text(*role)? })
        };
        let members: Vec<Member<'_>> = sums(&ids).zip(&roles).zip(&kinds).map(member).collect::<Result<_, Broken>>()?;
        visit(Element::Relation { members: &members, tags: &tags });
        Ok(())
    }
}
