//! The rooms of the crate are layers: none reaches into a later one.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect();
    found.sort();
    found
}

/// The rooms in the order of `lib.rs`.
fn rooms(lib: &str) -> Vec<String> {
    let module =
        |line: &str| Some(line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')?.to_string());
    lib.lines().filter_map(module).collect()
}

/// The rooms that a source names by a path such as `crate::osm::Extract`. Comments do not count.
fn named(source: &str) -> Vec<String> {
    let code = source.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1).map(str::to_string).collect::<Vec<_>>());
    let name = |path: String| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    paths.map(name).collect()
}

/// What is wrong with a source in a room: it names a later room, or something that is not a room.
fn faults(rooms: &[String], room: &str, source: &str) -> Vec<String> {
    let place = |name: &str| rooms.iter().position(|room| room == name);
    let here = place(room).unwrap_or_else(|| panic!("{room} is not in lib.rs"));
    let fault = |name: String| match place(&name) {
        Some(there) if there <= here => None,
        Some(_) => Some(format!("{room} reaches into the later room {name}")),
        None => Some(format!("{room} imports {name} from the root: import it from its room")),
    };
    named(source).into_iter().filter_map(fault).collect()
}

#[test]
fn no_room_reaches_into_a_later_one() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = rooms(&fs::read_to_string(source.join("lib.rs")).unwrap());
    assert!(rooms.len() > 10, "{rooms:?}");
    let mut found = Vec::new();
    let mut paths = 0;
    for path in sources(&source).into_iter().filter(|path| !path.ends_with("lib.rs")) {
        let below = path.strip_prefix(&source).unwrap();
        let room = below.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_string();
        let text = fs::read_to_string(&path).unwrap();
        paths += named(&text).len();
        found.extend(faults(&rooms, &room, &text).into_iter().map(|fault| format!("{}: {fault}", below.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
    assert!(paths > 100, "only {paths} paths were seen");
}

#[test]
fn a_room_that_reaches_into_a_later_one_is_found() {
    let rooms = rooms("mod error;\n\npub mod osm;\n\npub mod network;\n\npub use osm::Extract;\n");
    assert_eq!(rooms, ["error", "osm", "network"]);
    assert!(faults(&rooms, "network", "use crate::osm::{Extract, Road};\nuse crate::error::Error;\n").is_empty());
    let upwards = faults(&rooms, "osm", "use crate::error::Error;\nuse crate::network::Network;\n");
    assert_eq!(upwards, ["osm reaches into the later room network"]);
    // Also without `use`, and within a room's own lines of code only.
    assert_eq!(faults(&rooms, "osm", "    let network = crate::network::Network::default();\n").len(), 1);
    assert!(faults(&rooms, "osm", "    /// As [`Network`](crate::network::Network).\n").is_empty());
    assert_eq!(
        faults(&rooms, "network", "use crate::Extract;\n"),
        ["network imports Extract from the root: import it from its room"]
    );
}
