//! Trips on the map: the GPS points, the route that was driven, and routes that were forecast.

use revealed_roads::Position;
use revealed_roads::network::Segment;

use super::margin::{self, MARGIN};
use super::road_map::{RoadMap, blank, cannot, project};
use super::view::{Bounds, Frame, Metres, View};
use crate::canvas::{Anchor, Canvas, Colour, GREEN, INK, Mark, Point, VERMILION, dashes};
use crate::error::Error;
use crate::legend::{self, BAR_HEIGHT, Entry, LINE, SMALL_TEXT, Swatch, TEXT, TITLE_TEXT};

const TRUTH: Colour = Colour::hex(0x8CC8F0);
const OTHERS: [Colour; 3] = [Colour::hex(0x6A3D9A), GREEN, Colour::hex(0xB8860B)];

/// One trip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TripPicture<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The GPS points; may be empty.
    pub fixes: &'a [Position],
    /// The states of the true route.
    pub truth: &'a [usize],
    /// The name of that route in the legend, such as "matched route" for a route that was matched to GPS points.
    pub truth_name: &'a str,
    /// The states of the forecast route; may be empty.
    pub forecast: &'a [usize],
    /// The distance match of the forecast in percent.
    pub matched: Option<f64>,
    /// Other routes by name, such as the shortest path. There are three colours for them.
    pub others: &'a [(&'a str, &'a [usize])],
}

impl Default for TripPicture<'_> {
    fn default() -> Self {
        TripPicture { title: "", fixes: &[], truth: &[], truth_name: "true route", forecast: &[], matched: None, others: &[] }
    }
}

impl RoadMap<'_> {
    /// A trip with the roads around it.
    ///
    /// # Errors
    /// If there is nothing to show, or a state is not in the network.
    pub fn trip(&self, trip: &TripPicture<'_>) -> Result<Canvas, Error> {
        let bounds = self.around(trip)?;
        let mut entries = entries_of(&[*trip]);
        if let Some(matched) = trip.matched.filter(|matched| matched.is_finite()) {
            entries.iter_mut().filter(|entry| entry.words == FORECAST).for_each(|entry| entry.words = matched_words(matched));
        }
        let width = 0.72 * self.options.width;
        let below = (LINE * legend::entry_lines(&entries, width) as f64 + 8.0).max(BAR_HEIGHT);
        let (mut canvas, view) = self.sheet(trip.title, bounds, [0.45, 1.0], below);
        self.draw_trip(&mut canvas, &view, trip);
        legend::entries(&mut canvas, (MARGIN, view.frame.bottom() + 8.0), &entries, width);
        self.finish(&mut canvas, &view);
        Ok(canvas)
    }

    /// Trips side by side in this many columns, each with its own scale: for the best, the typical and the worst
    /// forecast.
    ///
    /// # Errors
    /// If there is no trip, or a trip cannot be shown.
    pub fn trips(&self, title: &str, trips: &[TripPicture<'_>], columns: usize) -> Result<Canvas, Error> {
        const GAP: f64 = 14.0;
        let columns = columns.clamp(1, trips.len().max(1));
        let inner = self.options.width - 2.0 * MARGIN;
        let side = (inner - GAP * (columns - 1) as f64) / columns as f64;
        let heads = trips.iter().map(|trip| legend::title_height(trip.title, TEXT, side));
        let head = heads.fold(0.0, f64::max);
        let row = head + side + 40.0 + GAP;
        let top = MARGIN + legend::title_height(title, TITLE_TEXT, inner);
        let entries = entries_of(trips);
        let bottom = top + row * trips.len().div_ceil(columns) as f64;
        let below =
            LINE * (legend::entry_lines(&entries, inner) as f64 + f64::from(u8::from(self.options.attribution.is_some())));
        let mut canvas = blank(self.options.width, bottom + below + MARGIN);
        legend::title(&mut canvas, (MARGIN, 4.0), title, TITLE_TEXT, inner);
        if trips.is_empty() {
            return Err(cannot("there is no trip to show"));
        }
        for (place, trip) in trips.iter().enumerate() {
            let corner = (MARGIN + (place % columns) as f64 * (side + GAP), top + (place / columns) as f64 * row);
            let frame = Frame { left: corner.0, top: corner.1 + head + 4.0, width: side, height: side };
            let view = View::fit(self.around(trip)?, frame);
            legend::title(&mut canvas, (corner.0, corner.1 - 2.0), trip.title, TEXT, side);
            self.draw_trip(&mut canvas, &view, trip);
            margin::border(&mut canvas, &frame);
            let foot = frame.bottom() + 31.0;
            margin::scale_bar(&mut canvas, (frame.right(), foot), &view, 0.36 * side);
            if let Some(matched) = trip.matched.filter(|matched| matched.is_finite()) {
                canvas.text((frame.left, foot), &format!("{matched:.0}% match"), SMALL_TEXT, Anchor::Start, INK);
            }
        }
        legend::entries(&mut canvas, (MARGIN, bottom), &entries, inner);
        self.attribute(&mut canvas, bottom + below);
        Ok(canvas)
    }

    /// The ground around a trip. GPS points far away from its routes are outliers, and do not count.
    fn around(&self, trip: &TripPicture<'_>) -> Result<Bounds, Error> {
        self.check_states(&format!("the {}", trip.truth_name), trip.truth)?;
        self.check_states("the forecast", trip.forecast)?;
        for (name, states) in trip.others {
            self.check_states(name, states)?;
        }
        let others = trip.others.iter().flat_map(|other| other.1);
        let ends = trip.truth.iter().chain(trip.forecast).chain(others).flat_map(|&state| self.ends(state));
        let fixes = || trip.fixes.iter().map(|&fix| project(&self.plane, fix));
        let bounds = match Bounds::around(ends) {
            Some(routes) => {
                Bounds::around(routes.corners().into_iter().chain(fixes().filter(|&fix| routes.grown(0.3, 300.0).has(fix))))
            }
            None => Bounds::around(fixes()),
        };
        let nothing = || cannot(format!("the trip {:?} has neither a route nor a point to show", trip.title));
        Ok(bounds.ok_or_else(nothing)?.grown(0.08, 150.0))
    }

    fn draw_trip(&self, canvas: &mut Canvas, view: &View, trip: &TripPicture<'_>) {
        self.base(canvas, view, zoom(view));
        // Small maps have thinner lines.
        let thick = (view.frame.width / 700.0).sqrt().clamp(0.6, 1.2);
        for line in self.route(view, trip.truth) {
            canvas.strokes(&view.frame.clip(&line, 4.5 * thick), TRUTH, 9.0 * thick);
        }
        // Wider than the forecast, so that both are seen where they overlap.
        for ((_, states), colour) in trip.others.iter().zip(OTHERS.into_iter().cycle()) {
            for line in self.route(view, states) {
                canvas.strokes(&dashes(&line, 7.0 * thick, 9.0 * thick), colour, 5.0 * thick);
            }
        }
        for line in self.route(view, trip.forecast) {
            canvas.strokes(&view.frame.clip(&line, 1.5 * thick), VERMILION, 2.6 * thick);
        }
        for &fix in trip.fixes {
            self.mark(canvas, view, Mark::Disc, project(&self.plane, fix), 2.2 * thick, INK);
        }
        let route = if trip.truth.is_empty() { trip.forecast } else { trip.truth };
        if let (Some(&first), Some(&last)) = (route.first(), route.last()) {
            self.mark(canvas, view, Mark::Disc, self.ends(first)[0], 7.0 * thick, GREEN);
            self.mark(canvas, view, Mark::Square, self.ends(last)[1], 6.5 * thick, INK);
        }
    }

    /// A mark, if its place is on the map.
    pub(super) fn mark(&self, canvas: &mut Canvas, view: &View, mark: Mark, place: Metres, r: f64, colour: Colour) {
        if view.bounds().has(place) {
            canvas.mark(mark, view.place(place), r, colour);
        }
    }

    /// Where a state begins and where it ends.
    pub(super) fn ends(&self, state: usize) -> [Metres; 2] {
        let end = |segment: Option<usize>, of: fn(&Segment) -> u32| {
            segment.map_or([f64::NAN; 2], |segment| self.place(of(&self.roads.network.segments[segment])))
        };
        let mut segments = self.roads.segments_of(state);
        let first = segments.next();
        [end(first, |segment| segment.from), end(segments.next_back().or(first), |segment| segment.to)]
    }

    /// A path as lines on the sheet: one, unless the path has gaps.
    pub(super) fn route(&self, view: &View, states: &[usize]) -> Vec<Vec<Point>> {
        let mut lines: Vec<Vec<Point>> = Vec::new();
        let mut before = None;
        for segment in self.roads.segments_of_path(states) {
            let segment = &self.roads.network.segments[segment as usize];
            let ends = [segment.from, segment.to].map(|node| self.place(node));
            if ends.iter().flatten().any(|value| !value.is_finite()) {
                before = None;
                continue;
            }
            let [from, to] = ends.map(|end| view.place(end));
            match lines.last_mut().filter(|_| before == Some(segment.from)) {
                Some(line) => line.push(to),
                None => lines.push(vec![from, to]),
            }
            before = Some(segment.to);
        }
        lines
    }
}

