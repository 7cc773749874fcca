//! The policy at one time, as `revealed policy --t` lists it.

use revealed::{Mdp, PolicyAt};
use serde_json::{Value, json};

/// π_t as rows \[s, a, p\], and σ_t of each state. `said` is what is known of the paths already.
pub fn policy_json(mdp: &Mdp, policy: &PolicyAt, t: usize, said: Value) -> Value {
    let mut json = said;
    let row = |choice: usize| json!([mdp.state_of(choice), mdp.action_of(choice), policy.choice[choice]]);
    json["t"] = json!(t);
    json["policy"] = (0..mdp.n_choices()).map(row).collect();
    json["stop"] = json!(policy.stop);
    let undefined: Vec<usize> = (0..mdp.n_states()).filter(|&state| !policy.defined[state]).collect();
    json["undefined"] = json!(undefined);
    json
}
