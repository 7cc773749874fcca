//! The table "Where each equation is" of `lib.rs`: every test and every item that it names exists.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the table: the cells of the columns "here" and "tested by".
struct Row<'a> {
    here: &'a str,
    tests: &'a str,
}

/// The rows of the table in the documentation of the crate.
fn rows(lib: &str) -> Vec<Row<'_>> {
    let table = lib.split("//! # Where each equation is").nth(1).expect("the crate has the table");
    let lines = table.lines().map(|line| line.trim_start_matches("//!").trim()).skip_while(|line| !line.starts_with("|---"));
    let cells = lines.skip(1).take_while(|line| line.starts_with('|')).map(|line| line.split(" | ").collect::<Vec<_>>());
    cells.map(|cells| Row { here: cells[1], tests: cells[2] }).collect()
}

/// The texts between backticks.
pub fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Everything that the names of the table are looked up in.
pub struct Sources {
    /// What `lib.rs` exports.
    exported: Vec<String>,
    /// The sources of the crate, by their paths.
    files: Vec<(PathBuf, String)>,
    /// The tests of each module of this program.
    tests: HashMap<String, Vec<String>>,
}

impl Sources {
    pub fn read(lib: &str) -> Sources {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = files_in(&root.join("src"));
        let modules = files_in(&root.join("tests/revealed"));
        let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().to_string();
        let tests = modules.iter().map(|(path, text)| (name(path), tests_in(text))).collect();
        Sources { exported: exported_by(lib), files, tests }
    }

    /// Whether `module::test` is a test, or `module::prefix*` begins the name of one.
    pub fn has_test(&self, name: &str) -> bool {
        let Some((module, test)) = name.split_once("::") else { return false };
        let of_module = self.tests.get(module).into_iter().flatten();
        match test.strip_suffix('*') {
            Some(prefix) => of_module.into_iter().any(|test| test.starts_with(prefix)),
            None => of_module.into_iter().any(|found| found == test),
        }
    }

    /// Whether an item that users can reach exists: `Type`, `function`, or `Type::method`.
    fn exports(&self, name: &str) -> bool {
        let (item, member) = name.split_once("::").map_or((name, None), |(item, member)| (item, Some(member)));
        let mut texts = self.files.iter().map(|(_, text)| text);
        self.exported.iter().any(|exported| exported == item)
            && member.is_none_or(|member| texts.any(|text| has_member(text, item, member)))
    }

    /// Whether an item of a module inside the crate exists: `module::item`.
    fn has_inside(&self, name: &str) -> bool {
        let Some((module, item)) = name.split_once("::") else { return false };
        let is_module =
            |path: &Path| path.components().any(|part| Path::new(part.as_os_str()).file_stem() == Some(module.as_ref()));
        let kinds = ["fn", "struct", "enum"];
        let declares = |text: &str| kinds.iter().any(|kind| declarations(text, kind).any(|declared| declared == item));
        self.files.iter().any(|(path, text)| is_module(path) && declares(text))
    }

    /// Every name in the table that leads nowhere.
    fn missing(&self, lib: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for row in rows(lib) {
            missing.extend(quoted(row.tests).filter(|name| !self.has_test(name)).map(str::to_string));
            for name in quoted(row.here) {
                let is_link = row.here.contains(&format!("[`{name}`]"));
                let found = if is_link { self.exports(name) } else { self.has_inside(name) };
                missing.extend((!found).then(|| name.to_string()));
            }
        }
        missing
    }
}

/// The Rust files of a folder and of those in it.
fn files_in(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| match path.is_dir() {
        true => files_in(&path),
        false => vec![(path.clone(), fs::read_to_string(path).unwrap())],
    };
    entries.flat_map(read).collect()
}

/// The names of the functions after `#[test]`.
fn tests_in(text: &str) -> Vec<String> {
    text.split("#[test]").skip(1).filter_map(|rest| declarations(rest, "fn").next()).map(str::to_string).collect()
}

/// The names that are declared with a keyword at the beginning of a line, whatever their visibility.
fn declarations<'a>(text: &'a str, keyword: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        let line =
            line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).or(line.strip_prefix("pub ")).unwrap_or(line);
        let name = line.strip_prefix(keyword)?.strip_prefix(' ')?;
        name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
    })
}

/// Whether a file has this method of a type, or this variant of an enum.
fn has_member(text: &str, item: &str, member: &str) -> bool {
    let is_word = |line: &str, word: &str| {
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|found| found == word)
    };
    let implements = text.lines().any(|line| line.starts_with("impl") && is_word(line, item));
    let method = implements && text.lines().any(|line| line.trim_start().starts_with("pub fn ") && is_word(line, member));
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("pub enum {item} ")));
    method || lines.by_ref().take_while(|line| *line != "}").any(|line| line.trim_start().starts_with(member))
}

/// The names in the `pub use` of the root.
fn exported_by(lib: &str) -> Vec<String> {
    let statements = lib.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap());
    let names = statements.flat_map(|statement| statement.rsplit("::").next().unwrap().split(['{', '}', ',']));
    names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn lib() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap()
}

#[test]
fn every_name_leads_somewhere() {
    let lib = lib();
    assert!(rows(&lib).len() > 30, "{}", rows(&lib).len());
    assert!(rows(&lib).iter().all(|row| quoted(row.here).count() > 0 && quoted(row.tests).count() > 0));
    let missing = Sources::read(&lib).missing(&lib);
    assert!(missing.is_empty(), "the table in lib.rs names what does not exist: {missing:?}");
}

/// A test, a module, a prefix, an export, a method, a variant and an inner item that are misspelt are all found.
#[test]
fn names_that_lead_nowhere_are_found() {
    let lib = lib();
    let sources = Sources::read(&lib);
    for (right, wrong) in [
        ("`laws::samples_follow_the_distribution`", "`laws::samples_follow_the_distributions`"),
        ("`laws::samples_follow_the_distribution`", "`lows::samples_follow_the_distribution`"),
        ("`engine::gradient_equals_*`", "`engine::gradients_equal_*`"),
        ("`relative_entropy::*`", "`absolute_entropy::*`"),
        ("[`soft_values`]", "[`softest_values`]"),
        ("[`Mdp::reference`]", "[`Mdp::preference`]"),
        ("[`Mdp::reference`]", "[`Maps::reference`]"),
        ("[`Search::ShortestPath`]", "[`Search::LongestPath`]"),
        ("`messages::Forward`", "`messages::Sideways`"),
        ("`oracle::algorithm1`", "`oracle::algorithm3`"),
    ] {
        assert!(lib.contains(right), "{right}");
        let changed = lib.replace(&format!("| {right}"), &format!("| {wrong}"));
        let expected: Vec<&str> = quoted(wrong).collect();
        let mut missing = sources.missing(&changed);
        missing.dedup();
        assert_eq!(missing, expected, "{wrong}");
    }
}
