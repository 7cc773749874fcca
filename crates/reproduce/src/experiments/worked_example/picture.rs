//! Pictures of the chain, and of the chain with padding.

use revealed_draw::{Canvas, DiagramArrow, DiagramState, diagram};

/// The states of the chain in LaTeX's place: s₁ … s₄.
const STATES: [&str; 4] = ["s₁", "s₂", "s₃", "s₄"];

fn state(place: usize, terminal: bool) -> DiagramState {
    let (label, start) = (STATES[place].to_string(), place == 0);
    DiagramState { label, at: (place as f64, 0.0), start, terminal, added: false }
}

fn arrow(ends: [usize; 2], label: &str, added: bool) -> DiagramArrow {
    DiagramArrow { ends, label: label.to_string(), added }
}

fn steps() -> Vec<DiagramArrow> {
    (0..3).map(|place| arrow([place, place + 1], "a", false)).collect()
}

/// The chain.
pub(super) fn chain() -> Canvas {
    let states: Vec<DiagramState> = (0..4).map(|place| state(place, place == 3)).collect();
    diagram(&states, &steps())
}

/// The chain with the auxiliary state and action.
pub(super) fn padded_chain() -> Canvas {
    let mut states: Vec<DiagramState> = (0..4).map(|place| state(place, false)).collect();
    let at = (1.5, 1.0);
    states.push(DiagramState { label: "sₐ".to_string(), at, start: false, terminal: false, added: true });
    let mut arrows = steps();
    arrows.extend((0..4).map(|place| arrow([place, 4], "aₐ", true)));
    arrows.push(arrow([4, 4], "aₐ", true));
    diagram(&states, &arrows)
}
