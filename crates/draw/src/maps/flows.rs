//! How often each road is driven, in the data and by the model, and where the two differ.

use super::lines::Piece;
use super::margin::{self, MARGIN};
use super::road_map::{RoadMap, blank, cannot};
use super::view::{Frame, View};
use crate::canvas::{Anchor, Canvas, GREY, INK};
use crate::error::Error;
use crate::legend::{self, BAR_HEIGHT, Entry, LINE, SMALL_TEXT, Swatch, TEXT, TITLE_TEXT};
use crate::scales::{Classes, diverging, sequential};

/// Visits of each state in the data, and as the model expects them for the same number of trips.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flows<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What is counted, such as "visits of 5,126 trips".
    pub label: &'a str,
    /// The visits of each state in the data.
    pub data: &'a [f64],
    /// The visits of each state that the model expects.
    pub model: &'a [f64],
    /// What the two are called, where they are other flows; data and model if empty.
    pub names: [&'a str; 2],
    /// One map below the other, each as wide as the sheet, and not side by side.
    pub stacked: bool,
}

impl<'a> Flows<'a> {
    fn names(&self) -> [&'a str; 2] {
        if self.names == [""; 2] { ["data", "model"] } else { self.names }
    }
}

/// The edges of the classes of the ratio of model to data.
const RATIOS: [f64; 8] = [0.125, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0, 8.0];

