//! Files that are not what they should be, cannot be read, or cannot be written.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::bad_input::LEARN;
use crate::helpers::fixtures;
use crate::helpers::{Place, Ran, files_in};

/// Each command, with the file that it reads called BAD and its extensions.
const READERS: [(&str, &[&str]); 11] = [
    ("learn BAD demos.jsonl -o model.json", &["json", "npz"]),
    ("learn problem.json BAD -o model.json", &["jsonl", "npz"]),
    ("likelihood BAD demos.jsonl --theta theta.json", &["json", "npz"]),
    ("likelihood problem.json BAD --theta theta.json", &["jsonl", "npz"]),
    ("likelihood problem.json demos.jsonl --theta BAD", &["json"]),
    ("likelihood problem.json demos.jsonl --model BAD", &["json"]),
    ("marginals BAD model.json", &["json", "npz"]),
    ("marginals problem.json BAD", &["json"]),
    ("sample BAD model.json -n 1 -o new.jsonl", &["json", "npz"]),
    ("check BAD", &["json", "npz"]),
    ("check problem.json BAD", &["jsonl", "npz"]),
];

/// Runs every command on a file that `make` put in the place of one of its inputs.
#[track_caller]
fn every_reader_refuses(make: impl Fn(&Place, &str), words: &dyn Fn(&str) -> Vec<&'static str>) {
    let place = fixtures::place();
    fixtures::as_npz(&place);
    for (line, extensions) in READERS {
        for extension in extensions {
            let name = format!("bad.{extension}");
            make(&place, &name);
            let mut words = words(extension);
            words.push(&name);
            place.refuses(&line.replace("BAD", &name), &words);
            let made = place.path(&name);
            if made.is_dir() { fs::remove_dir(made).unwrap() } else { fs::remove_file(made).unwrap() }
        }
    }
}

#[test]
fn files_of_no_bytes() {
    every_reader_refuses(|place, name| place.write(name, ""), &|_| vec!["is empty (0 bytes)", "write it again"]);
}

#[test]
fn files_of_random_bytes() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(4096)
    .collect();
    every_reader_refuses(|place, name| place.write(name, &noise), &|extension| match extension {
        "npz" => vec!["is not an npz archive", "numpy.savez"],
        _ => vec!["line 1 column 1", "expected value"],
    });
}

#[test]
fn directories() {
    let make = |place: &Place, name: &str| fs::create_dir(place.path(name)).unwrap();
    every_reader_refuses(make, &|_| vec!["is a directory", "name a file in it"]);
    let place = fixtures::place();
    fs::create_dir(place.path("folder.json")).unwrap();
    for line in ["learn problem.json demos.jsonl -o folder.json", "env frozenlake-4x4 -o folder.json"] {
        place.refuses(line, &["folder.json", "is a directory", "name a file in it"]);
    }
}

#[test]
fn missing_files() {
    let place = fixtures::place();
    for (line, extensions) in READERS {
        for extension in extensions {
            let name = format!("nowhere.{extension}");
            let words = [name.as_str(), "cannot be read", "No such file", "check the path"];
            place.refuses(&line.replace("BAD", &name), &words);
        }
    }
}

/// The sound file of the sort that a reader wants, cut in two.
#[test]
fn files_that_are_cut_short() {
    let place = fixtures::place();
    fixtures::as_npz(&place);
    for (line, extensions) in READERS {
        for extension in extensions {
            let sort = match line {
                _ if line.contains("--theta BAD") => "theta",
                _ if line.contains("--model BAD") || line.starts_with("marginals problem.json") => "model",
                _ if line.starts_with("check problem.json") || line.contains(" problem.json BAD ") => "demos",
                _ => "problem",
            };
            let whole = fs::read(place.path(&format!("{sort}.{extension}"))).unwrap();
            let name = format!("bad.{extension}");
            // The end of the last line, so that earlier demonstrations are whole.
            place.write(&name, &whole[..whole.len() - 10]);
            let words: &[&str] = match *extension {
                "npz" => &[&name, "is not an npz archive", "numpy.savez"],
                _ => &[&name, "line", "column", "EOF", "cut short, write it again"],
            };
            place.refuses(&line.replace("BAD", &name), words);
            fs::remove_file(place.path(&name)).unwrap();
        }
    }
}

