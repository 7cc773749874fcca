//! How long paths are, as `revealed lengths` lists it.

use revealed::Lengths;
use serde_json::{Value, json};

/// The probabilities of all lengths, and what they say together. `said` is what is known of the paths already.
pub fn lengths_json(lengths: &Lengths, said: Value) -> Value {
    let mut json = said;
    let rows: Vec<(usize, f64)> = lengths.iter().filter(|row| row.1 > 0.0).collect();
    json["length"] = json!(rows);
    json["mean"] = json!(lengths.mean());
    json["standard_deviation"] = json!(lengths.standard_deviation());
    json["median"] = json!(lengths.quantile(0.5));
    json
}
