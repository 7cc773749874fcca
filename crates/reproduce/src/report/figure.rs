//! Figures of the report.

use revealed_draw::Canvas;

/// A drawing with its caption.
#[derive(Debug)]
pub struct Figure {
    /// The end of its file names, NAME-FIGURE.svg and NAME-FIGURE.png.
    pub name: String,
    /// The caption.
    pub caption: String,
    /// The drawing.
    pub canvas: Canvas,
}

impl Figure {
    pub(crate) fn new(name: &str, caption: impl Into<String>, canvas: Canvas) -> Figure {
        Figure { name: name.to_string(), caption: caption.into(), canvas }
    }
}
