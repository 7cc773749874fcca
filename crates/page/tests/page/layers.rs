//! The modules of the crate use only those above them.

#[test]
fn no_module_uses_a_later_one() {
    revealed_layers::check(env!("CARGO_MANIFEST_DIR"));
}
