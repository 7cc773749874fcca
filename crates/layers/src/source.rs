//! Rust sources as text, without what does not count.

/// The module that a line declares (`mod name;`), if it does.
pub(crate) fn declared_module(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
    rest.strip_prefix("mod ")?.strip_suffix(';')
}

/// The code without comments, without what is written in strings, and without modules of unit tests.
pub(crate) fn without_comments_and_tests(text: &str) -> String {
    without_tests(&without_comments(text))
}

/// Line comments go, and so does the content of strings. Block comments are not used in this project.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        let (mut in_string, mut escaped) = (false, false);
        let mut previous = ' ';
        for letter in line.chars() {
            if !in_string && previous == '/' && letter == '/' {
                code.pop();
                break;
            }
            let quote = letter == '"' && !escaped && previous != '\'';
            if quote || !in_string {
                code.push(letter);
            }
            in_string ^= quote;
            escaped = in_string && letter == '\\' && !escaped;
            previous = letter;
        }
        code.push('\n');
    }
    code
}

/// Modules after `#[cfg(test)]` end where a line closes them at their own indentation.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        let is_test = line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.trim().starts_with("mod "));
        if !is_test {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let closing = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        if lines.next().is_some_and(|module| !module.trim_end().ends_with(';')) {
            lines.by_ref().find(|line| *line == closing);
        }
    }
    kept
}
