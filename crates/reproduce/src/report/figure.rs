//! Figures of the report.

use revealed_draw::Canvas;

use super::mathematics::plain;

/// Drawings that are wider than a chart have half of the page, those that are wider than a map all of it.
const MEDIUM: f64 = 520.0;
const WIDE: f64 = 800.0;

/// How much of the width of the page a figure has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Room {
    Column,
    Half,
    Page,
}

/// A drawing with its caption.
#[derive(Debug)]
pub struct Figure {
    /// The end of its file names, NAME-FIGURE.svg and NAME-FIGURE.png.
    pub name: String,
    /// The caption.
    pub caption: String,
    /// The drawing.
    pub canvas: Canvas,
    /// The label of the paper's figure that it corresponds to, such as `fig:padding`.
    pub of_paper: Option<&'static str>,
    /// How much of the width of the page it has.
    pub(super) room: Room,
}

impl Figure {
    pub(crate) fn new(name: &str, caption: impl Into<String>, canvas: Canvas) -> Figure {
        let room = match canvas.width() {
            width if width > WIDE => Room::Page,
            width if width > MEDIUM => Room::Half,
            _ => Room::Column,
        };
        Figure { name: name.to_string(), caption: caption.into(), canvas, of_paper: None, room }
    }

    /// This figure, which corresponds to the paper's figure of this label.
    pub(crate) fn of_paper(self, label: &'static str) -> Figure {
        Figure { of_paper: Some(label), ..self }
    }

    /// A short name for those who cannot see it: the first sentence of the caption.
    pub(super) fn name_in_words(&self) -> String {
        let caption = plain(&self.caption);
        let end = caption.find(". ").unwrap_or(caption.len());
        caption[..end].trim_end_matches('.').to_string()
    }
}
