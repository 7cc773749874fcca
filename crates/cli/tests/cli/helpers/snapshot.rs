//! Texts that are kept in files: a change of them shows in a review.

use std::path::Path;

use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::{Assert, Data};

/// Asserts that a text is that of `tests/snapshots/NAME`. `SNAPSHOTS=overwrite cargo test -p revealed-cli` writes it.
#[track_caller]
pub fn same_as_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    let expected = Data::read_from(&path, None).raw();
    Assert::new().action_env(DEFAULT_ACTION_ENV).eq(text.to_string(), expected);
}
