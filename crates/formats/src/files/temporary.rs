//! Temporary files. Each is locked by the run that writes it, so that another run can tell which of them are dead.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

const PREFIX: &str = ".revealed-";
const SUFFIX: &str = ".part";

/// A folder is searched for dead files at most so often: it may hold many files, and checkpoints are frequent.
const BETWEEN_SEARCHES: Duration = Duration::from_secs(10);

/// The folder that was searched last, and when.
static SEARCHED: Mutex<Option<(PathBuf, Instant)>> = Mutex::new(None);

/// A new temporary file in this folder, which vanishes if it is dropped. Dead ones in the folder are removed.
///
/// It is created with the permissions that the umask leaves, as any new file is; the default of tempfile is more
/// private. A link is never followed, because the file is new.
pub(super) fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    loop {
        let file = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(directory, create)?;
        // Where locks are not to be had, no file is taken for dead.
        let _ = file.as_file().lock();
        // Another run may have seen it before it was locked, and removed it.
        if is_named(file.as_file()) {
            remove_dead(directory);
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_named(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().map_or(true, |file| file.nlink() > 0)
}

#[cfg(not(unix))]
fn is_named(_: &File) -> bool {
    true
}

/// Removes the temporary files of runs that were killed.
fn remove_dead(directory: &Path) {
    let mut searched = SEARCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if searched.as_ref().is_some_and(|(folder, when)| folder == directory && when.elapsed() < BETWEEN_SEARCHES) {
        return;
    }
    *searched = Some((directory.to_path_buf(), Instant::now()));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Neither a link nor a pipe, which would block.
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_dead(&entry.path());
        }
    }
}

/// Removes a file that nobody has locked. The lock is held meanwhile, so that its owner does not go on with a file that
/// is removed.
fn remove_if_dead(path: &Path) {
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dead_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [dead, other, link] =
            [".revealed-dead.part", ".revealed-other", ".revealed-link.part"].map(|name| folder.path().join(name));
        fs::write(&dead, "half").unwrap();
        fs::write(&other, "whole").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let alive = temporary_in(folder.path()).unwrap();
        assert!(!dead.exists() && other.exists() && alive.path().exists());
        assert!(cfg!(not(unix)) || link.is_symlink());
        remove_if_dead(alive.path());
        assert!(alive.path().exists(), "it is locked");
        let path = alive.path().to_path_buf();
        drop(alive);
        assert!(!path.exists());
    }

    /// Runs that write to one folder do not remove each other's files.
    #[test]
    fn many_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let folder = folder.path();
                scope.spawn(move || {
                    for _ in 0..50 {
                        *SEARCHED.lock().unwrap() = None;
                        let path = folder.join(format!("{number}.txt"));
                        crate::atomic::write(&path, |writer| writer.write_all(b"whole")).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 8);
    }
}
