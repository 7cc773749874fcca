//! A formula, read from LaTeX.
//!
//! | LaTeX | what it is |
//! |---|---|
//! | `x`, `12.5`, `+`, `β` | letters, numbers and operators; Unicode stands for itself |
//! | `\theta`, `\sum`, `\le`, `\log` | a symbol of `symbols.rs` |
//! | `x_1`, `x_{t+1}`, `e^{R}`, `s'` | scripts and primes |
//! | `{...}`, `\left(`, `\right)` | a group; the sizes of brackets are left to the browser |
//! | `\frac{a}{b}`, `\sqrt{a}`, `\text{words}`, `\mathrm{words}` | fractions, roots and words |
//! | `\hat x`, `\bar x`, `\tilde x` | accents |

use super::symbols::{Kind, symbol};

/// Deeper groups are shown as they are written.
const DEEPEST: usize = 32;

/// A part of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Formula {
    /// A variable.
    Letter(String),
    /// The name of a function.
    Function(&'static str),
    Number(String),
    Operator(String),
    Gap(&'static str),
    /// Words within a formula.
    Words(String),
    Row(Vec<Formula>),
    Fraction(Box<[Formula; 2]>),
    Root(Box<Formula>),
    /// A sign above a part.
    Accent(Box<Formula>, char),
    Scripts {
        base: Box<Formula>,
        below: Option<Box<Formula>>,
        above: Option<Box<Formula>>,
    },
    /// A command that is not in the subset, with its backslash.
    Unknown(String),
}

impl Formula {
    /// Reads what is between two dollars. Nothing is refused: what is unknown is kept as it is written.
    pub fn read(latex: &str) -> Formula {
        let mut reader = Reader { letters: latex.chars().collect(), place: 0, depth: 0 };
        let mut parts = Vec::new();
        while reader.place < reader.letters.len() {
            parts.extend(reader.row());
            // A bracket that closes nothing.
            if reader.take('}') {
                parts.push(Formula::Unknown("}".to_string()));
            }
        }
        of(parts)
    }
}

/// One part, or several as a row.
fn of(mut parts: Vec<Formula>) -> Formula {
    match parts.len() {
        1 => parts.remove(0),
        _ => Formula::Row(parts),
    }
}

struct Reader {
    letters: Vec<char>,
    place: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.place).copied()
    }

    fn take(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        self.place += usize::from(found);
        found
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let word: String = self.letters[self.place..].iter().take_while(|&&letter| belongs(letter)).collect();
        self.place += word.chars().count();
        word
    }

    /// Parts up to a closing bracket or the end.
    fn row(&mut self) -> Vec<Formula> {
        let mut parts = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                '}' => break,
                ' ' => self.place += 1,
                '_' | '^' | '\'' => {
                    let base = parts.pop().unwrap_or(Formula::Row(Vec::new()));
                    let scripts = self.scripts(base);
                    parts.push(scripts);
                }
                _ => parts.extend(self.part()),
            }
        }
        parts
    }

    /// The scripts and primes after a part.
    fn scripts(&mut self, base: Formula) -> Formula {
        let (mut below, mut above) = (Vec::new(), Vec::new());
        loop {
            if self.take('_') {
                below.extend(self.argument());
            } else if self.take('^') {
                above.extend(self.argument());
            } else if self.take('\'') {
                above.push(Formula::Operator("′".to_string()));
            } else {
                break;
            }
        }
        let boxed = |parts: Vec<Formula>| (!parts.is_empty()).then(|| Box::new(of(parts)));
        Formula::Scripts { base: Box::new(base), below: boxed(below), above: boxed(above) }
    }

    /// What a script or a command applies to: a group or one part.
    fn argument(&mut self) -> Option<Formula> {
        while self.take(' ') {}
        self.part()
    }

    fn part(&mut self) -> Option<Formula> {
        let letter = self.peek()?;
        if letter.is_ascii_digit() {
            return Some(Formula::Number(self.take_while(|letter| letter.is_ascii_digit() || letter == '.')));
        }
        self.place += 1;
        match letter {
            '\\' => self.command(),
            '{' => Some(self.group()),
            '-' => Some(Formula::Operator("−".to_string())),
            '*' => Some(Formula::Operator("·".to_string())),
            letter if letter.is_alphabetic() => Some(Formula::Letter(letter.to_string())),
            other => Some(Formula::Operator(other.to_string())),
        }
    }

    /// After an opening bracket, up to the closing one.
    fn group(&mut self) -> Formula {
        if self.depth == DEEPEST {
            return Formula::Unknown("{".to_string());
        }
        self.depth += 1;
        let parts = self.row();
        self.depth -= 1;
        self.take('}');
        of(parts)
    }

    /// After a backslash.
    fn command(&mut self) -> Option<Formula> {
        let mut name = self.take_while(|letter| letter.is_ascii_alphabetic());
        if name.is_empty() {
            name.extend(self.peek());
            self.place += 1;
        }
        let mut argument = || Box::new(self.argument().unwrap_or(Formula::Row(Vec::new())));
        Some(match name.as_str() {
            "left" | "right" => return None,
            "frac" => Formula::Fraction(Box::new([*argument(), *argument()])),
            "sqrt" => Formula::Root(argument()),
            "hat" => Formula::Accent(argument(), '^'),
            "bar" => Formula::Accent(argument(), '¯'),
            "tilde" => Formula::Accent(argument(), '~'),
            "text" | "mathrm" | "textrm" => self.words(),
            _ => match symbol(&name) {
                Some((sign, Kind::Letter)) => Formula::Letter(sign.to_string()),
                Some((sign, Kind::Function)) => Formula::Function(sign),
                Some((sign, Kind::Operator)) => Formula::Operator(sign.to_string()),
                Some((sign, Kind::Gap)) => Formula::Gap(sign),
                None => Formula::Unknown(format!("\\{name}")),
            },
        })
    }

    /// The words of `\text{words}`.
    fn words(&mut self) -> Formula {
        while self.take(' ') {}
        if !self.take('{') {
            return Formula::Words(String::new());
        }
        let words = self.take_while(|letter| letter != '}');
        self.take('}');
        Formula::Words(words)
    }
}

/// Adds the unknown commands of a formula.
pub(super) fn unknown_in(formula: &Formula, found: &mut Vec<String>) {
    match formula {
        Formula::Unknown(command) => found.push(command.clone()),
        Formula::Row(parts) => parts.iter().for_each(|part| unknown_in(part, found)),
        Formula::Fraction(parts) => parts.iter().for_each(|part| unknown_in(part, found)),
        Formula::Root(part) | Formula::Accent(part, _) => unknown_in(part, found),
        Formula::Scripts { base, below, above } => {
            [Some(base), below.as_ref(), above.as_ref()].into_iter().flatten().for_each(|part| unknown_in(part, found));
        }
        Formula::Letter(_)
        | Formula::Function(_)
        | Formula::Number(_)
        | Formula::Operator(_)
        | Formula::Gap(_)
        | Formula::Words(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_is_read_and_unknown_parts_are_kept() {
        let deep = "{".repeat(100_000);
        for latex in ["", "_", "^^", "x_", "\\", "\\frac", "\\frac{a", "}", "a}b", "\\text", "\\text{a", "'", &deep] {
            let _ = Formula::read(latex);
        }
        let mut unknown = Vec::new();
        unknown_in(&Formula::read(r"\frac{\foo}{x_{\bar{\baz}}} }"), &mut unknown);
        assert_eq!(unknown, ["\\foo", "\\baz", "}"]);
    }
}
