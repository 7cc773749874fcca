//! For tests: whether the top-level modules of a crate use only the modules above them.
//!
//! A top-level module of a crate is called a room here. Its place is its position among the declarations in `lib.rs`
//! (or `main.rs`). A room may use only those that are declared before it. [`upward`] reads the sources and lists every
//! use that breaks this rule. Unit tests (`#[cfg(test)]`) and comments are skipped: they may name anything.

mod source;
mod use_tree;

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A use of a later room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upward {
    /// The file, from the folder of the sources.
    pub file: PathBuf,
    /// The room that it belongs to.
    pub room: String,
    /// What it names.
    pub path: String,
    /// The later room that defines it.
    pub later: String,
}

impl fmt::Display for Upward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Upward { file, room, path, later } = self;
        write!(f, "{}: `{path}` is in `{later}`, which comes after `{room}`", file.display())
    }
}

/// The rooms of a crate in their order, and for each name that its root exports the room that defines it.
struct House {
    rooms: Vec<String>,
    exported: HashMap<String, String>,
}

/// Every use of a later room in the crate of this folder (`env!("CARGO_MANIFEST_DIR")`).
///
/// # Panics
/// If the sources cannot be read, or have fewer than two rooms. With one room there is nothing to check, so the test is
/// wrong.
pub fn upward(crate_folder: impl AsRef<Path>) -> Vec<Upward> {
    let sources = crate_folder.as_ref().join("src");
    let root = ["lib.rs", "main.rs"].map(|name| sources.join(name)).into_iter().find(|root| root.exists());
    let root = root.unwrap_or_else(|| panic!("{} has neither lib.rs nor main.rs", sources.display()));
    let house = House::read(&read(&root));
    assert!(house.rooms.len() > 1, "{} declares fewer than two rooms", root.display());
    let mut found = Vec::new();
    for (place, room) in house.rooms.iter().enumerate() {
        for file in files_of(&sources, room) {
            let code = source::without_comments_and_tests(&read(&file));
            let inside = file.strip_prefix(&sources).unwrap_or(&file).to_path_buf();
            for path in use_tree::crate_paths(&code) {
                let Some(later) = house.room_of(&path).filter(|&other| other > place) else { continue };
                let (file, room, later) = (inside.clone(), room.clone(), house.rooms[later].clone());
                found.push(Upward { file, room, path: path.join("::"), later });
            }
        }
    }
    found
}

/// Panics if a room uses a later room, in the crate of this folder (`env!("CARGO_MANIFEST_DIR")`).
///
/// # Panics
/// The message has a line for every use of a later room. It also panics if [`upward`] does.
pub fn check(crate_folder: impl AsRef<Path>) {
    let upward = upward(crate_folder);
    assert!(upward.is_empty(), "{}", upward.iter().map(|found| format!("\n{found}")).collect::<String>());
}

impl House {
    fn read(root: &str) -> House {
        let code = source::without_comments_and_tests(root);
        let rooms: Vec<String> = code.lines().filter_map(source::declared_module).map(str::to_string).collect();
        let mut exported = HashMap::new();
        for path in use_tree::exports(&code) {
            if let [room, .., name] = &path[..] {
                exported.insert(name.clone(), room.clone());
            }
        }
        House { rooms, exported }
    }

    /// The place of the room that a path of the crate refers to: the room named by its first part, or the room from
    /// which the root exports that name.
    fn room_of(&self, path: &[String]) -> Option<usize> {
        let first = path.first()?;
        let place = |name: &String| self.rooms.iter().position(|room| room == name);
        place(first).or_else(|| place(self.exported.get(first)?))
    }
}

fn files_of(sources: &Path, room: &str) -> Vec<PathBuf> {
    let mut files = vec![sources.join(room).with_extension("rs")];
    let mut folders = vec![sources.join(room)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs") && file.exists());
    files.sort();
    files
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate of two rooms, `low` before `high`.
    fn house(low: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join("src").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("lib.rs", "//! mod none;\nmod low;\npub mod high;\npub use high::{Tower, deep::Cellar as Vault};\n");
        write("low/mod.rs", "mod inner;\n");
        write("low/inner.rs", low);
        write("high.rs", "use crate::low::inner::Stone;\n");
        upward(folder.path()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_room_may_use_those_above_it() {
        let none: [&str; 0] = [];
        assert_eq!(house("use crate::low::Stone;\nuse std::fmt;\n"), none);
        assert_eq!(house("// use crate::high::Tower;\n/// See [`crate::Tower`].\nfn f() {}\n"), none);
        assert_eq!(house("fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::high::Tower;\n}\n"), none);
        assert_eq!(house("fn f() -> &'static str { \"crate::high::Tower\" }\n"), none);
    }

    #[test]
    fn a_use_of_a_later_room_is_found_however_it_is_written() {
        for text in [
            "use crate::high::Tower;\n",
            "use crate::{low::Stone, high::{self, Tower}};\n",
            "use crate::{\n    low::Stone,\n    high::Tower,\n};\n",
            "use crate::Tower;\n",
            "use crate::Vault;\n",
            "fn f(tower: &crate::high::Tower) {}\n",
            "pub(crate) use crate::high::Tower as Low;\n",
            "#[cfg(test)]\nuse crate::low::Stone;\nfn f() { crate::high::build() }\n",
        ] {
            let found = house(text);
            assert!(!found.is_empty() && found[0].starts_with("low/inner.rs: `"), "{text} {found:?}");
            assert!(found[0].ends_with("is in `high`, which comes after `low`"), "{found:?}");
        }
    }

    #[test]
    #[should_panic(expected = "fewer than two rooms")]
    fn a_crate_without_rooms_is_no_house() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "mod only;\n").unwrap();
        upward(folder.path());
    }
}