impl RoadMap<'_> {
    /// Two maps with one scale: the data's flows on the left and the model's on the right, or below. Both directions of a
    /// road count together.
    ///
    /// # Errors
    /// If there are not two flows for each state, or none is above 0.
    pub fn flows(&self, flows: &Flows<'_>) -> Result<Canvas, Error> {
        let (data, model, classes) = self.of_pieces(flows)?;
        let width = self.options.width;
        let gap = 12.0;
        let inner = if flows.stacked { width - 2.0 * MARGIN } else { (width - 2.0 * MARGIN - gap) / 2.0 };
        let head = legend::title_height(flows.title, TITLE_TEXT, width - 2.0 * MARGIN) + MARGIN;
        let bounds = self.bounds.grown(0.02, 50.0);
        let height = bounds.height(inner, 0.5, 1.6);
        let top = head + LINE + 4.0;
        // From one map to the next.
        let [right, down] = if flows.stacked { [0.0, height + gap + LINE] } else { [inner + gap, 0.0] };
        let mut canvas = blank(width, top + down + height + 6.0 + BAR_HEIGHT + MARGIN);
        legend::title(&mut canvas, (MARGIN, 4.0), flows.title, TITLE_TEXT, width - 2.0 * MARGIN);
        let colour = |class: usize| sequential(classes.part(class));
        let mut last = None;
        let names = flows.names();
        for (side, (name, values)) in names.into_iter().zip([&data, &model]).enumerate() {
            let (left, top) = (MARGIN + side as f64 * right, top + side as f64 * down);
            let frame = Frame { left, top, width: inner, height };
            canvas.text((frame.left, top - 8.0), name, TEXT, Anchor::Start, INK);
            let view = View::fit(bounds, frame);
            self.base(&mut canvas, &view, 0.5);
            for class in 0..classes.len() {
                let some = self.pieces.iter().zip(values).filter(|entry| classes.of(*entry.1) == Some(class));
                // Flows below the scale stay grey.
                let some = some.filter(|entry| *entry.1 >= classes.edges[0]).map(|entry| entry.0);
                self.draw(&mut canvas, &view, &some.collect::<Vec<_>>(), colour(class), 0.7 * flow_width(&classes, class));
            }
            margin::border(&mut canvas, &frame);
            last = Some(view);
        }
        let left = (MARGIN, top + down + height + 6.0);
        // Values below the scale are not drawn, so the lower end is not pointed.
        let mut shown = classes.clone();
        shown.below = false;
        legend::colour_bar(&mut canvas, left, 0.62 * width, &shown, &colour, flows.label);
        if let Some(view) = last {
            self.finish(&mut canvas, &view);
        }
        Ok(canvas)
    }

    /// One map on which the width of a road shows its flow, and the colour the ratio of the model's flow to the data's.
    ///
    /// # Errors
    /// If there are not two flows for each state, or none is above 0.
    pub fn flow_difference(&self, flows: &Flows<'_>) -> Result<Canvas, Error> {
        let (data, model, widths) = self.of_pieces(flows)?;
        let ratios = Classes::fixed(&RATIOS, true, true);
        let colour = |class: usize| diverging(2.0 * ratios.part(class) - 1.0);
        let mut marked: Vec<usize> = (0..4).map(|k| k * (widths.len() - 1) / 3).collect();
        marked.dedup();
        let labels = widths.labels();
        let entry = |&class: &usize| Entry::new(Swatch::Line(flow_width(&widths, class)), GREY, format!("≥ {}", labels[class]));
        let entries: Vec<Entry> = marked.iter().map(entry).collect();
        let lines = legend::entry_lines(&entries, self.options.width - 2.0 * MARGIN);
        let below = BAR_HEIGHT + LINE * (lines + 1) as f64;
        let (mut canvas, view) = self.sheet(flows.title, self.bounds.grown(0.02, 50.0), [0.4, 1.1], below);
        self.base(&mut canvas, &view, 0.5);
        for width in 0..widths.len() {
            for class in 0..ratios.len() {
                let some = self.pieces.iter().zip(data.iter().zip(&model)).filter(|(_, (data, model))| {
                    let most = data.max(**model);
                    // Where the data has no visits, the ratio is in the last class.
                    let ratio = if **data > 0.0 { (**model / **data).max(1e-9) } else { 1e9 };
                    most >= widths.edges[0] && widths.of(most) == Some(width) && ratios.of(ratio) == Some(class)
                });
                let some: Vec<&Piece> = some.map(|entry| entry.0).collect();
                self.draw(&mut canvas, &view, &some, colour(class), flow_width(&widths, width));
            }
        }
        let (x, y) = (MARGIN, view.frame.bottom() + 6.0);
        let [data, model] = flows.names();
        let words = format!("{model}'s flow ÷ {data}'s flow (ratio)");
        legend::colour_bar(&mut canvas, (x, y), 0.62 * self.options.width, &ratios, &colour, &words);
        let words = format!("width: {}, the larger of {data} and {model}", flows.label);
        canvas.text((x, y + BAR_HEIGHT + 14.0), &words, SMALL_TEXT, Anchor::Start, INK);
        legend::entries(&mut canvas, (x, y + BAR_HEIGHT + LINE), &entries, self.options.width - 2.0 * MARGIN);
        self.finish(&mut canvas, &view);
        Ok(canvas)
    }

    /// The flows of the pieces, and classes for both.
    fn of_pieces(&self, flows: &Flows<'_>) -> Result<(Vec<f64>, Vec<f64>, Classes), Error> {
        self.check_values("flows of the data", flows.data)?;
        self.check_values("flows of the model", flows.model)?;
        let total = |values: &[f64], piece: &Piece| -> f64 {
            let known = piece.states.iter().map(|&state| values[state as usize]).filter(|value| value.is_finite());
            known.sum::<f64>().max(0.0)
        };
        let [data, model] = [flows.data, flows.model].map(|values| {
            let values = self.roads.over_copies(values.to_vec());
            self.pieces.iter().map(|piece| total(&values, piece)).collect::<Vec<f64>>()
        });
        let none = || cannot("no flow is above 0");
        let largest = data.iter().chain(&model).copied().fold(0.0, f64::max);
        // A scale can show three powers of ten; below them, expectations have a long tail of tiny values.
        let seen = data.iter().chain(&model).filter(|flow| **flow >= largest / 1000.0).map(|&flow| (flow, 1.0));
        let classes = Classes::new(seen, [0.0, 100.0], true).ok_or_else(none)?;
        Ok((data, model, classes))
    }
}

fn flow_width(classes: &Classes, class: usize) -> f64 {
    0.8 + 4.7 * classes.part(class).powf(1.4)
}
