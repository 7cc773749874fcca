//! Questions for the likeliest paths of a tiny network: trivial ones, and those without an answer.

use revealed::{Ends, Mdp, MdpBuilder, PathModel, PathQuery, Reward, Search, best_paths};

/// 0 → 1 → 2 → 0 and 1 → 3, where 3 is terminal; 4 leads to 3, and no state leads to 4.
fn ring() -> Mdp {
    let mut builder = MdpBuilder::new(5, 2);
    builder.start(0, 1.0).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 0, 1.0).transition(1, 1, 3, 1.0);
    builder.transition(4, 0, 3, 1.0);
    builder.build().unwrap()
}

fn ask(reward: [f64; 5], horizon: usize, ends: Ends, query: &PathQuery) -> Result<Vec<Vec<usize>>, String> {
    let mdp = ring();
    let model = PathModel::new(&mdp, Reward::of_states(reward.to_vec()), horizon, ends).unwrap();
    let found = best_paths(&model, query).map_err(|error| error.to_string())?;
    Ok(found.paths.into_iter().map(|best| best.path.states).collect())
}

#[track_caller]
fn refused(answer: Result<Vec<Vec<usize>>, String>, words: &[&str]) {
    let message = answer.unwrap_err();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

const COSTS: [f64; 5] = [-1.0; 5];
/// Around the ring 1 is gained.
const GAINS: [f64; 5] = [1.0, 1.0, -1.0, 0.0, 0.0];

#[test]
fn from_a_state_to_itself() {
    // One state, if a path may end there; else around the ring.
    assert_eq!(ask(COSTS, 9, Ends::Anywhere, &PathQuery::between(0, 0)), Ok(vec![vec![0]]));
    assert_eq!(ask(COSTS, 9, Ends::Goal, &PathQuery { k: 2, ..PathQuery::between(0, 0) }), Ok(vec![vec![0], vec![0, 1, 2, 0]]));
    assert_eq!(ask(COSTS, 4, Ends::Horizon, &PathQuery::between(0, 0)), Ok(vec![vec![0, 1, 2, 0]]));
    assert_eq!(ask(COSTS, 4, Ends::Terminal, &PathQuery::between(3, 3)), Ok(vec![vec![3]]));
    let loopless = PathQuery { loopless: true, ..PathQuery::between(0, 0) };
    assert_eq!(ask(COSTS, 9, Ends::Goal, &PathQuery { k: 2, ..loopless.clone() }), Ok(vec![vec![0]]));
    refused(ask(COSTS, 4, Ends::Horizon, &loopless), &["no path from state 0 to state 0 without loops", "within 4 states"]);
    refused(
        ask(COSTS, 5, Ends::Horizon, &PathQuery::between(0, 0)),
        &["no path from state 0 to state 0", "ends with the horizon"],
    );
}

#[test]
fn unreachable_destinations_are_refused() {
    refused(ask(COSTS, 9, Ends::Goal, &PathQuery::between(0, 4)), &["no path leads from state 0 to state 4, of any length"]);
    refused(ask(COSTS, 9, Ends::Goal, &PathQuery::between(3, 0)), &["no path leads from state 3 to state 0"]);
    let short = ["shortest path from state 0 to state 3 has 3 states", "horizon 2", "at least 3"];
    refused(ask(COSTS, 2, Ends::Goal, &PathQuery::between(0, 3)), &short);
    refused(ask(COSTS, 2, Ends::Terminal, &PathQuery::new(vec![(0, 1.0)], None)), &["to where paths end has 3 states"]);
    refused(
        ask(COSTS, 9, Ends::Terminal, &PathQuery::between(0, 2)),
        &["no path of this model ends in state 2", "ends = goal"],
    );
    refused(ask(COSTS, 9, Ends::Goal, &PathQuery::new(vec![(0, 1.0)], None)), &["say where paths end"]);
    // Of the given last states, those where no path ends are ignored.
    let some = PathQuery::new(vec![(0, 1.0)], Some(vec![(2, 1.0), (3, 0.5)]));
    assert_eq!(ask(COSTS, 9, Ends::Terminal, &some), Ok(vec![vec![0, 1, 3]]));
}

#[test]
fn without_a_best_path_the_reason_is_named() {
    let any = |from, to| PathQuery { bounded: false, ..PathQuery::between(from, to) };
    refused(
        ask(GAINS, 9, Ends::Goal, &any(0, 3)),
        &["no likeliest path of any length", "the cycle through states", "give a horizon"],
    );
    // The ring is out of reach from 4.
    assert_eq!(ask(GAINS, 9, Ends::Goal, &any(4, 3)), Ok(vec![vec![4, 3]]));
    // Within a horizon the path takes as many rounds as fit.
    assert_eq!(ask(GAINS, 9, Ends::Goal, &PathQuery::between(0, 3)), Ok(vec![vec![0, 1, 2, 0, 1, 2, 0, 1, 3]]));
    refused(ask(COSTS, 9, Ends::Horizon, &any(0, 1)), &["any length", "ends = horizon", "give a horizon"]);
    assert_eq!(ask(COSTS, 1, Ends::Horizon, &any(0, 3)), Ok(vec![vec![0, 1, 3]]));
    refused(ask(COSTS, 9, Ends::Goal, &PathQuery { search: Search::Viterbi, ..any(0, 3) }), &["Viterbi", "give one"]);
}

#[test]
fn invalid_queries_are_refused() {
    let with = |from: Vec<(usize, f64)>, to: Vec<(usize, f64)>| ask(COSTS, 9, Ends::Goal, &PathQuery::new(from, Some(to)));
    refused(with(vec![(5, 1.0)], vec![(3, 1.0)]), &["from row 0", "state 5 is out of range", "there are 5"]);
    refused(with(vec![(0, 1.0)], vec![(1, 1.0), (7, 1.0)]), &["to row 1", "state 7 is out of range"]);
    refused(with(vec![(0, f64::NAN)], vec![(3, 1.0)]), &["from row 0", "weight is NaN", "finite"]);
    refused(with(vec![(0, 1.0)], vec![(3, -1.0)]), &["to row 0", "weight is -1", "0 or more"]);
    refused(with(vec![(0, 1.0)], vec![(3, f64::INFINITY)]), &["to row 0", "weight is inf"]);
    refused(with(vec![(0, 0.5), (0, 0.5)], vec![(3, 1.0)]), &["from: state 0 is listed twice"]);
    refused(with(vec![], vec![(3, 1.0)]), &["`from` is 0", "at least one state"]);
    refused(with(vec![(0, 1.0)], vec![(3, 0.0)]), &["`to` is 0", "above 0"]);
    refused(ask(COSTS, 9, Ends::Goal, &PathQuery { k: 0, ..PathQuery::between(0, 3) }), &["k is 0", "between 1 and"]);
}

/// The choice of the first state depends on its weight in the query, and on the reward there.
#[test]
fn rewards_and_weights_of_first_states_count() {
    let reward = [-5.0, -1.0, -1.0, -1.0, -1.0];
    let query = PathQuery { k: 9, ..PathQuery::new(vec![(0, 1.0), (4, 1e-3)], Some(vec![(3, 2.0)])) };
    let found = ask(reward, 3, Ends::Goal, &query);
    assert_eq!(found, Ok(vec![vec![0, 1, 3], vec![4, 3]]));
    let found = ask([-9.0, -1.0, -1.0, -1.0, -1.0], 3, Ends::Goal, &query);
    assert_eq!(found, Ok(vec![vec![4, 3], vec![0, 1, 3]]));
}
