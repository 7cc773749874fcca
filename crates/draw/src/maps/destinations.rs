//! Where an unfinished trip will end, as hexagons of probability.

use super::margin::{self, MARGIN};
use super::road_map::{RoadMap, cannot};
use super::trips::zoom;
use super::view::{Bounds, View};
use crate::canvas::{Anchor, Canvas, GREEN, GREY, INK, Mark, Point, VERMILION, WHITE, dashes};
use crate::error::Error;
use crate::legend::{self, BAR_HEIGHT, Entry, LINE, SMALL_TEXT, Swatch};
use crate::scales::{Classes, Hexagons, round_step, sequential, short};

/// An unfinished trip, and where it may end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DestinationPicture<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The states driven so far.
    pub prefix: &'a [usize],
    /// For each state, the probability that the trip ends there.
    pub posterior: &'a [f64],
    /// The states that followed; may be empty.
    pub rest: &'a [usize],
    /// Where it ended.
    pub truth: Option<usize>,
}

/// The share of the probability that the map is large enough for.
const SHOWN: f64 = 0.9;

impl RoadMap<'_> {
    /// The trip so far, where it may end, and where it did.
    ///
    /// # Errors
    /// If there is not one probability for each state, no probability is above 0, or a state is not in the network.
    pub fn destinations(&self, picture: &DestinationPicture<'_>) -> Result<Canvas, Error> {
        self.check_values("probabilities", picture.posterior)?;
        self.check_states("the prefix", picture.prefix)?;
        self.check_states("the rest", picture.rest)?;
        self.check_states("the true destination", picture.truth.as_slice())?;
        let likely = self.likely(picture.posterior)?;
        let trip = picture.prefix.iter().chain(picture.rest).chain(&picture.truth);
        let places = trip.flat_map(|&state| self.ends(state)).chain(likely);
        let bounds = Bounds::around(places).ok_or_else(|| cannot("there is nothing to show"))?.grown(0.06, 300.0);

        let entries = entries_of(picture);
        let width = self.options.width;
        let lines = legend::entry_lines(&entries, width - 2.0 * MARGIN);
        let (mut canvas, view) = self.sheet(picture.title, bounds, [0.45, 1.0], BAR_HEIGHT + LINE * (1 + lines) as f64);
        let across = round_step(10.0 / view.scale);
        let classes = self.heat(&mut canvas, &view, picture.posterior, across)?;
        self.base(&mut canvas, &view, 0.6 * zoom(&view));
        self.draw_begun(&mut canvas, &view, picture);

        let (x, y) = (MARGIN, view.frame.bottom() + 6.0);
        let colour = |class: usize| sequential(classes.part(class));
        let label = format!("probability (%) in a hexagon {} across", margin::in_metres(across));
        legend::colour_bar(&mut canvas, (x, y), 0.62 * width, &classes, &colour, &label);
        let words = format!("hexagons below {}% are not drawn", short(classes.edges[0]));
        canvas.text((x, y + BAR_HEIGHT + 14.0), &words, SMALL_TEXT, Anchor::Start, GREY);
        legend::entries(&mut canvas, (x, y + BAR_HEIGHT + LINE), &entries, width - 2.0 * MARGIN);
        self.finish(&mut canvas, &view);
        Ok(canvas)
    }

    /// The places of the most likely states that together have most of the probability.
    fn likely(&self, posterior: &[f64]) -> Result<Vec<[f64; 2]>, Error> {
        let mut likely: Vec<(usize, f64)> =
            posterior.iter().copied().enumerate().filter(|one| one.1.is_finite() && one.1 > 0.0).collect();
        likely.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f64 = likely.iter().map(|one| one.1).sum();
        if total.is_nan() || total <= 0.0 {
            return Err(cannot("no probability is above 0"));
        }
        let mut before = 0.0;
        let some = likely.into_iter().take_while(|one| {
            let wanted = before < SHOWN * total;
            before += one.1;
            wanted
        });
        Ok(some.map(|(state, _)| self.middle(state)).collect())
    }

    /// The middle of a state, or of the segment in the middle of a chain.
    fn middle(&self, state: usize) -> [f64; 2] {
        let segments: Vec<usize> = self.roads.segments_of(state).collect();
        let segment = &self.roads.network.segments[segments[segments.len() / 2]];
        let [a, b] = [segment.from, segment.to].map(|node| self.place(node));
        [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
    }

    /// Draws hexagons of the ground, in percent, except those outside the frame and the least likely.
    fn heat(&self, canvas: &mut Canvas, view: &View, posterior: &[f64], across: f64) -> Result<Classes, Error> {
        let mut hexagons = Hexagons::new(across);
        let total: f64 = posterior.iter().filter(|one| one.is_finite() && **one > 0.0).sum();
        for (state, &probability) in posterior.iter().enumerate().filter(|one| one.1.is_finite() && *one.1 > 0.0) {
            let [x, y] = self.middle(state);
            if x.is_finite() && y.is_finite() {
                hexagons.add((x, y), 100.0 * probability / total);
            }
        }
        let most = hexagons.cells.values().copied().fold(0.0, f64::max);
        let seen = hexagons.cells.values().filter(|percent| **percent > most / 100.0).map(|&percent| (percent, 1.0));
        let classes = Classes::new(seen, [0.0, 100.0], true).ok_or_else(|| cannot("no probability is above 0"))?;
        let inside = |&(x, y): &Point| {
            let frame = &view.frame;
            (frame.left..=frame.right()).contains(&x) && (frame.top..=frame.bottom()).contains(&y)
        };
        for class in 0..classes.len() {
            let of_class =
                hexagons.cells.iter().filter(|cell| *cell.1 >= classes.edges[0] && classes.of(*cell.1) == Some(class));
            let polygons = of_class.map(|cell| hexagons.corners(*cell.0).map(|(x, y)| view.place([x, y])).to_vec());
            let polygons: Vec<Vec<Point>> = polygons.filter(|corners| corners.iter().all(inside)).collect();
            canvas.polygons(&polygons, sequential(classes.part(class)));
        }
        Ok(classes)
    }

    fn draw_begun(&self, canvas: &mut Canvas, view: &View, picture: &DestinationPicture<'_>) {
        for line in self.route(view, picture.rest) {
            canvas.strokes(&dashes(&line, 5.0, 7.0), INK, 2.2);
        }
        for line in self.route(view, picture.prefix) {
            for (colour, width) in [(WHITE, 7.0), (VERMILION, 4.5)] {
                canvas.strokes(&view.frame.clip(&line, width / 2.0), colour, width);
            }
        }
        if let Some(&first) = picture.prefix.first() {
            self.mark(canvas, view, Mark::Disc, self.ends(first)[0], 7.0, GREEN);
        }
        if let Some(truth) = picture.truth {
            self.mark(canvas, view, Mark::Star, self.ends(truth)[1], 9.0, INK);
        }
    }
}

/// The legend.
fn entries_of(picture: &DestinationPicture<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !picture.prefix.is_empty() {
        entries.push(Entry::new(Swatch::Mark(Mark::Disc, 6.0), GREEN, "start"));
        entries.push(Entry::new(Swatch::Line(4.5), VERMILION, "driven so far"));
    }
    if !picture.rest.is_empty() {
        entries.push(Entry::new(Swatch::Dashes(2.2), INK, "driven later"));
    }
    if picture.truth.is_some() {
        entries.push(Entry::new(Swatch::Mark(Mark::Star, 8.0), INK, "true destination"));
    }
    entries
}
