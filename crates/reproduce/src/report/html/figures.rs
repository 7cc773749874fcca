//! Figures on the page.

use std::fmt::{self, Write};

use super::super::figure::Room;
use super::super::mathematics::html as html_of;
use super::{Counts, Drawn, label};

pub(super) fn figure(html: &mut String, drawn: &Drawn<'_>, counts: &mut Counts) -> fmt::Result {
    counts.figures += 1;
    let (number, caption, [svg, png]) = (counts.figures, html_of(drawn.caption), &drawn.files);
    let wide = match drawn.room {
        Room::Column => "",
        Room::Half => " class=\"medium\"",
        Room::Page => " class=\"wide\"",
    };
    write!(html, "\n<figure id=\"figure-{number}\"{wide}>\n{}\n", drawn.svg)?;
    write!(html, "<figcaption><b>Figure {number}.</b> {caption}{} ", label(drawn.of_paper))?;
    write!(html, "({}, {})</figcaption>\n</figure>", link(svg, "SVG"), link(png, "PNG"))
}

pub(super) fn link(file: &str, words: &str) -> String {
    format!("<a href=\"{}\">{}</a>", html_of(file), html_of(words))
}
