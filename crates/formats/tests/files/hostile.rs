//! Files that are no files of ours: every loader says so, and none panics, hangs or asks for much memory.

use std::fs;
use std::path::Path;

use revealed::{Ends, Trajectory};
use revealed_formats::{Error, Model, Problem, demonstrations, load_theta};
use zip::CompressionMethod;

use crate::helpers::{Place, archive, arrays, columns, message};

type Loader = fn(&Path) -> Result<(), Error>;

/// Every loader with an extension that it takes.
const LOADERS: [(&str, Loader); 6] = [
    ("problem.json", |path| Problem::load(path).map(drop)),
    ("problem.npz", |path| Problem::load(path).map(drop)),
    ("demonstrations.jsonl", |path| demonstrations::load(path).map(drop)),
    ("demonstrations.npz", |path| demonstrations::load(path).map(drop)),
    ("model.json", |path| Model::load(path).map(drop)),
    ("theta.json", |path| load_theta(path).map(drop)),
];

/// The next number of SplitMix64.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A sound file for each loader.
fn sound(place: &Place) {
    columns().save(place.path("problem.json")).unwrap();
    columns().save(place.path("problem.npz")).unwrap();
    let trajectories = [Trajectory::new(vec![0, 3], vec![1]), Trajectory::new(vec![0, 1, 2], vec![0, 0])];
    demonstrations::save(&trajectories, place.path("demonstrations.jsonl")).unwrap();
    demonstrations::save(&trajectories, place.path("demonstrations.npz")).unwrap();
    Model::new(vec![1.0, 2.0], 3, Ends::Anywhere).save(place.path("model.json")).unwrap();
    place.file("theta.json", "[1.0, 2.0]");
}

#[test]
fn no_such_file() {
    for (name, load) in LOADERS {
        let place = Place::new();
        let path = place.path(name);
        let expected = "cannot be read: No such file or directory (os error 2): check the path";
        assert_eq!(message(&path, load(&path)), expected, "{name}");
    }
}

#[test]
fn no_bytes() {
    for (name, load) in LOADERS {
        let place = Place::new();
        let path = place.file(name, "");
        assert_eq!(message(&path, load(&path)), "is empty (0 bytes): write it again", "{name}");
    }
}

#[test]
fn a_directory() {
    for (name, load) in LOADERS {
        let place = Place::new();
        let path = place.path(name);
        fs::create_dir(&path).unwrap();
        assert_eq!(message(&path, load(&path)), "is a directory: name a file in it", "{name}");
    }
    let place = Place::new();
    let path = place.path("problem.json");
    fs::create_dir(&path).unwrap();
    assert_eq!(message(&path, columns().save(&path)), "is a directory: name a file in it");
}

#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    sound(&place);
    for (name, load) in LOADERS {
        let path = place.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read(&path).is_ok() {
            eprintln!("skipped: permissions do not bind this user");
            return;
        }
        let expected =
            "cannot be read: Permission denied (os error 13): check the permissions of the file and of its directory";
        assert_eq!(message(&path, load(&path)), expected, "{name}");
    }
}

#[test]
fn random_bytes() {
    for (name, load) in LOADERS {
        let place = Place::new();
        for seed in 0..300 {
            let mut state = seed;
            let length = 1 + next(&mut state) % 400;
            let bytes: Vec<u8> = (0..length).map(|_| next(&mut state) as u8).collect();
            let path = place.file(name, bytes);
            assert!(!message(&path, load(&path)).is_empty(), "{name}, seed {seed}");
        }
    }
}

/// Sound files with a few bytes changed: some load, none panics.
#[test]
fn damaged_bytes() {
    let place = Place::new();
    sound(&place);
    for (name, load) in LOADERS {
        let original = fs::read(place.path(name)).unwrap();
        load(&place.path(name)).unwrap();
        for seed in 0..600 {
            let mut state = seed;
            let mut bytes = original.clone();
            for _ in 0..1 + seed % 4 {
                let place = next(&mut state) as usize % bytes.len();
                bytes[place] = next(&mut state) as u8;
            }
            let path = place.file(name, bytes);
            if let Err(error) = load(&path) {
                assert!(error.to_string().starts_with(path.to_str().unwrap()), "{name}, seed {seed}: {error}");
            }
        }
    }
}

/// Sound files cut at every length.
#[test]
fn truncated_bytes() {
    let place = Place::new();
    sound(&place);
    for (name, load) in LOADERS {
        let original = fs::read(place.path(name)).unwrap();
        let step = (original.len() / 200).max(1);
        for length in (1..original.len() - 1).step_by(step) {
            let path = place.file(name, &original[..length]);
            let result = load(&path);
            // A cut between two lines leaves fewer demonstrations.
            if !name.ends_with("jsonl") {
                message(&path, result);
            }
        }
    }
}

#[test]
fn a_truncated_archive_is_told_apart() {
    let place = Place::new();
    let path = place.path("problem.npz");
    columns().save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    place.file("problem.npz", &bytes[..bytes.len() / 2]);
    assert!(message(&path, Problem::load(&path)).starts_with("is not an npz archive ("));
}

#[test]
fn a_damaged_array_is_named() {
    let place = Place::new();
    let path = place.path("problem.npz");
    archive(&path, &arrays(), CompressionMethod::Stored);
    let mut bytes = fs::read(&path).unwrap();
    let one = 1f64.to_le_bytes();
    let data = bytes.windows(16).position(|window| window == [one, one].concat()).unwrap();
    bytes[data] ^= 1;
    place.file("problem.npz", &bytes);
    let message = message(&path, Problem::load(&path));
    assert!(message.starts_with("array transitions.p cannot be read (") && message.contains("damaged"), "{message}");
}

#[test]
fn a_zip_that_is_no_npz() {
    use std::io::Write;
    let place = Place::new();
    let path = place.path("problem.npz");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    zip.start_file("letter.txt", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"hello").unwrap();
    zip.finish().unwrap();
    let expected = "is not an npz archive (it holds no .npy arrays): write it with numpy.savez or numpy.savez_compressed";
    assert_eq!(message(&path, Problem::load(&path)), expected);
}

#[test]
fn deeply_nested_json() {
    for (name, load) in LOADERS.into_iter().filter(|loader| !loader.0.ends_with("npz")) {
        let place = Place::new();
        let path = place.file(name, format!("{{\"a\": {}", "[".repeat(100_000)));
        assert!(!message(&path, load(&path)).is_empty(), "{name}");
    }
}
