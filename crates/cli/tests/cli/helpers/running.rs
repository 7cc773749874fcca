//! A run in the background, which can be interrupted.

use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::place::{Place, REVEALED, Ran};

/// A run that takes so long hangs: the test fails instead of waiting for ever.
pub const HANGS: Duration = Duration::from_secs(900);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A run in the background, which ends with the test.
pub struct Running {
    line: String,
    child: Child,
}

impl Running {
    pub fn start(place: &Place, line: &str) -> Running {
        Running::of(place, line, Command::new(REVEALED).args(line.split_whitespace()))
    }

    /// The same, told to ignore a signal, as `nohup` tells it.
    pub fn start_ignoring(place: &Place, line: &str, signal: &str) -> Running {
        let ignoring = format!("trap '' {signal}; exec {REVEALED} {line}");
        Running::of(place, line, Command::new("sh").args(["-c", &ignoring]))
    }

    fn of(place: &Place, line: &str, command: &mut Command) -> Running {
        let command = command.current_dir(place.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running { line: line.to_string(), child: command.spawn().unwrap() }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until there is what the test needs. The run must still be going on.
    #[track_caller]
    pub fn wait_for<T>(&mut self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{} ended before there was {what}: {ended:?}", self.line);
            assert!(begun.elapsed() < HANGS, "{}: there is no {what}", self.line);
            sleep(PAUSE);
        }
    }

    /// Waits for the first line on stderr.
    pub fn first_line(&mut self) -> String {
        let stderr = self.child.stderr.as_mut().unwrap();
        // Byte by byte: what follows is for `signal` to read.
        let (mut line, mut byte) = (Vec::new(), [0]);
        while stderr.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    /// Sends a signal, as `kill -INT` does.
    pub fn send(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
    }

    /// Sends a signal and waits for the end.
    pub fn signal(mut self, signal: &str) -> Ran {
        self.send(signal);
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < HANGS, "{} does not stop", self.line);
            sleep(PAUSE);
        };
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        self.child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
        Ran::from(&self.line, Output { status, stdout, stderr })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
