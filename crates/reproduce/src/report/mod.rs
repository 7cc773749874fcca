//! The report: sections with verdicts, tables and figures, and the page that shows them.
//!
//! It touches `statistics`, `work` and `folder`, and is independent of the experiments. Begin with
//! `section.rs`; `page.rs` writes the files, `html.rs` their text.

mod figure;
mod html;
mod number;
mod page;
mod section;
mod table;
mod verdict;

pub use figure::Figure;
pub use number::Number;
pub(crate) use page::write;
pub use section::Section;
pub(crate) use section::named;
pub use table::{Cell, Table};
pub use verdict::Verdict;
