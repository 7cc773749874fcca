//! A road network in colours: the cost of a metre, the speed, or any other value of each state.

use revealed_roads::{RoadType, Roads};

use super::lines::Piece;
use super::margin::MARGIN;
use super::road_map::{BY_IMPORTANCE, RoadMap, cannot, line_width};
use crate::canvas::{Anchor, Canvas, GREY};
use crate::error::Error;
use crate::legend::{self, BAR_HEIGHT, Entry, LINE, SMALL_TEXT, Swatch};
use crate::scales::{BASE, Classes, sequential};

/// A value for each state, shown by colour. A road with two directions has the colour of their mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What the colours measure, with the unit.
    pub label: &'a str,
    /// A value for each state. States without a value (NaN) are grey.
    pub values: &'a [f64],
    /// The percentiles, weighted by length, at which the colours end, so that a few outliers do not take them all.
    pub clip: [f64; 2],
    /// Whether the scale is logarithmic. Values that are not above 0 are then grey.
    pub log: bool,
    /// The values of another map that has the same scale; empty if there is none.
    pub beside: &'a [f64],
}

impl Default for Values<'_> {
    fn default() -> Self {
        Values { title: "", label: "", values: &[], clip: [2.0, 98.0], log: false, beside: &[] }
    }
}

/// The cost of a metre of each state under these parameters: -θ·φ(s) / length. It is NaN for a state without a length.
///
/// # Errors
/// If there is not one parameter for each feature.
pub fn cost_per_metre(roads: &Roads, theta: &[f64]) -> Result<Vec<f64>, Error> {
    let n_features = roads.features.names.len();
    if theta.len() != n_features {
        return Err(cannot(format!("there are {} parameters, but the roads have {n_features} features", theta.len())));
    }
    let mut costs = vec![0.0; roads.n_states()];
    for &(state, feature, value) in &roads.features.of_segments {
        costs[state] -= theta[feature] * value;
    }
    let per_metre = |(state, cost): (usize, f64)| if roads.length(state) > 0.0 { cost / roads.length(state) } else { f64::NAN };
    Ok(costs.into_iter().enumerate().map(per_metre).collect())
}

impl RoadMap<'_> {
    /// The network with each road in the colour of its value, and a line width for its type.
    ///
    /// # Errors
    /// If there is not one value for each state, or no value can be shown.
    pub fn coloured(&self, values: &Values<'_>) -> Result<Canvas, Error> {
        self.check_values("values", values.values)?;
        let of_pieces: Vec<f64> = self.pieces.iter().map(|piece| mean(piece, values.values)).collect();
        if !values.beside.is_empty() {
            self.check_values("values of the other map", values.beside)?;
        }
        let beside = self.pieces.iter().filter(|_| !values.beside.is_empty());
        let beside = beside.map(|piece| (mean(piece, values.beside), piece.length));
        let weighted = self.pieces.iter().zip(&of_pieces).map(|(piece, &value)| (value, piece.length)).chain(beside);
        let clip = values.clip.map(|percent| if percent.is_finite() { percent.clamp(0.0, 100.0) } else { 50.0 });
        let none = || cannot("no state has a value that can be shown");
        let classes = Classes::new(weighted, clip, values.log).ok_or_else(none)?;
        let colour = |class: usize| sequential(classes.part(class));

        let width = self.options.width;
        let without = of_pieces.iter().any(|&value| classes.of(value).is_none());
        let legend = self.widths_legend(without);
        let clipped = classes.below || classes.above;
        let below = BAR_HEIGHT + LINE * (1 + usize::from(clipped)) as f64;
        let (mut canvas, view) = self.sheet(values.title, self.bounds.grown(0.02, 50.0), [0.4, 1.1], below);
        // Important roads come last and lie on top; of each type, those without a value come first.
        for road_type in BY_IMPORTANCE {
            for class in [None].into_iter().chain((0..classes.len()).map(Some)) {
                let all = self.pieces.iter().zip(&of_pieces).filter(|(piece, _)| self.road_type(piece) == road_type);
                let some: Vec<&Piece> = all.filter(|(_, value)| classes.of(**value) == class).map(|(piece, _)| piece).collect();
                let colour = class.map_or(BASE, colour);
                self.draw(&mut canvas, &view, &some, colour, line_width(road_type));
            }
        }
        let left = (MARGIN, view.frame.bottom() + 6.0);
        legend::colour_bar(&mut canvas, left, 0.62 * width, &classes, &colour, values.label);
        let mut y = left.1 + BAR_HEIGHT;
        if clipped {
            let words = format!("the colours end at percentiles {} and {} of the road length", clip[0], clip[1]);
            canvas.text((MARGIN, y + 14.0), &words, SMALL_TEXT, Anchor::Start, GREY);
            y += LINE;
        }
        legend::entries(&mut canvas, (MARGIN, y), &legend, width);
        self.finish(&mut canvas, &view);
        Ok(canvas)
    }

    /// The types of roads on the map, by the width of their lines.
    fn widths_legend(&self, without: bool) -> Vec<Entry> {
        let there = |road_type: &RoadType| self.pieces.iter().any(|piece| self.road_type(piece) == *road_type);
        let types = BY_IMPORTANCE.into_iter().rev().filter(there);
        let mut entries: Vec<Entry> = types.map(|one| Entry::new(Swatch::Line(line_width(one)), GREY, name_of(one))).collect();
        if without {
            entries.push(Entry::new(Swatch::Line(2.0), BASE, "no value"));
        }
        entries
    }
}

fn name_of(road_type: RoadType) -> &'static str {
    match road_type {
        RoadType::Highway => "highway",
        RoadType::Major => "major road",
        RoadType::Local => "local road",
        RoadType::Other => "other road",
    }
}

/// The mean over the directions of a piece that have a value.
fn mean(piece: &Piece, values: &[f64]) -> f64 {
    let known = || piece.states.iter().map(|&state| values[state as usize]).filter(|value| value.is_finite());
    known().sum::<f64>() / known().count() as f64
}
