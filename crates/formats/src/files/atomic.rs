//! A file is written whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::temporary::temporary_in;
use crate::{Error, Fault};

/// Writes a temporary file in the same folder, syncs it to the disk, and renames it. Readers see the old content or the
/// new content, never a part. If anything fails, no file is left behind, and an old file does not change.
///
/// A new file gets the usual permissions, an old one keeps its own. What is neither file nor directory (a pipe,
/// `/dev/stdout`) is written to directly. A link is followed if the kernel lets us open it for writing, which it does
/// not where others may have left the link; a link to nothing is refused. Temporary files that dead runs left in the
/// folder are removed.
///
/// # Errors
/// Whatever `fill` or the operating system reports, with the path.
pub fn write(path: impl AsRef<Path>, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let path = path.as_ref();
    let written = match destination(path).map_err(|fault| Error::new(path, fault))? {
        Destination::Device => write_through(path, fill),
        Destination::File { target, permissions } => replace(&target, permissions, fill),
    };
    written.map_err(|cause| Error::new(path, Fault::Write(cause)))
}

/// The same for a file beside an output whose name the user did not choose, such as a checkpoint: a link is refused, as
/// by [`refuse_link`]. One that appears meanwhile is replaced and not followed.
///
/// # Errors
/// As [`write()`], and [`Fault::Link`].
pub fn write_beside(path: impl AsRef<Path>, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let path = path.as_ref();
    refuse_link(path)?;
    let permissions = match fs::symlink_metadata(path) {
        Ok(old) if old.is_dir() => return Err(Error::new(path, Fault::Directory)),
        Ok(old) => Some(old.permissions()).filter(|_| old.is_file()),
        Err(_) => None,
    };
    replace(path, permissions, fill).map_err(|cause| Error::new(path, Fault::Write(cause)))
}

/// Rejects a link where only a file of our own can be.
///
/// # Errors
/// [`Fault::Link`].
pub fn refuse_link(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    match fs::symlink_metadata(path) {
        Ok(entry) if entry.is_symlink() => Err(Error::new(path, Fault::Link)),
        _ => Ok(()),
    }
}

/// Opens a file that [`write_beside`] wrote, to add to its end. It is the file of this name itself, not one that a link
/// leads to.
///
/// # Errors
/// What the operating system reports, and [`Fault::Link`].
pub fn append_beside(path: impl AsRef<Path>) -> Result<File, Error> {
    let path = path.as_ref();
    let failed = |cause| Error::new(path, Fault::Write(cause));
    refuse_link(path)?;
    let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
    let [opened, named] = [file.metadata(), fs::symlink_metadata(path)].map(|found| found.map_err(failed));
    if is_same(&opened?, &named?) { Ok(file) } else { Err(Error::new(path, Fault::Link)) }
}

/// Reports what [`write()`] would report of this path, before there is anything to write, so that a long computation
/// does not end with an error. A pipe or a device is not touched.
///
/// # Errors
/// If the path is a directory or a link to nothing, or no file can be created in its folder.
pub fn check(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    match destination(path).map_err(|fault| Error::new(path, fault))? {
        Destination::Device => Ok(()),
        Destination::File { target, .. } => {
            temporary_in(directory_of(&target)).map(drop).map_err(|cause| Error::new(path, Fault::Write(cause)))
        }
    }
}

/// What an output is.
enum Destination {
    /// A pipe or a device.
    Device,
    /// A file, which may not be there yet.
    File { target: PathBuf, permissions: Option<Permissions> },
}

