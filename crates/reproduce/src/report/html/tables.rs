//! Tables on the page. One that is wider than the page scrolls, and shadows at its ends say so.

use std::fmt::{self, Write};

use super::super::column::Column;
use super::super::mathematics::{html as html_of, plain};
use super::super::table::{Cell, Table};
use super::{Counts, label};

/// A cell with more characters is wide, and may have several lines.
const LONG_CELL: usize = 30;
/// A name of a row with at most so many characters stays on one line, also on a narrow page.
const SHORT_NAME: usize = 18;

pub(super) fn table(html: &mut String, table: &Table, counts: &mut Counts) -> fmt::Result {
    counts.tables += 1;
    let number = counts.tables;
    let columns: Vec<Option<Column>> = (0..table.header.len()).map(|place| column(table, place)).collect();
    let caption = html_of(&table.caption);
    write!(html, "\n<div class=\"table\" id=\"table-{number}\">\n<p class=\"caption\" id=\"caption-{number}\">")?;
    writeln!(html, "<b>Table {number}.</b> {caption}{}</p>", label(table.of_paper))?;
    // A region that can have the focus is scrolled with the keyboard, too.
    writeln!(html, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"caption-{number}\">")?;
    write!(html, "<table aria-labelledby=\"caption-{number}\">\n<thead><tr>")?;
    for (name, column) in table.header.iter().zip(&columns) {
        match (name.is_empty(), column) {
            (true, _) => html.push_str("<td></td>"),
            (false, Some(_)) => write!(html, "<th scope=\"col\" class=\"number\">{}</th>", html_of(name))?,
            (false, None) => write!(html, "<th scope=\"col\">{}</th>", html_of(name))?,
        }
    }
    html.push_str("</tr></thead>\n<tbody>");
    for row in &table.rows {
        html.push_str("\n<tr>");
        for (place, one) in row.iter().enumerate() {
            cell(html, one, place, columns.get(place).and_then(Option::as_ref))?;
        }
        html.push_str("</tr>");
    }
    html.push_str("\n</tbody>\n</table>\n</div>");
    if !table.note.is_empty() {
        write!(html, "\n<p class=\"note\">{}</p>", html_of(&table.note))?;
    }
    html.write_str("\n</div>")
}

/// How the numbers of a column are aligned, if it has numbers.
fn column(table: &Table, place: usize) -> Option<Column> {
    Column::of(table.rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.text.as_str()))
}

fn cell(html: &mut String, cell: &Cell, place: usize, column: Option<&Column>) -> fmt::Result {
    let letters = plain(&cell.text).chars().count();
    let is_name = place == 0 && column.is_none();
    let (long, short) = (column.is_none() && letters > LONG_CELL, is_name && letters <= SHORT_NAME);
    let classes = [(column.is_some(), "number"), (cell.marked, "marked"), (long, "long"), (short, "short")];
    let classes: Vec<&str> = classes.into_iter().filter(|class| class.0).map(|class| class.1).collect();
    let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    let text = column.map_or_else(|| html_of(&cell.text), |column| column.cell(&cell.text));
    match is_name {
        true => write!(html, "<th scope=\"row\"{class}>{text}</th>"),
        false => write!(html, "<td{class}>{text}</td>"),
    }
}
