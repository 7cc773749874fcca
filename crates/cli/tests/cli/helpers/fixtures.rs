//! Small files that are as they should be, for tests to use or to break.

use revealed_formats::{Problem, demonstrations};
use serde_json::{Value, json};

use super::Place;

/// From state 0 to terminal state 1 by action 0, or to terminal state 2 by action 1; or, by action 2, to either or
/// back. Feature 0 is state 1, feature 1 is action 2, feature 2 is the way back.
pub fn fork() -> Value {
    json!({
        "format": "revealed-problem/1",
        "n_states": 3, "n_actions": 3, "n_features": 3,
        "start": {"state": [0], "p": [1.0]},
        "terminal": [1, 2],
        "transitions": {
            "from":   [0,   0,   0,    0,    0  ],
            "action": [0,   1,   2,    2,    2  ],
            "to":     [1,   2,   1,    2,    0  ],
            "p":      [1.0, 1.0, 0.25, 0.25, 0.5],
        },
        "features": {
            "state": {"state": [1], "feature": [0], "value": [1.0]},
            "state_action": {"state": [0], "action": [2], "feature": [1], "value": [1.0]},
            "transition": {"transition": [4], "feature": [2], "value": [1.0]},
            "names": ["left", "dice", "back"],
        },
    })
}

/// Two demonstrations on [`fork`].
pub fn fork_demos() -> &'static str {
    "{\"states\": [0, 1], \"actions\": [0]}\n{\"states\": [0, 0, 2], \"actions\": [2, 1], \"id\": \"second\"}\n"
}

/// Three go left for each that goes right: two paths of one choice, so the weight of `left` is log 3.
pub fn coin() -> Value {
    json!({
        "n_states": 3, "n_actions": 2, "n_features": 1,
        "start": {"state": [0], "p": [1.0]},
        "terminal": [1, 2],
        "transitions": {"from": [0, 0], "action": [0, 1], "to": [1, 2], "p": [1.0, 1.0]},
        "features": {"state": {"state": [1], "feature": [0], "value": [1.0]}, "names": ["left"]},
    })
}

/// See [`coin`].
pub const COIN_DEMOS: &str = r#"{"states": [0, 1], "actions": [0], "weight": 3}
{"states": [0, 2], "actions": [1]}
"#;

/// A place with [`coin`] as `coin.json` and its demonstrations as `demos.jsonl`.
pub fn coin_place() -> Place {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    place
}

/// A place with [`fork`] as `problem.json` and a model of each path set, such as `anywhere.json`.
pub fn fork_with_models(theta: &[f64], horizon: usize) -> Place {
    let place = Place::new();
    place.write_json("problem.json", &fork());
    for ends in ["anywhere", "horizon", "terminal", "goal"] {
        place.write_model(&format!("{ends}.json"), theta, horizon, ends);
    }
    place
}

/// A place with FrozenLake 4x4 as `lake.json`, written with these options of `env`.
pub fn lake_place(options: &str) -> Place {
    let place = Place::new();
    place.run(&format!("env frozenlake-4x4 -o lake.json {options}")).ended(0);
    place
}

/// A place with [`fork`] as `problem.json`, its demonstrations as `demos.jsonl`, a `theta.json`, and a `model.json`
/// that was learned from them.
pub fn place() -> Place {
    let place = Place::new();
    place.write_json("problem.json", &fork());
    place.write("demos.jsonl", fork_demos());
    place.write("theta.json", "[0.5, -1.0, 0.25]");
    place.run("learn problem.json demos.jsonl -o model.json --bounds -10,10").ended(0);
    place
}

/// The same content as `.npz` files: `problem.npz` and `demos.npz`.
pub fn as_npz(place: &Place) {
    Problem::load(place.path("problem.json")).unwrap().save(place.path("problem.npz")).unwrap();
    let trajectories = demonstrations::load(place.path("demos.jsonl")).unwrap();
    demonstrations::save(&trajectories, place.path("demos.npz")).unwrap();
}
