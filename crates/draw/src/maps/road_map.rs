//! What all maps of a road network share: the options, the sheet, and the roads themselves.

use revealed_roads::{MapExtent, Plane, Position, RoadType, Roads, Source};

use super::lines::{self, Piece};
use super::margin::{self, MARGIN};
use super::view::{Bounds, Frame, Metres, View};
use crate::canvas::{Canvas, Colour};
use crate::error::Error;
use crate::legend::{self, BAR_HEIGHT, TITLE_TEXT};
use crate::scales::BASE;

/// How far a simplified line may be from the road, in units of the sheet: less than a pixel of the PNG.
const TOLERANCE: f64 = 0.2;

/// What maps of one network have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct MapOptions {
    /// The width of the sheet. Text is 15 units high, so 720 suits a page; use more for a poster.
    pub width: f64,
    /// Where the network is from, to be written in a corner.
    pub attribution: Option<String>,
}

impl MapOptions {
    /// With the attribution that maps of this network must carry.
    pub fn of(roads: &Roads) -> MapOptions {
        let attribution = roads.network.source.attribution().map(str::to_string);
        MapOptions { attribution, ..MapOptions::default() }
    }

    /// For a network of OpenStreetMap.
    pub fn openstreetmap() -> MapOptions {
        let attribution = Source::OpenStreetMap.attribution().map(str::to_string);
        MapOptions { attribution, ..MapOptions::default() }
    }
}

impl Default for MapOptions {
    fn default() -> MapOptions {
        MapOptions { width: 720.0, attribution: None }
    }
}

/// Draws maps of one network. It finds the pieces of road once; each map then takes a fraction of a second.
///
/// ```
/// use revealed_draw::{MapOptions, RoadMap, Values};
/// use revealed_roads::{Group, Network, Position, Roads, RoadType};
/// use revealed_roads::network::{Node, Segment, WayInfo};
///
/// // A street of one kilometre, driven in both directions.
/// let node = |id, lon| Node { id, position: Position { lat: 41.15, lon }, signal: false, crossing: false, elevation: None };
/// let way = WayInfo {
///     id: 1, highway: "residential".into(), road_type: RoadType::Local, lanes: None, speed: None, toll: false,
///     roundabout: false, name: String::new(),
/// };
/// let segment = |from, to| Segment { from, to, way: 0, length: 1000.0 };
/// let network = Network::from_parts(
///     vec![node(1, -8.612), node(2, -8.600)], vec![way], vec![segment(0, 1), segment(1, 0)], vec![(0, 1), (1, 0)],
/// );
/// let roads = Roads::new(network, &Group::parse("length")?);
/// let map = RoadMap::new(&roads, MapOptions::default())?;
/// let values = Values { title: "One street", label: "cost (1/km)", values: &[1.5, 2.5], ..Values::default() };
/// assert!(map.coloured(&values)?.svg().contains("One street"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RoadMap<'a> {
    pub(super) roads: &'a Roads,
    pub(super) options: MapOptions,
    pub(super) plane: Plane,
    /// Where each node is.
    at: Vec<Metres>,
    pub(super) pieces: Vec<Piece>,
    pub(super) bounds: Bounds,
}