/// An array as numpy writes it.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn integers(values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<i8", &format!("({},)", values.len()), &data)
}

fn floats(values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", &format!("({},)", values.len()), &data)
}

/// The arrays of a small problem, with one of them replaced, or left out.
fn write_arrays(path: &Path, name: &str, array: Option<Vec<u8>>) {
    let scalar = |value: i64| npy("<i8", "()", &value.to_le_bytes());
    let mut arrays = vec![
        ("n_states", scalar(2)),
        ("n_actions", scalar(1)),
        ("n_features", scalar(1)),
        ("start.state", integers(&[0])),
        ("start.p", floats(&[1.0])),
        ("terminal", integers(&[1])),
        ("transitions.from", integers(&[0])),
        ("transitions.action", integers(&[0])),
        ("transitions.to", integers(&[1])),
        ("transitions.p", floats(&[1.0])),
        ("features.state.state", integers(&[1])),
        ("features.state.feature", integers(&[0])),
        ("features.state.value", floats(&[1.0])),
    ];
    arrays.retain(|entry| entry.0 != name);
    arrays.extend(array.map(|array| (name, array)));
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn arrays_that_are_missing_or_of_the_wrong_sort() {
    let place = fixtures::place();
    place.write("demos.jsonl", "{\"states\": [0, 1], \"actions\": [0]}\n");
    let problem = place.path("arrays.npz");
    let learn = "learn arrays.npz demos.jsonl -o model.json";
    let wrong = [
        ("transitions.to", None, ["transitions.to is missing", "required"]),
        ("n_states", None, ["n_states is missing", "required"]),
        ("start.p", None, ["start.p is missing", "required"]),
        ("transitions.to", Some(floats(&[1.0])), ["transitions.to is an array of type <f8", "numpy.int64"]),
        ("transitions.p", Some(npy("<U1", "(1,)", b"1\0\0\0")), ["transitions.p is an array of type <U1", "numpy.float64"]),
        ("transitions.to", Some(npy("<i8", "(1, 1)", &[1, 0, 0, 0, 0, 0, 0, 0])), ["transitions.to", "(1, 1)"]),
        ("transitions.to", Some(npy("|O", "(1,)", b"pickle")), ["transitions.to", "Python objects"]),
        ("transitions.to", Some(integers(&[1])[..100].to_vec()), ["transitions.to cannot be read", "write it again"]),
        ("transitions.p", Some(floats(&[f64::NAN])), ["transitions row 0: p is NaN", "finite number"]),
        ("transitions.p", Some(floats(&[f64::INFINITY])), ["transitions row 0: p is inf", "finite number"]),
        ("start.p", Some(floats(&[f64::NAN])), ["start row 0: p is NaN", "finite number"]),
        ("features.state.value", Some(floats(&[f64::NEG_INFINITY])), ["features.state row 0: value is -inf", "finite number"]),
        ("features.state.feature", Some(integers(&[1])), ["features.state row 0: feature 1", "there are 1"]),
        ("discount", Some(npy("<f8", "()", &f64::NAN.to_le_bytes())), ["discount is NaN", "between 0 and 1"]),
    ];
    write_arrays(&problem, "discount", None);
    place.run("learn arrays.npz demos.jsonl -o fine.json --bounds -1,1").ended(0);
    for (name, array, words) in wrong {
        write_arrays(&problem, name, array);
        place.refuses(learn, &["arrays.npz", words[0], words[1]]);
    }
}

#[test]
fn outputs_that_cannot_be() {
    let place = fixtures::place();
    place.write("file", "mine");
    for line in [
        "learn problem.json demos.jsonl -o no/such/place/new.json",
        "sample problem.json model.json -n 1 -o no/such/place/new.jsonl",
        "sample problem.json model.json -n 1 -o no/such/place/new.npz",
        "env frozenlake-4x4 -o no/such/place/new.json",
    ] {
        place.refuses(line, &["no/such/place/new.", "cannot be written", "No such file", "check the path"]);
        let into_a_file = line.replace("no/such/place", "file");
        place.refuses(&into_a_file, &["file/new.", "cannot be written", "Not a directory", "check the path"]);
    }
    // Nobody means to replace an input.
    for output in ["problem.json", "./demos.jsonl"] {
        let line = format!("learn problem.json demos.jsonl -o {output}");
        place.refuses(&line, &[output, "it is also an input", "elsewhere"]);
    }
}

/// The command line under the rules of file permissions, which do not bind root: without the capability that frees it
/// from them.
fn bound_by_permissions(place: &Place, line: &str) -> Option<Ran> {
    place.write("probe", "");
    fs::set_permissions(place.path("probe"), fs::Permissions::from_mode(0o000)).unwrap();
    let binds = |shell: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", shell]).current_dir(place.root()).stderr(Stdio::null()).stdout(Stdio::null());
        command.status().unwrap().code()
    };
    const WITHOUT: &str = "setpriv --bounding-set -dac_override,-dac_read_search";
    let prefix = if binds("cat probe") == Some(1) {
        ""
    } else if binds(&format!("{WITHOUT} true")) == Some(0) && binds(&format!("{WITHOUT} cat probe")) == Some(1) {
        WITHOUT
    } else {
        eprintln!("skipped: permissions do not bind this user, and `setpriv` cannot change that");
        return None;
    };
    fs::remove_file(place.path("probe")).unwrap();
    Some(place.shell(&format!("{prefix} revealed {line}")))
}

