//! The report: sections with verdicts, tables and figures, and the page that shows them.
//!
//! It touches `statistics`, `work` and `folder`, and is independent of the experiments. Begin with
//! `section.rs`; `page.rs` writes the files, `html/` the text of the page.

mod column;
mod figure;
mod html;
mod mathematics;
mod number;
mod page;
mod quantity;
mod section;
mod summary;
mod table;
mod verdict;

pub use figure::Figure;
pub use mathematics::{plain, unknown_commands};
pub use number::Number;
pub(crate) use page::write;
pub use quantity::Quantity;
pub use section::Section;
pub(crate) use section::named;
pub use table::{Cell, Table};
pub use verdict::Verdict;
