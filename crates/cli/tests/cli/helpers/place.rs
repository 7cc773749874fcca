//! A directory to run the command in, and what a run left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::running::HANGS;

/// The program under test.
pub const REVEALED: &str = env!("CARGO_BIN_EXE_revealed");

/// An empty directory that vanishes with its tests. Commands run in it, so files go by their short names.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn write_json(&self, name: &str, content: &Value) {
        self.write(name, content.to_string());
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A model file without anything that is optional.
    pub fn write_model(&self, name: &str, theta: &[f64], horizon: usize, ends: &str) {
        self.write_json(name, &json!({"theta": theta, "horizon": horizon, "ends": ends}));
    }

    /// Every file in the directory with its content; what is no file counts as empty.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files_in(self.root())
    }

    /// Runs a command line such as `learn problem.json demos.jsonl -o model.json`.
    #[track_caller]
    pub fn run(&self, line: &str) -> Ran {
        Ran::new(line, assert_cmd::Command::new(REVEALED).args(line.split_whitespace()), self.root())
    }

    /// Runs a command line that must fail with these words, and without a trace among the files.
    #[track_caller]
    pub fn refuses(&self, line: &str, words: &[&str]) {
        let before = self.files();
        self.run(line).refused(words);
        assert_eq!(self.files(), before, "{line}");
    }

    /// Runs a line of shell in which `revealed` is the program under test.
    #[track_caller]
    pub fn shell(&self, line: &str) -> Ran {
        let directory = Path::new(REVEALED).parent().unwrap();
        let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
        Ran::new(line, assert_cmd::Command::new("sh").args(["-c", line]).env("PATH", path), self.root())
    }
}

/// Every file in a directory with its content; what is no file counts as empty.
pub fn files_in(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let named = |entry: fs::DirEntry| {
        let content = if entry.path().is_file() { fs::read(entry.path()).unwrap_or_default() } else { Vec::new() };
        (entry.file_name().into_string().unwrap(), content)
    };
    entries.map(named).collect()
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub line: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    #[track_caller]
    fn new(line: &str, command: &mut assert_cmd::Command, directory: &Path) -> Ran {
        // No terminal tells its width to a program that is tested, and neither does the environment.
        let output = command.current_dir(directory).env("COLUMNS", "100").timeout(HANGS).output().unwrap();
        Ran::from(line, output)
    }

    pub fn from(line: &str, output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        Ran { line: line.to_string(), code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn ended(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}: {self:#?}", self.line);
        self
    }

    /// Asserts success and that stdout is one JSON object, a line, and nothing else.
    #[track_caller]
    pub fn json(self) -> Value {
        let ran = self.ended(0);
        let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:#?}"));
        assert!(value.is_object() && ran.stdout.ends_with("}\n") && ran.stdout.lines().count() == 1, "{ran:#?}");
        value
    }

    /// Asserts that the run failed as bad input does, exit code 1 and one line on stderr and none on stdout, and that
    /// the line has all of these words.
    #[track_caller]
    pub fn refused(self, words: &[&str]) {
        let ran = self.ended(1);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.ends_with('\n'), "{ran:#?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{word:?} is not in {ran:#?}");
        }
    }
}
