//! Text from files, as it is safe to print.

use std::borrow::Cow;
use std::fmt::Write;

/// A name or an id from a file, as it is safe to print: control characters, which could change what a terminal shows,
/// are escaped as `\u{1b}`, and so are the characters that reverse the direction of text. Other text is unchanged.
///
/// ```
/// assert_eq!(revealed::shown("Rua de Cedofeita"), "Rua de Cedofeita");
/// assert_eq!(revealed::shown("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
/// ```
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            let _ = write!(safe, "{}", character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Whether a terminal acts on a character instead of showing it.
fn is_hidden(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
