//! Mathematics in text: `$...$` with a small subset of LaTeX, as MathML on the page and as plain Unicode elsewhere.
//!
//! It knows nothing of the report. Begin with `formula.rs`, which reads; `mathml.rs` and `plain.rs` write, and
//! `prose.rs` sets the words between formulas.

mod formula;
mod mathml;
mod plain;
mod prose;
mod symbols;

use self::formula::{Formula, unknown_in};

/// A text, cut where its formulas begin and end.
enum Piece<'a> {
    Words(&'a str),
    Formula(&'a str),
}

/// The pieces of a text. A `$` without a partner is an ordinary character.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, formula, after)) = next_formula(rest) {
        pieces.push(Piece::Words(words));
        pieces.push(Piece::Formula(formula));
        rest = after;
    }
    pieces.push(Piece::Words(rest));
    pieces
}

/// What is before the first formula, the formula, and what is after it.
fn next_formula(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.split_once('$')?;
    let (formula, after) = rest.split_once('$')?;
    Some((words, formula, after))
}

/// The text as HTML: formulas as MathML, `code` between backticks, everything else escaped.
pub(super) fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Words(words) => prose::write(&mut html, words),
            Piece::Formula(formula) => mathml::write(&mut html, &Formula::read(formula)),
        }
    }
    html
}

/// A text of the report without markup, for a terminal: `$...$` becomes Unicode.
///
/// ```
/// use revealed_reproduce::plain;
/// assert_eq!(plain(r"$\beta_{4,3}(s_2)$ and $e^{\theta \cdot x}$"), "β₄,₃(s₂) and e^(θ · x)");
/// assert_eq!(plain("5 % of $10"), "5 % of $10");
/// ```
pub fn plain(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Words(piece) => words.push_str(piece),
            Piece::Formula(formula) => plain::write(&mut words, &Formula::read(formula)),
        }
    }
    words
}

/// The commands of a text's formulas that are not in the subset. They are shown as they are written.
///
/// ```
/// use revealed_reproduce::unknown_commands;
/// assert_eq!(unknown_commands(r"$\sum_t \gamma^t$ and $\wobble x$"), [r"\wobble"]);
/// ```
pub fn unknown_commands(text: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    for piece in pieces(text) {
        if let Piece::Formula(formula) = piece {
            unknown_in(&Formula::read(formula), &mut unknown);
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_formulas_are_escaped_and_a_lone_dollar_stays() {
        assert_eq!(html("a < b & $x$ for $5"), "a &lt; b &amp; <math><mi>x</mi></math> for $5");
        assert_eq!(plain("no mathematics"), "no mathematics");
    }
}
