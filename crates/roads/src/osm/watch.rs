//! How far a file is read, and whether to go on.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Fault;

/// The passes over a file: its ways, and then its nodes.
const PASSES: u64 = 2;

/// Watches the passes over one file.
pub(super) struct Watch<'a> {
    progress: &'a mut dyn FnMut(u64, u64),
    stop: &'a (dyn Fn() -> bool + Sync),
    /// The bytes of the file; 0 if it is not there.
    size: u64,
    passes: u64,
    read: Arc<AtomicU64>,
}

impl<'a> Watch<'a> {
    pub fn new(path: &Path, progress: &'a mut dyn FnMut(u64, u64), stop: &'a (dyn Fn() -> bool + Sync)) -> Watch<'a> {
        let size = std::fs::metadata(path).map_or(0, |known| known.len());
        Watch { progress, stop, size, passes: 0, read: Arc::default() }
    }

    /// The file, counted as it is read from its beginning.
    pub fn pass(&mut self, file: File) -> Counted {
        self.passes += 1;
        self.read = Arc::default();
        Counted { file, read: self.read.clone() }
    }

    /// Says how far it is, and asks whether to go on.
    pub fn look(&mut self) -> Result<(), Fault> {
        if (self.stop)() {
            return Err(Fault::Stopped);
        }
        // Somebody may still be writing it.
        let read = self.read.load(Ordering::Relaxed).min(self.size);
        (self.progress)((self.passes - 1).min(PASSES - 1) * self.size + read, PASSES * self.size);
        Ok(())
    }
}

/// A file that counts what is read of it.
pub(super) struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
