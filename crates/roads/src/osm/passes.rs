//! The passes over a file: how many bytes are read, and whether to go on.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use revealed::Watch;

use crate::error::{Error, Fault};

/// The passes over a file: its ways, and then its nodes.
const PASSES: usize = 2;

/// Why reading ends before the end of the file.
pub(super) enum Halt {
    /// The file is at fault.
    Fault(Fault),
    /// The watch stopped it.
    Stopped,
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(fault)
    }
}

impl Halt {
    /// The error about this file.
    pub fn of(self, path: &Path) -> Error {
        match self {
            Halt::Fault(fault) => fault.of(path),
            Halt::Stopped => Error::Stopped,
        }
    }
}

/// The passes over one file.
pub(super) struct Passes<'a, 'b> {
    watch: &'a Watch<'b>,
    /// The bytes of the file; 0 if it does not exist.
    size: usize,
    begun: usize,
    read: Arc<AtomicUsize>,
}

impl<'a, 'b> Passes<'a, 'b> {
    pub fn new(path: &Path, watch: &'a Watch<'b>) -> Passes<'a, 'b> {
        let size = std::fs::metadata(path).map_or(0, |known| known.len() as usize);
        Passes { watch, size, begun: 0, read: Arc::default() }
    }

    /// Begins a pass: the file, with its bytes counted as they are read.
    pub fn begin(&mut self, file: File) -> CountedFile {
        self.begun += 1;
        self.read = Arc::default();
        CountedFile { file, read: self.read.clone() }
    }

    /// Tells how many bytes are read, and asks whether to go on.
    pub fn look(&mut self) -> Result<(), Halt> {
        // The file may still be growing.
        let read = self.read.load(Ordering::Relaxed).min(self.size);
        let done = (self.begun - 1).min(PASSES - 1) * self.size + read;
        self.watch.tell_parts("bytes", done, PASSES * self.size).map_err(|_| Halt::Stopped)
    }
}

/// A file that counts the bytes that are read.
pub(super) struct CountedFile {
    file: File,
    read: Arc<AtomicUsize>,
}

impl Read for CountedFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.read.fetch_add(read, Ordering::Relaxed);
        Ok(read)
    }
}
