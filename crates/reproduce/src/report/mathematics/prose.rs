//! Words between formulas: code, minus signs, powers of ten, and intervals that stay on one line.

use super::mathml::escape;

/// Appends words as HTML.
pub(super) fn write(html: &mut String, words: &str) {
    let parts: Vec<&str> = words.split('`').collect();
    // An odd number of parts means that every backtick has a partner.
    if parts.len().is_multiple_of(2) {
        return escape_powers(html, &typeset(words));
    }
    for (place, part) in parts.into_iter().enumerate() {
        if place.is_multiple_of(2) {
            escape_powers(html, &typeset(part));
        } else {
            html.push_str("<code>");
            escape(html, part);
            html.push_str("</code>");
        }
    }
}

/// Appends words with 6e-17 as a power of ten.
fn escape_powers(html: &mut String, words: &str) {
    let mut words = words;
    while let Some((before, rest)) = words.split_once("e-") {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let is_power = before.ends_with(|letter: char| letter.is_ascii_digit()) && digits > 0;
        escape(html, before);
        match is_power {
            true => html.push_str(&format!("\u{a0}×\u{a0}10<sup>−{}</sup>", &rest[..digits])),
            false => html.push_str(&format!("e-{}", &rest[..digits])),
        }
        words = &rest[digits..];
    }
    escape(html, words);
}

/// A hyphen before a number is a minus sign, and a ± keeps its two sides together.
fn typeset(words: &str) -> String {
    let mut typeset = String::with_capacity(words.len());
    let mut before = ' ';
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        let starts_number = letters.peek().is_some_and(char::is_ascii_digit);
        let is_minus = letter == '-' && starts_number && (before.is_whitespace() || "([,±".contains(before));
        typeset.push(if is_minus { '−' } else { letter });
        before = letter;
    }
    typeset.replace(" ± ", "\u{a0}±\u{a0}").replace(" %", "\u{a0}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> String {
        let mut html = String::new();
        write(&mut html, words);
        html
    }

    #[test]
    fn numbers_have_minus_signs_and_names_have_hyphens() {
        assert_eq!(of("-3 to (-1.5), 4-2, worked-example-1"), "−3 to (−1.5), 4-2, worked-example-1");
        assert_eq!(of("5 ± 2"), "5\u{a0}±\u{a0}2");
        assert_eq!(of("run `a --b -1 <c>` now"), "run <code>a --b -1 &lt;c&gt;</code> now");
        assert_eq!(of("a ` alone"), "a ` alone");
        assert_eq!(of("to 6e-17, one-e-mail"), "to 6\u{a0}×\u{a0}10<sup>−17</sup>, one-e-mail");
    }
}
