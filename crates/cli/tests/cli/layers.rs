//! The rooms of the crate, in the order of `main.rs`, use only those above them.

#[test]
fn no_room_uses_a_later_one() {
    revealed_layers::check(env!("CARGO_MANIFEST_DIR"));
}