const FORECAST: &str = "forecast";

fn matched_words(matched: f64) -> String {
    format!("{FORECAST}, {matched:.0}% match")
}

/// Wider roads on maps of less ground.
pub(super) fn zoom(view: &View) -> f64 {
    (16.0 * view.scale).clamp(0.7, 1.7)
}

/// The legend of the maps of these trips.
fn entries_of(trips: &[TripPicture<'_>]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let any = |has: &dyn Fn(&TripPicture<'_>) -> bool| trips.iter().any(has);
    if any(&|trip| !trip.fixes.is_empty()) {
        entries.push(Entry::new(Swatch::Mark(Mark::Disc, 2.6), INK, "GPS points"));
    }
    if let Some(trip) = trips.iter().find(|trip| !trip.truth.is_empty()) {
        entries.push(Entry::new(Swatch::Line(9.0), TRUTH, trip.truth_name));
    }
    if any(&|trip| !trip.forecast.is_empty()) {
        entries.push(Entry::new(Swatch::Line(2.6), VERMILION, FORECAST));
    }
    for (place, colour) in
        OTHERS.into_iter().cycle().take(trips.iter().map(|trip| trip.others.len()).max().unwrap_or(0)).enumerate()
    {
        if let Some((name, _)) = trips.iter().find_map(|trip| trip.others.get(place)) {
            entries.push(Entry::new(Swatch::Dashes(5.0), colour, *name));
        }
    }
    if any(&|trip| !trip.truth.is_empty() || !trip.forecast.is_empty()) {
        entries.push(Entry::new(Swatch::Mark(Mark::Disc, 6.0), GREEN, "start"));
        entries.push(Entry::new(Swatch::Mark(Mark::Square, 5.5), INK, "end"));
    }
    entries
}
