//! The paths that code names.

/// Every path after `crate::`, in `use` trees and elsewhere, without the `crate`.
pub(crate) fn crate_paths(code: &str) -> Vec<Vec<String>> {
    code.match_indices("crate::").flat_map(|(at, prefix)| leaves(&code[at + prefix.len()..])).collect()
}

/// Every path that `pub use` exports, with the name under which it is known last.
pub(crate) fn exports(code: &str) -> Vec<Vec<String>> {
    code.match_indices("pub use ").flat_map(|(at, prefix)| leaves(&code[at + prefix.len()..])).collect()
}

/// The leaves of a tree such as `a::{b, c::{d, e as f}}`. What follows the tree is not read.
fn leaves(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    tree(text, &[], &mut found);
    found
}

/// Reads a tree after the names of `above`, and returns what follows it.
fn tree<'t>(text: &'t str, above: &[String], found: &mut Vec<Vec<String>>) -> &'t str {
    let mut path = above.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(inside) = rest.strip_prefix('{') {
            return group(inside, &path, found);
        }
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '*')).unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_string());
        }
        match rest[end..].strip_prefix("::") {
            Some(more) if end > 0 => rest = more,
            _ => {
                rest = &rest[end..];
                break;
            }
        }
    }
    if let Some(renamed) = rest.strip_prefix(" as ") {
        let end = renamed.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(renamed.len());
        path.push(renamed[..end].to_string());
        rest = &renamed[end..];
    }
    found.push(path);
    rest
}

/// Reads the trees of a group up to its closing brace.
fn group<'t>(mut rest: &'t str, above: &[String], found: &mut Vec<Vec<String>>) -> &'t str {
    loop {
        rest = rest.trim_start_matches([',', ' ', '\n', '\t']);
        match rest.chars().next() {
            None => return rest,
            Some('}') => return &rest[1..],
            Some(_) => {
                let left = tree(rest, above, found);
                // Something that is no path: nothing more can be read.
                if left.len() == rest.len() {
                    return left;
                }
                rest = left;
            }
        }
    }
}
