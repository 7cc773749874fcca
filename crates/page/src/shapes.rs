//! Roads as lines on a plane.

use revealed_roads::{Plane, Roads};
use serde_json::{Value, json};

/// The line of each state in metres to the east and north, to a decimetre, and its name.
pub(crate) fn shapes(roads: &Roads) -> Value {
    let origin = (0..roads.n_states()).next().and_then(|state| roads.line(state).first().copied()).unwrap_or_default();
    let plane = Plane::at(origin);
    let round = |metres: f64| (10.0 * metres).round() / 10.0;
    let line = |state: usize| -> Vec<[f64; 2]> {
        roads.line(state).into_iter().map(|place| plane.project(place).map(round)).collect()
    };
    let name = |state: usize| {
        let segment = roads.segments_of(state).next();
        segment.map(|segment| roads.network.ways[roads.network.segments[segment].way as usize].name.clone())
    };
    json!({
        "lines": (0..roads.n_states()).map(line).collect::<Vec<_>>(),
        "names": (0..roads.n_states()).map(name).collect::<Vec<_>>(),
        "attribution": roads.network.source.attribution(),
    })
}