/// Follows a link by opening it, as any program does: the kernel then refuses one that somebody else left in a folder
/// that all may write to. To resolve it name by name would go around this protection.
fn destination(path: &Path) -> Result<Destination, Fault> {
    let entry = match fs::symlink_metadata(path) {
        Ok(entry) => entry,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            return Ok(Destination::File { target: path.to_path_buf(), permissions: None });
        }
        Err(cause) => return Err(Fault::Write(cause)),
    };
    let old = match fs::metadata(path) {
        Ok(old) => old,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound && entry.is_symlink() => {
            let to = fs::read_link(path).map(|to| to.display().to_string()).unwrap_or_default();
            return Err(Fault::LinkToNothing { to });
        }
        Err(cause) => return Err(Fault::Write(cause)),
    };
    if old.is_dir() {
        return Err(Fault::Directory);
    }
    if !old.is_file() {
        return Ok(Destination::Device);
    }
    let mut target = path.to_path_buf();
    if entry.is_symlink() {
        let opened = OpenOptions::new().write(true).open(path).and_then(|file| file.metadata()).map_err(Fault::Write)?;
        target = fs::canonicalize(path).map_err(Fault::Write)?;
        if !is_same(&opened, &fs::symlink_metadata(&target).map_err(Fault::Write)?) {
            return Err(Fault::Link);
        }
    }
    Ok(Destination::File { target, permissions: Some(old.permissions()) })
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, other: &fs::Metadata) -> bool {
    !other.is_symlink()
}

fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_through(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    fill(&mut writer)?;
    writer.flush()
}

fn replace(
    target: &Path,
    permissions: Option<Permissions>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let directory = directory_of(target);
    let (mut file, path) = temporary_in(directory)?.into_parts();
    let mut writer = BufWriter::new(&mut file);
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()?;
    // If this fails, the temporary file is removed when `path` is dropped.
    fs::rename(&path, target)?;
    let _ = path.keep();
    // The rename itself outlives a power cut only once the directory is synced; not every system can.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(directory: &Path) -> Vec<String> {
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.json");
        fs::write(&path, "old").unwrap();
        let error = write(&path, |writer| {
            writer.write_all(&[b'x'; 100_000])?;
            Err(io::Error::from_raw_os_error(28))
        })
        .unwrap_err();
        let expected =
            "model.json: cannot be written: No space left on device (os error 28): free some space, or write elsewhere";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(entries(directory.path()), ["model.json"]);
    }

    #[test]
    fn a_failure_without_an_old_file_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path().join("new.json"), |_| Err(io::Error::other("no"))).unwrap_err();
        assert!(entries(directory.path()).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        let error = write("/dev/full", |writer| writer.write_all(b"x")).unwrap_err();
        assert!(error.to_string().starts_with("/dev/full: cannot be written: No space left on device"), "{error}");
        write("/dev/null", |writer| writer.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_missing_directory_is_named_without_the_temporary_file() {
        let error = write("/no/such/directory/model.json", |_| Ok(())).unwrap_err();
        let expected =
            "/no/such/directory/model.json: cannot be written: No such file or directory (os error 2): check the path";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_check_says_the_same_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/model.json");
        for bad in [directory.path(), &missing] {
            assert_eq!(check(bad).unwrap_err().to_string(), write(bad, |_| Ok(())).unwrap_err().to_string());
        }
        check(directory.path().join("model.json")).unwrap();
        assert!(entries(directory.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn new_files_get_usual_permissions_and_old_ones_keep_theirs() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (ours, usual) = (directory.path().join("ours"), directory.path().join("usual"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        fs::write(&usual, "").unwrap();
        write(&ours, |writer| writer.write_all(b"1")).unwrap();
        assert_eq!(mode(&ours), mode(&usual));
        fs::set_permissions(&ours, Permissions::from_mode(0o640)).unwrap();
        write(&ours, |writer| writer.write_all(b"2")).unwrap();
        assert_eq!(mode(&ours) & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_unless_it_leads_to_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for refusal in [write(&link, |writer| writer.write_all(b"new")), check(&link)] {
            let message = refusal.unwrap_err().to_string();
            assert!(message.contains("is a link to ") && message.contains("which does not exist"), "{message}");
        }
        assert_eq!(entries(directory.path()), ["link"]);
        fs::write(&file, "old").unwrap();
        write(&link, |writer| writer.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_beside_an_output_is_never_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for refusal in [write_beside(&link, |writer| writer.write_all(b"new")), append_beside(&link).map(drop)] {
            assert!(refusal.unwrap_err().to_string().ends_with("is a link, and a checkpoint is never one: remove it"));
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        write_beside(&file, |writer| writer.write_all(b"new")).unwrap();
        append_beside(&file).unwrap().write_all(b"er").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "newer");
    }
}
