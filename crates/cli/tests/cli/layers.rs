//! The rooms of the crate, in the order of `main.rs`, use only those above them.

#[test]
fn no_room_uses_a_later_one() {
    let upward = revealed_layers::upward(env!("CARGO_MANIFEST_DIR"));
    assert!(upward.is_empty(), "{}", upward.iter().map(|use_| format!("\n{use_}")).collect::<String>());
}
