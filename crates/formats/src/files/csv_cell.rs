//! Texts in tables that people open in a spreadsheet.

use std::borrow::Cow;

/// A text, such as the id of a trip, as a cell of a CSV file. Spreadsheets take a cell that begins with `=`, `+`, `-`,
/// `@` or a control character for a formula, and run it. Such a text gets an apostrophe in front, which they take for
/// "this is text". A text that begins with an apostrophe gets one more, so removing one from each cell that begins with
/// one restores all texts.
///
/// ```
/// use revealed_formats::csv_cell;
///
/// assert_eq!([csv_cell("T1"), csv_cell("=1+1"), csv_cell("'a")], ["T1", "'=1+1", "''a"]);
/// ```
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let is_risky = |first: char| matches!(first, '=' | '+' | '-' | '@' | '\'') || first.is_control();
    match text.trim_start_matches(' ').starts_with(is_risky) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}
