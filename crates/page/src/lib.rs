//! Pages of learned models: one self-contained HTML file that opens from disk, without a network.
//!
//! [`Report`] gathers the model, its problem and its demonstrations, asks the questions whose answers every page shows,
//! and writes the page. A page of a small world also contains the engine, compiled to WebAssembly (`crates/wasm`), and
//! answers questions itself.
//!
//! The modules, in reading order: `base64`; `assets` (what `web/build` and `crates/wasm/build` made); `html` (the
//! document); `shapes` (roads as lines); `report` (what is in it).

mod base64;

mod assets;

mod html;

mod shapes;

mod report;

pub use assets::{Stamps, stamps};
pub use report::{MOST_TRANSITIONS, Origin, Report};
