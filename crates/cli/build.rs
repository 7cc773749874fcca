//! Tells the command which commit it is built from, if it is built in a clone of its own repository.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=REVEALED_COMMIT={}", commit().unwrap_or_default());
}

/// The commit, with a + if files differ from it. `None` without git, and in a package that is not a clone.
fn commit() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?.canonicalize().ok()?;
    // Sources that were unpacked inside of another repository have nothing to do with its commits.
    if Path::new(&git(&root, &["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    let commit = git(&root, &["rev-parse", "--short=12", "HEAD"])?;
    let log = git(&root, &["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={}", root.join(log).display());
    println!("cargo:rerun-if-changed={}", root.join("crates").display());
    let changed = git(&root, &["status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.lock"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}+") })
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
