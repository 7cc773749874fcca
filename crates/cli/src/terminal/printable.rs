//! Nothing that a file says can command the terminal.

use std::borrow::Cow;

use revealed::shown;

/// The same lines with all other control characters escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    by_lines(text, |line| shown(line))
}

/// The same with the colours of the command's own grids: sequences that only set a colour pass.
pub fn printable_with_colours(text: &str) -> Cow<'_, str> {
    by_lines(text, |line| {
        if shown(line) == line {
            return Cow::Borrowed(line);
        }
        let mut safe = String::new();
        for (place, part) in line.split('\x1b').enumerate() {
            match colour(part).filter(|_| place > 0) {
                Some(length) => safe += &format!("\x1b{}{}", &part[..length], shown(&part[length..])),
                None if place > 0 => safe += &shown(&format!("\x1b{part}")),
                None => safe += &shown(part),
            }
        }
        Cow::Owned(safe)
    })
}

/// A document of JSON with the control characters escaped that JSON allows.
pub fn printable_json(document: &str) -> Cow<'_, str> {
    if shown(document) == document {
        return Cow::Borrowed(document);
    }
    let escape = |character: char| match shown(character.encode_utf8(&mut [0; 4])) {
        Cow::Borrowed(_) => character.to_string(),
        // All of these are below U+FFFF, and inside of strings.
        Cow::Owned(_) => format!("\\u{:04x}", u32::from(character)),
    };
    Cow::Owned(document.chars().map(escape).collect())
}

fn by_lines<'a>(text: &'a str, line: impl Fn(&'a str) -> Cow<'a, str>) -> Cow<'a, str> {
    let lines: Vec<Cow<'a, str>> = text.split('\n').map(line).collect();
    match lines.iter().all(|line| matches!(line, Cow::Borrowed(_))) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(lines.join("\n")),
    }
}

/// The length of the rest of a sequence that sets a colour, such as `[48;2;1;2;3m`.
fn colour(part: &str) -> Option<usize> {
    let inner = part.strip_prefix('[')?;
    let end = inner.find('m')?;
    inner[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b';').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_and_own_colours_pass() {
        let hostile = "a\x1b[31mred\x1b[2Jgone\x07\r\nnext\u{9b}31m\u{202e}";
        let safe = "a\\u{1b}[31mred\\u{1b}[2Jgone\\u{7}\\u{d}\nnext\\u{9b}31m\\u{202e}";
        assert_eq!(printable(hostile), safe);
        assert_eq!(printable_with_colours(hostile), safe.replacen("\\u{1b}[31m", "\x1b[31m", 1));
        let plain = "plain ± text\nof two lines\n";
        assert!(matches!(printable(plain), Cow::Borrowed(_)));
        assert!(matches!(printable_with_colours(plain), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({ "name\u{9b}": "a\u{7f}\u{1b}\u{202e} ±" });
        let text = value.to_string();
        let safe = printable_json(&text);
        assert_eq!(safe, r#"{"name\u009b":"a\u007f\u001b\u202e ±"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