#[test]
fn files_without_permission() {
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let denied = ["Permission denied", "check the permissions of the file and of its directory"];
    for (secret, line) in [
        ("problem.json", LEARN),
        ("demos.jsonl", LEARN),
        ("theta.json", "likelihood problem.json demos.jsonl --theta theta.json"),
        ("model.json", "marginals problem.json model.json"),
        ("problem.json", "check problem.json"),
    ] {
        let place = fixtures::place();
        set_mode(&place.path(secret), 0o000);
        let Some(ran) = bound_by_permissions(&place, line) else { return };
        ran.refused(&[secret, "cannot be read", denied[0], denied[1]]);
    }
    for line in [
        "learn problem.json demos.jsonl -o locked/new.json",
        "sample problem.json model.json -n 1 -o locked/new.jsonl",
        "env frozenlake-4x4 -o locked/new.json",
    ] {
        let place = fixtures::place();
        fs::create_dir(place.path("locked")).unwrap();
        set_mode(&place.path("locked"), 0o555);
        let Some(ran) = bound_by_permissions(&place, line) else { return };
        set_mode(&place.path("locked"), 0o755);
        ran.refused(&["locked/new.json", "cannot be written", denied[0], denied[1]]);
        assert!(files_in(&place.path("locked")).is_empty());
    }
}

/// A broken problem does not hide a broken demonstration file, nor the other way round.
#[test]
fn check_names_the_faults_of_both_files() {
    let place = fixtures::place();
    let nothing = r#""transitions": {"from": [], "action": [], "to": [], "p": []}"#;
    let sizes = r#""n_states": 2, "n_actions": 1, "n_features": 1, "terminal": [0, 1]"#;
    place.write("problem.json", format!(r#"{{{sizes}, {nothing}, "start": {{"state": [0], "p": [0.5]}}}}"#));
    place.write("bad.jsonl", "{\"states\": [0");
    let ran = place.run("check problem.json bad.jsonl").ended(1);
    assert!(ran.stdout.contains("the start probabilities sum to 0.5") && ran.stdout.contains("bad.jsonl"), "{ran:?}");
}
