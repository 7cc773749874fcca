//! The command `revealed`.
fn main() {}
