//! Maps of a road network that one can look at: values by colour, flows, trips with their forecasts, and destinations.
//!
//! ```
//! use revealed_reproduce::road_map::{MapOptions, RoadMap, Values};
//! use revealed_roads::{Group, Network, Position, Roads, RoadType};
//! use revealed_roads::network::{Node, Segment, WayInfo};
//!
//! // A street of one kilometre, driven both ways.
//! let node = |id, lon| Node { id, position: Position { lat: 41.15, lon }, signal: false, crossing: false };
//! let way = WayInfo {
//!     id: 1, highway: "residential".into(), road_type: RoadType::Local, lanes: None, speed: None, toll: false,
//!     roundabout: false, name: String::new(),
//! };
//! let segment = |from, to| Segment { from, to, way: 0, length: 1000.0 };
//! let network = Network::from_parts(
//!     vec![node(1, -8.612), node(2, -8.600)], vec![way], vec![segment(0, 1), segment(1, 0)], vec![(0, 1), (1, 0)],
//! );
//! let roads = Roads::new(network, &Group::parse("length")?);
//! let map = RoadMap::new(&roads, MapOptions::default())?;
//! let values = Values { title: "One street", label: "cost (1/km)", values: &[1.5, 2.5], ..Values::default() };
//! assert!(map.coloured(&values)?.svg().contains("One street"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod coloured;
mod colours;
mod destinations;
mod flows;
mod lines;
mod scatter;
mod sheet;
mod trip;
mod view;

use revealed_roads::{Plane, Position, RoadType, Roads, Source};

pub use self::coloured::{Values, cost_per_metre};
pub use self::destinations::DestinationPicture;
pub use self::flows::Flows;
pub use self::scatter::flow_scatter;
pub use self::trip::TripPicture;

use self::lines::Piece;
use self::sheet::{BAR_HEIGHT, MARGIN};
use self::view::{Bounds, Frame, Metres, View};
use crate::canvas::Canvas;
use crate::error::Error;

/// How far a simplified line may be from the road, in units of the sheet: less than a pixel of the PNG.
const TOLERANCE: f64 = 0.2;

/// What maps of one network have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct MapOptions {
    /// How wide a sheet is. Letters are 15 units high, so 720 is good for a page, and more for a poster.
    pub width: f64,
    /// Where the network is from, in a corner.
    pub attribution: Option<String>,
}

impl MapOptions {
    /// With what has to stand beside maps of this network.
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

/// Draws maps of one network: pieces of road are found once, and then each map takes a fraction of a second.
#[derive(Debug)]
pub struct RoadMap<'a> {
    roads: &'a Roads,
    options: MapOptions,
    plane: Plane,
    /// Where each node is.
    at: Vec<Metres>,
    pieces: Vec<Piece>,
    bounds: Bounds,
}

