//! What stands around a picture and explains it: titles, legends and colour bars.
//!
//! It draws on a `canvas` and reads `scales`; it knows neither charts nor maps. Begin with `entries.rs`, the legend.

mod colour_bar;
mod entries;
mod title;

pub(crate) use colour_bar::{BAR_HEIGHT, colour_bar};
pub(crate) use entries::{Entry, LINE, Swatch, entries, entry_lines};
pub(crate) use title::{SMALL_TEXT, TEXT, TITLE_TEXT, grouped, title, title_height, wrap};
