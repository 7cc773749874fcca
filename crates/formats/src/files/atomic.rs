//! A file is written whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::{Error, Fault};

/// Writes a temporary file in the same folder, syncs it to the disk, and renames it. Readers see the old content or the
/// new content, never a part. If anything fails, no file is left behind, and an old file does not change.
///
/// A new file gets the usual permissions, an old one keeps its own. A link is followed. What is neither file nor
/// directory (a pipe, `/dev/stdout`) is written to directly.
///
/// # Errors
/// Whatever `fill` or the operating system reports, with the path.
pub fn write(path: impl AsRef<Path>, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let path = path.as_ref();
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let written = match fs::metadata(&target) {
        Ok(old) if old.is_dir() => return Err(Error::new(path, Fault::Directory)),
        Ok(old) if !old.is_file() => write_through(&target, fill),
        Ok(old) => replace(&target, Some(old.permissions()), fill),
        Err(_) => replace(&target, None, fill),
    };
    written.map_err(|cause| Error::new(path, Fault::Write(cause)))
}

/// Reports what [`write()`] would report of this path, before there is anything to write, so that a long computation
/// does not end with an error. A pipe or a device is not touched.
///
/// # Errors
/// If the path is a directory, or no file can be created in its folder.
pub fn check(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(&target) {
        Ok(old) if old.is_dir() => Err(Error::new(path, Fault::Directory)),
        Ok(old) if !old.is_file() => Ok(()),
        _ => temporary_in(directory_of(&target)).map(drop).map_err(|cause| Error::new(path, Fault::Write(cause))),
    }
}

fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_through(target: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(target)?);
    fill(&mut writer)?;
    writer.flush()
}

fn replace(
    target: &Path,
    permissions: Option<Permissions>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let directory = directory_of(target);
    let mut file = temporary_in(directory)?;
    let mut writer = BufWriter::new(file.as_file_mut());
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|failed| failed.error)?;
    // The rename itself outlives a power cut only once the directory is synced; not every system can.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

/// Created with the permissions that the umask leaves, as any new file is. The default of tempfile is more private.
fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(".revealed-").suffix(".part").make_in(directory, create)
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
    fn a_link_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, |writer| writer.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