impl<'a> RoadMap<'a> {
    /// Prepares maps of these roads.
    ///
    /// # Errors
    /// If there are no roads, they lie nowhere, or the width is no width.
    pub fn new(roads: &'a Roads, options: MapOptions) -> Result<RoadMap<'a>, Error> {
        if !(200.0..=10_000.0).contains(&options.width) {
            return Err(cannot(format!("its width is {}: ask for 200 to 10000", options.width)));
        }
        let nodes = &roads.network.nodes;
        // A place that is none is a NaN from here on, and is left out of everything.
        let valid = nodes.iter().map(|node| node.position).filter(|position| position.is_valid());
        let degrees = Bounds::around(valid.map(|position| [position.lon, position.lat]));
        let nothing = || cannot("no road has a place on the earth: is the network empty?".to_string());
        let [lon, lat] = degrees.ok_or_else(nothing)?.middle();
        let plane = Plane::at(Position { lat, lon });
        let at: Vec<Metres> = nodes.iter().map(|node| project(&plane, node.position)).collect();
        let pieces = lines::pieces(roads, &at);
        let ends = pieces.iter().flat_map(|piece| [piece.a, piece.b]).map(|node| at[node as usize]);
        let bounds = Bounds::around(ends).ok_or_else(nothing)?;
        Ok(RoadMap { roads, options, plane, at, pieces, bounds })
    }

    /// A sheet with a title and a map frame, and room below. The bounds may become wider, not narrower.
    fn sheet(&self, title: &str, bounds: Bounds, limits: [f64; 2], below: f64) -> (Canvas, View) {
        let width = self.options.width;
        let inner = width - 2.0 * MARGIN;
        let head = sheet::title_height(title, sheet::TITLE, inner);
        let height = bounds.height(inner, limits[0], limits[1]);
        let frame = Frame { left: MARGIN, top: MARGIN + head, width: inner, height };
        let mut canvas = blank(width, frame.bottom() + 6.0 + below + MARGIN);
        sheet::title(&mut canvas, (MARGIN, 4.0), title, sheet::TITLE, inner);
        (canvas, View::fit(bounds, frame))
    }

    /// The edge of the map, its scale, and where its data is from.
    fn finish(&self, canvas: &mut Canvas, view: &View) {
        let right = self.options.width - MARGIN;
        sheet::edge(canvas, &view.frame);
        sheet::scale_bar(canvas, (right, view.frame.bottom() + 36.0), view, 0.2 * self.options.width);
        self.attribute(canvas, view.frame.bottom() + 6.0 + BAR_HEIGHT);
    }

    fn attribute(&self, canvas: &mut Canvas, y: f64) {
        sheet::attribution(canvas, (self.options.width - MARGIN, y), self.options.attribution.as_deref());
    }

    /// All roads in grey, to find one's way by; `zoom` makes them wider.
    fn base(&self, canvas: &mut Canvas, view: &View, zoom: f64) {
        let (ground, colour) = (view.bounds(), colours::BASE);
        for road_type in BY_IMPORTANCE {
            let all = self.pieces.iter().filter(|piece| self.road_type(piece) == road_type);
            let seen: Vec<&Piece> = all.filter(|piece| ground.meets(self.place(piece.a), self.place(piece.b))).collect();
            self.draw(canvas, view, &seen, colour, zoom * line_width(road_type));
        }
    }

    /// Pieces of one colour and width, as one element.
    fn draw(&self, canvas: &mut Canvas, view: &View, pieces: &[&Piece], colour: &str, width: f64) {
        let mut drawn = Vec::new();
        for line in lines::join(pieces, &self.at) {
            let line: Vec<_> = line.iter().map(|&node| view.place(self.place(node))).collect();
            drawn.extend(view.frame.clip(&lines::simplify(&line, TOLERANCE), width / 2.0));
        }
        canvas.strokes(&drawn, colour, width);
    }

    fn place(&self, node: u32) -> Metres {
        self.at[node as usize]
    }

    fn road_type(&self, piece: &Piece) -> RoadType {
        self.roads.network.ways[piece.way as usize].road_type
    }

    fn check_values(&self, what: &str, values: &[f64]) -> Result<(), Error> {
        match (values.len(), self.roads.n_states()) {
            (given, states) if given != states => {
                Err(cannot(format!("there are {given} {what}, but the network has {states} states: give one for each")))
            }
            _ => Ok(()),
        }
    }

    fn check_states(&self, what: &str, states: &[usize]) -> Result<(), Error> {
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

const BY_IMPORTANCE: [RoadType; 4] = [RoadType::Other, RoadType::Local, RoadType::Major, RoadType::Highway];

fn line_width(road_type: RoadType) -> f64 {
    match road_type {
        RoadType::Highway => 2.4,
        RoadType::Major => 1.5,
        RoadType::Local => 0.7,
        RoadType::Other => 0.5,
    }
}

/// A sheet of 1800 pixels at the usual width: what a full screen shows, in files that can be sent.
fn blank(width: f64, height: f64) -> Canvas {
    Canvas::new(width, height.ceil()).with_pixels(2.5)
}

fn project(plane: &Plane, position: Position) -> Metres {
    if position.is_valid() { plane.project(position) } else { [f64::NAN; 2] }
}

fn cannot(problem: String) -> Error {
    Error::Drawing { what: "the map".to_string(), problem }
}