impl<'a> RoadMap<'a> {
    /// Prepares maps of these roads.
    ///
    /// # Errors
    /// If no road has a valid position, or the width is not between 200 and 10,000.
    pub fn new(roads: &'a Roads, options: MapOptions) -> Result<RoadMap<'a>, Error> {
        if !(200.0..=10_000.0).contains(&options.width) {
            return Err(cannot(format!("its width is {}: ask for 200 to 10000", options.width)));
        }
        let nodes = &roads.network.nodes;
        let nothing = || cannot("no road has a place on the earth: is the network empty?");
        let extent = MapExtent::of(nodes.iter().map(|node| node.position)).ok_or_else(nothing)?;
        let plane = Plane::at(extent.middle());
        // An invalid position is a NaN from here on, and is never drawn.
        let at: Vec<Metres> = nodes.iter().map(|node| project(&plane, node.position)).collect();
        let pieces = lines::pieces(roads, &at);
        let ends = pieces.iter().flat_map(|piece| [piece.a, piece.b]).map(|node| at[node as usize]);
        let bounds = Bounds::around(ends).ok_or_else(nothing)?;
        Ok(RoadMap { roads, options, plane, at, pieces, bounds })
    }

    /// A sheet with a title and a map frame, and room below. The map shows at least the bounds.
    pub(super) fn sheet(&self, title: &str, bounds: Bounds, limits: [f64; 2], below: f64) -> (Canvas, View) {
        let width = self.options.width;
        let inner = width - 2.0 * MARGIN;
        let head = legend::title_height(title, TITLE_TEXT, inner);
        let height = bounds.height(inner, limits[0], limits[1]);
        let frame = Frame { left: MARGIN, top: MARGIN + head, width: inner, height };
        let mut canvas = blank(width, frame.bottom() + 6.0 + below + MARGIN);
        legend::title(&mut canvas, (MARGIN, 4.0), title, TITLE_TEXT, inner);
        (canvas, View::fit(bounds, frame))
    }

    /// The border of the map, its scale, and where its data is from.
    pub(super) fn finish(&self, canvas: &mut Canvas, view: &View) {
        let right = self.options.width - MARGIN;
        margin::border(canvas, &view.frame);
        margin::scale_bar(canvas, (right, view.frame.bottom() + 36.0), view, 0.2 * self.options.width);
        self.attribute(canvas, view.frame.bottom() + 6.0 + BAR_HEIGHT);
    }

    pub(super) fn attribute(&self, canvas: &mut Canvas, y: f64) {
        margin::attribution(canvas, (self.options.width - MARGIN, y), self.options.attribution.as_deref());
    }

    /// All roads in grey, for orientation; `zoom` makes them wider.
    pub(super) fn base(&self, canvas: &mut Canvas, view: &View, zoom: f64) {
        let (ground, colour) = (view.bounds(), BASE);
        for road_type in BY_IMPORTANCE {
            let all = self.pieces.iter().filter(|piece| self.road_type(piece) == road_type);
            let seen: Vec<&Piece> = all.filter(|piece| ground.meets(self.place(piece.a), self.place(piece.b))).collect();
            self.draw(canvas, view, &seen, colour, zoom * line_width(road_type));
        }
    }

    /// Pieces of one colour and width, as one element.
    pub(super) fn draw(&self, canvas: &mut Canvas, view: &View, pieces: &[&Piece], colour: Colour, width: f64) {
        let mut drawn = Vec::new();
        for line in lines::join(pieces, &self.at) {
            let line: Vec<_> = line.iter().map(|&node| view.place(self.place(node))).collect();
            drawn.extend(view.frame.clip(&lines::simplify(&line, TOLERANCE), width / 2.0));
        }
        canvas.strokes(&drawn, colour, width);
    }

    pub(super) fn place(&self, node: u32) -> Metres {
        self.at[node as usize]
    }

    pub(super) fn road_type(&self, piece: &Piece) -> RoadType {
        self.roads.network.ways[piece.way as usize].road_type
    }

    pub(super) fn check_values(&self, what: &str, values: &[f64]) -> Result<(), Error> {
        match (values.len(), self.roads.n_states()) {
            (given, states) if given != states => {
                Err(cannot(format!("there are {given} {what}, but the network has {states} states: give one for each")))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_states(&self, what: &str, states: &[usize]) -> Result<(), Error> {
        match states.iter().position(|&state| state >= self.roads.n_states()) {
            Some(place) => Err(cannot(format!(
                "{what} has state {} at place {place}, but the network has {} states",
                states[place],
                self.roads.n_states()
            ))),
            None => Ok(()),
        }
    }
}

/// The types of roads from the least to the most important, so that the latter are drawn on top.
pub(super) const BY_IMPORTANCE: [RoadType; 4] = [RoadType::Other, RoadType::Local, RoadType::Major, RoadType::Highway];

pub(super) fn line_width(road_type: RoadType) -> f64 {
    match road_type {
        RoadType::Highway => 2.4,
        RoadType::Major => 1.5,
        RoadType::Local => 0.7,
        RoadType::Other => 0.5,
    }
}

/// A sheet of 1800 pixels at the usual width: what a full screen shows, in files that can be sent.
pub(super) fn blank(width: f64, height: f64) -> Canvas {
    Canvas::new(width, height.ceil()).with_pixels(2.5)
}

pub(super) fn project(plane: &Plane, position: Position) -> Metres {
    if position.is_valid() { plane.project(position) } else { [f64::NAN; 2] }
}

pub(super) fn cannot(problem: impl Into<String>) -> Error {
    Error::new("the map", problem)
}
