//! Titles, and other text that is broken into lines.

use crate::canvas::{Anchor, Canvas, INK, Point, width_of};

/// The size of a title.
pub(crate) const TITLE_TEXT: u32 = 19;
/// The size of labels and of the entries of a legend.
pub(crate) const TEXT: u32 = 15;
/// The size of ticks and notes.
pub(crate) const SMALL_TEXT: u32 = 13;

/// Text in lines that are at most this wide.
pub(crate) fn wrap(words: &str, size: u32, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut().filter(|line| width_of(line, size) + width_of(word, size) + width_of(" ", size) <= width) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

/// How much room a title takes.
pub(crate) fn title_height(title: &str, size: u32, width: f64) -> f64 {
    (f64::from(size) + 6.0) * wrap(title, size, width).len() as f64
}

pub(crate) fn title(canvas: &mut Canvas, (x, y): Point, words: &str, size: u32, width: f64) {
    for (line, words) in wrap(words, size, width).iter().enumerate() {
        canvas.text((x, y + f64::from(size) + (f64::from(size) + 6.0) * line as f64), words, size, Anchor::Start, INK);
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_they_may_be() {
        assert_eq!(wrap("one two three", 10, 48.0), ["one two", "three"]);
        // A word that is too wide has a line of its own.
        assert_eq!(wrap("one extraordinarily wide", 10, 48.0), ["one", "extraordinarily", "wide"]);
        assert!(wrap("  ", 10, 48.0).is_empty());
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!([7, 1000, 1234567].map(grouped), ["7", "1,000", "1,234,567"]);
    }
}
