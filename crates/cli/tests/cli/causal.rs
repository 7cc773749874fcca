//! Causal models: the answers of every command against the soft Bellman recursion.

use serde_json::{Value, json};

use crate::helpers::{Place, close, number, numbers};

/// Rows (from, action, to, p). Action 0 in state 0 and action 1 elsewhere are gambles; state 3 is terminal.
const STEPS: [(usize, usize, usize, f64); 9] = [
    (0, 0, 1, 0.8),
    (0, 0, 2, 0.2),
    (0, 1, 2, 1.0),
    (1, 0, 3, 1.0),
    (1, 1, 0, 0.5),
    (1, 1, 3, 0.5),
    (2, 0, 3, 1.0),
    (2, 1, 1, 0.3),
    (2, 1, 2, 0.7),
];
const THETA: [f64; 2] = [-0.7, -0.4];
/// (states, actions) of the demonstrations.
const DEMOS: [(&[usize], &[usize]); 3] = [(&[0, 1, 3], &[0, 0]), (&[0, 2, 3], &[1, 0]), (&[0, 2, 1, 0, 1], &[0, 1, 1, 0])];
/// π_t(a|s), by state and action.
type Table = [[f64; 2]; 4];

/// A causal model on this world.
struct Model {
    horizon: Option<usize>,
    discount: f64,
}

impl Model {
    /// π_1, …, π_{L-1}; without a horizon the stationary policy alone.
    fn policies(&self, theta: &[f64]) -> Vec<Table> {
        let reward = [theta[0], theta[0], theta[0] + theta[1], 0.0];
        // Far more steps than a loop with a discount or a cost is remembered.
        let mut value = if self.horizon.is_some() { reward } else { [0.0; 4] };
        let mut policies = Vec::new();
        for _ in 1..self.horizon.unwrap_or(20_000) {
            let mut q = [[0.0; 2]; 4];
            STEPS.iter().for_each(|&(from, action, to, p)| q[from][action] += p * self.discount * value[to]);
            let w: Vec<f64> = q[..3].iter().map(|q| (q[0].exp() + q[1].exp()).ln()).collect();
            let mut policy = [[0.0; 2]; 4];
            for state in 0..3 {
                policy[state] = q[state].map(|q| (q - w[state]).exp());
                value[state] = reward[state] + w[state];
            }
            policies.push(policy);
        }
        policies.reverse();
        if self.horizon.is_none() {
            policies.truncate(1);
        }
        policies
    }

    /// π_t.
    fn at(policies: &[Table], t: usize) -> &Table {
        policies.get(t - 1).unwrap_or(&policies[policies.len() - 1])
    }

    fn log_probability(&self, theta: &[f64], states: &[usize], actions: &[usize]) -> f64 {
        Model::log_probability_by(&self.policies(theta), states, actions)
    }

    fn log_probability_by(policies: &[Table], states: &[usize], actions: &[usize]) -> f64 {
        let step = |(k, &action): (usize, &usize)| {
            let (from, to) = (states[k], states[k + 1]);
            let row = STEPS.iter().find(|row| (row.0, row.1, row.2) == (from, action, to)).unwrap();
            (Model::at(policies, k + 1)[from][action] * row.3).ln()
        };
        actions.iter().enumerate().map(step).sum()
    }

    fn mean_log_likelihood(&self, theta: &[f64]) -> f64 {
        DEMOS.iter().map(|(states, actions)| self.log_probability(theta, states, actions)).sum::<f64>() / 3.0
    }

    /// p_1, p_2, … of an episode that is in a state at t, as far as it matters.
    fn visits(&self, state: usize, t: usize) -> Vec<[f64; 4]> {
        let policies = self.policies(&THETA);
        let mut visits = vec![[0.0; 4]];
        visits[0][state] = 1.0;
        for t in t..self.horizon.unwrap_or(2_000) {
            let (now, policy) = (visits[visits.len() - 1], Model::at(&policies, t));
            let mut next = [0.0; 4];
            STEPS.iter().for_each(|&(from, action, to, p)| next[to] += now[from] * policy[from][action] * p);
            visits.push(next);
        }
        visits
    }

    /// Where the episode ends: in state 3, or at the horizon.
    fn endings(&self, state: usize, t: usize) -> [f64; 4] {
        let visits = self.visits(state, t);
        let mut endings = visits[visits.len() - 1];
        endings[3] = visits.iter().map(|at| at[3]).sum();
        endings
    }

    fn mean_length(&self) -> f64 {
        self.visits(0, 1).iter().flatten().sum()
    }
}

/// The world, the demonstrations, and a model file of the last version.
fn place(model: &Model) -> Place {
    let place = Place::new();
    let column = |of: fn(&(usize, usize, usize, f64)) -> Value| STEPS.iter().map(of).collect::<Vec<Value>>();
    place.write_json(
        "ford.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 4, "n_actions": 2, "n_features": 2, "discount": model.discount,
            "start": {"state": [0], "p": [1]}, "terminal": [3],
            "transitions": {
                "from": column(|row| json!(row.0)), "action": column(|row| json!(row.1)), "to": column(|row| json!(row.2)),
                "p": column(|row| json!(row.3)),
            },
            "features": {"state": {"state": [0, 1, 2, 2], "feature": [0, 0, 0, 1], "value": [1, 1, 1, 1]}},
            "reward": {"true": [-1, -0.5]},
        }),
    );
    let line = |(states, actions): &(&[usize], &[usize])| format!("{}\n", json!({"states": states, "actions": actions}));
    place.write("demos.jsonl", DEMOS.iter().map(line).collect::<String>());
    let horizon = model.horizon.map_or(json!("any"), |horizon| json!(horizon));
    place.write_json(
        "model.json",
        &json!({
            "format": "revealed-model/1", "theta": THETA, "horizon": horizon, "ends": "horizon", "inference": "causal",
            "chance": "fixed", "discount": model.discount,
        }),
    );
    place
}

const MODELS: [Model; 3] =
    [Model { horizon: Some(5), discount: 1.0 }, Model { horizon: None, discount: 1.0 }, Model { horizon: None, discount: 0.9 }];

#[test]
fn one_probability_has_one_value_in_every_command() {
    for model in &MODELS {
        let place = place(model);
        let json = |line: &str| place.run(&format!("{line} --json")).json();
        let mean = model.mean_log_likelihood(&THETA);
        let likelihood = json("likelihood ford.json demos.jsonl --model model.json");
        let score = json("score ford.json model.json demos.jsonl");
        let evaluate = json("evaluate ford.json model.json --demos demos.jsonl --discount 0.9");
        let found = [&likelihood["log_likelihood"], &score["log_likelihood"], &evaluate["held_out"]["mean_log_likelihood"]];
        close(&found.map(number), &[mean; 3], 1e-9);
        let horizon = model.horizon.map_or(json!("any"), |horizon| json!(horizon));
        let said = [&likelihood["horizon"], &score["horizon"], &evaluate["held_out"]["horizon"]];
        assert_eq!(said, [&horizon; 3]);
        // Nothing that the agent does not decide is tilted.
        close(&[number(&score["parts"]["luck"])], &[0.0], 1e-12);

        let policies = model.policies(&THETA);
        let policy = json("policy ford.json model.json --t 1");
        let found: Vec<f64> = policy["policy"].as_array().unwrap().iter().map(|row| number(&row[2])).collect();
        close(&found, &policies[0][..3].concat(), 1e-9);
        let marginals = json("marginals ford.json model.json --t 3");
        close(&numbers(&marginals["state"]), &model.visits(0, 1)[2], 1e-9);
        let direct = model.log_probability(&THETA, DEMOS[0].0, DEMOS[0].1).exp();
        let sampled = json("sample ford.json model.json -n 20000 --seed 3 -o drawn.jsonl");
        let times = place.read("drawn.jsonl").lines().filter(|line| line.contains("[0,1,3]")).count();
        // Action 1 in state 1 may lead there as well.
        let detour = model.log_probability(&THETA, &[0, 1, 3], &[0, 1]).exp();
        let p = direct + detour;
        assert!((times as f64 / 20_000.0 - p).abs() < 5.0 * (p * (1.0 - p) / 20_000.0).sqrt(), "{times} of 20000, {p}");
        assert!((number(&sampled["mean_length"]) - model.mean_length()).abs() < 0.1, "{sampled}");
        for (to, all) in [("", 1.0), ("--to 3", model.endings(0, 1)[3])] {
            let paths = json(&format!("path ford.json model.json --from 0 {to} --k 4"));
            let found = paths["paths"].as_array().unwrap();
            let mut before = 1.0;
            for path in found {
                let steps = |name: &str| -> Vec<usize> {
                    path[name].as_array().unwrap().iter().map(|place| place.as_u64().unwrap() as usize).collect()
                };
                let p = model.log_probability(&THETA, &steps("states"), &steps("actions")).exp() / all;
                close(&[number(&path["probability"])], &[p], 1e-9);
                assert!(p <= before + 1e-12, "{paths}");
                before = p;
            }
            assert_eq!(found.len(), 4);
        }
    }
}

#[test]
fn lengths_destinations_and_policies_are_those_of_its_chain() {
    for model in &MODELS {
        let place = place(model);
        let json = |line: &str| place.run(&format!("{line} --json")).json();
        let mean = model.mean_length();
        let lengths = json("lengths ford.json model.json");
        let policy = json("policy ford.json model.json --discount 1");
        let executed = ["paths", "policy"].map(|name| number(&policy[name]["mean_length"]));
        close(&[number(&lengths["mean"]), executed[0], executed[1]], &[mean; 3], 1e-8);
        assert!(lengths["length"].as_array().unwrap().iter().any(|row| row[0] == 3));
        let ranked = json("destinations ford.json model.json --prefix 0,0,1");
        let mut found = [0.0; 4];
        for row in ranked["posterior"].as_array().unwrap() {
            found[row[0].as_u64().unwrap() as usize] = number(&row[1]);
        }
        close(&found, &model.endings(1, 2), 1e-9);
        let steps = place.shell("printf '0\\n0 1\\n' | revealed destinations ford.json model.json --follow --json").ended(0);
        let last: Value = serde_json::from_str(steps.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(last["posterior"], ranked["posterior"]);
    }
}

/// From a state, after a prefix, to an end; and only the first states.
#[test]
fn what_is_known_of_a_path_conditions_it() {
    for model in &MODELS {
        let place = place(model);
        let json = |line: &str| place.run(&format!("{line} --json")).json();
        let from = json("marginals ford.json model.json --from 2 --t 2");
        close(&numbers(&from["state"]), &model.visits(2, 1)[1], 1e-9);
        // Given that it ends in 3: by Bayes' rule.
        let to = json("marginals ford.json model.json --to 3 --t 2");
        let (second, all) = (model.visits(0, 1)[1], model.endings(0, 1)[3]);
        let expected: Vec<f64> = (0..4).map(|state| second[state] * model.endings(state, 2)[3] / all).collect();
        close(&numbers(&to["state"]), &expected, 1e-9);
        let rest = json("lengths ford.json model.json --prefix 0,0,1");
        let remaining: f64 = model.visits(1, 2)[1..].iter().flatten().sum();
        close(&[number(&rest["expected_remaining"])], &[remaining], 1e-8);
        json("sample ford.json model.json -n 200 --prefix 0,1,2 --to 3 -o drawn.jsonl");
        for line in place.read("drawn.jsonl").lines() {
            assert!(line.contains("[0,2,") && line.contains(",3]"), "{line}");
        }
        json("sample ford.json model.json -n 200 --from 2 --states 2 -o drawn.jsonl");
        for line in place.read("drawn.jsonl").lines() {
            let path: Value = serde_json::from_str(line).unwrap();
            assert_eq!((path["states"].as_array().unwrap().len(), &path["states"][0]), (2, &json!(2)), "{line}");
        }
        place.run("sample ford.json model.json --states 0 -o new.jsonl").refused(&["--states is 0"]);
    }
}

#[test]
fn the_gradient_is_that_of_the_objective_that_is_named() {
    for model in &MODELS {
        let place = place(model);
        let ask = |inference: &str| {
            let line = format!("likelihood ford.json demos.jsonl --model model.json --inference {inference}");
            (place.run(&format!("{line} --json")).json(), place.run(&line).ended(0).stdout)
        };
        let (causal, words) = ask("causal");
        let slope = |k: usize| {
            let moved = |step: f64| {
                let mut theta = THETA;
                theta[k] += step;
                model.mean_log_likelihood(&theta)
            };
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        close(&numbers(&causal["gradient"]), &[slope(0), slope(1)], 1e-6);
        assert_eq!(causal["objective"], causal["log_likelihood"]);
        assert!(words.contains("causal; the gradient is that of the log-likelihood of the actions"), "{words}");

        let (dual, words) = ask("causal-dual");
        assert_eq!(dual["log_likelihood"], causal["log_likelihood"]);
        assert!(words.contains("causal-dual; the gradient is that of the dual"), "{words}");
        // Observed less expected visits, discounted.
        let discounted = |visits: &[[f64; 4]]| {
            let mut sums = [0.0; 2];
            for (k, at) in visits.iter().enumerate() {
                let scale = model.discount.powi(k as i32);
                sums[0] += scale * at[..3].iter().sum::<f64>();
                sums[1] += scale * at[2];
            }
            sums
        };
        let one_hot = |&state: &usize| std::array::from_fn(|k| f64::from(k == state));
        let demo = |(states, _): &(&[usize], _)| discounted(&states.iter().map(one_hot).collect::<Vec<_>>());
        let (seen, expected) = (DEMOS.map(|row| demo(&row)), discounted(&model.visits(0, 1)));
        let gap = [0, 1].map(|k| seen.iter().map(|sums| sums[k]).sum::<f64>() / 3.0 - expected[k]);
        close(&numbers(&dual["gradient"]), &gap, 1e-8);
    }
}

#[test]
fn learning_maximises_the_likelihood_of_the_actions() {
    for (model, line) in MODELS.iter().zip(["--horizon 5", "--horizon any", "--horizon any"]) {
        let place = place(model);
        let learned = place
            .run(&format!("learn ford.json demos.jsonl -o learned.json --inference causal {line} --l2 0.01 --json"))
            .json();
        assert_eq!((&learned["chance"], &learned["inference"]), (&json!("fixed"), &json!("causal")), "{learned}");
        assert_eq!((&learned["converged"], learned.get("luck")), (&json!(true), None), "{learned}");
        let theta = numbers(&learned["theta"]);
        let objective =
            |theta: &[f64]| model.mean_log_likelihood(theta) - 0.005 * theta.iter().map(|theta| theta * theta).sum::<f64>();
        close(&[number(&learned["log_likelihood"])], &[model.mean_log_likelihood(&theta)], 1e-9);
        for k in 0..2 {
            for step in [-1e-3, 1e-3] {
                let mut other = theta.clone();
                other[k] += step;
                assert!(objective(&other) < objective(&theta), "{theta:?}, {k}");
            }
        }
        let again = place.run("score ford.json learned.json demos.jsonl --json").json();
        close(&[number(&again["log_likelihood"])], &[number(&learned["log_likelihood"])], 1e-9);
        let folds = format!("cross-validate ford.json demos.jsonl --folds 3 --inference causal {line} --l2 0.5 --json");
        let folds = place.run(&folds).json();
        assert_eq!(folds["inference"], "causal");
        for (index, fold) in folds["fold_of"].as_array().unwrap().iter().enumerate() {
            let fold = &folds["penalties"][0]["folds"][fold.as_u64().unwrap() as usize];
            let (states, actions) = DEMOS[index];
            close(&[number(&fold["held_out"])], &[model.log_probability(&numbers(&fold["theta"]), states, actions)], 1e-8);
        }
    }
}

/// The standard errors are those of the observed information, by differences of the recursion's log-likelihood.
#[test]
fn a_summary_has_the_errors_of_the_likelihood() {
    for (model, horizon) in MODELS.iter().zip(["5", "any", "any"]) {
        let place = place(model);
        place.run("sample ford.json model.json -n 400 --seed 1 -o drawn.jsonl").ended(0);
        let line = format!("learn ford.json drawn.jsonl -o learned.json --inference causal --horizon {horizon}");
        let learned = place.run(&format!("{line} --standard-errors --json")).json();
        let (theta, summary) = (numbers(&learned["theta"]), &learned["summary"]);
        let drawn: Vec<[Vec<usize>; 2]> = (place.read("drawn.jsonl").lines())
            .map(|line| {
                let path: Value = serde_json::from_str(line).unwrap();
                let row = |name: &str| numbers(&path[name]).into_iter().map(|place| place as usize).collect();
                [row("states"), row("actions")]
            })
            .collect();
        let total = |moves: [f64; 2]| -> f64 {
            let policies = model.policies(&[theta[0] + moves[0], theta[1] + moves[1]]);
            drawn.iter().map(|[states, actions]| Model::log_probability_by(&policies, states, actions)).sum()
        };
        close(&[number(&summary["log_likelihood"])], &[total([0.0; 2])], 1e-6);
        let h = 1e-3;
        let second = |k: usize| {
            let along = |step: f64| if k == 0 { [step, 0.0] } else { [0.0, step] };
            (total(along(h)) - 2.0 * total([0.0; 2]) + total(along(-h))) / (h * h)
        };
        let mixed = (total([h, h]) - total([h, -h]) - total([-h, h]) + total([-h, -h])) / (4.0 * h * h);
        let [a, b, c] = [-second(0), -second(1), -mixed];
        let errors = [b, a].map(|other| (other / (a * b - c * c)).sqrt());
        close(&numbers(&summary["standard_errors"]), &errors, 1e-4);
        // The model is true, so that robust errors are near.
        for (robust, usual) in numbers(&summary["robust_standard_errors"]).iter().zip(errors) {
            assert!((robust / usual - 1.0).abs() < 0.3, "{summary}");
        }
        let again = place.run("summary ford.json learned.json drawn.jsonl --json").json();
        assert_eq!(again["summary"], *summary);
        let printed = place.run("summary ford.json learned.json drawn.jsonl").ended(0).stdout;
        let words = "model                 causal (dynamic discrete choice), maximum likelihood of the actions\n";
        assert!(printed.contains(words) && printed.contains("robust s.e."), "{printed}");
    }
}

/// Three rooms in a ring, no end: only the first states of an episode can be drawn, and parts of episodes are evidence.
#[test]
fn episodes_that_never_end() {
    let place = Place::new();
    place.write_json(
        "ring.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 3, "n_actions": 2, "n_features": 1, "discount": 0.9,
            "start": {"state": [0], "p": [1]},
            "transitions": {
                "from": [0, 0, 1, 1, 2, 2], "action": [0, 1, 0, 1, 0, 1], "to": [0, 1, 1, 2, 2, 0], "p": [1, 1, 1, 1, 1, 1],
            },
            "features": {"state": {"state": [2], "feature": [0], "value": [1]}},
        }),
    );
    place.write_json("model.json", &json!({"theta": [1.0], "horizon": "any", "ends": "horizon", "inference": "causal-dual"}));
    place.run("sample ring.json model.json -o parts.jsonl").refused(&["go on for ever", "number of states"]);
    place.run("lengths ring.json model.json").refused(&["go on for ever"]);
    place.run("sample ring.json model.json -n 300 --states 40 --seed 1 -o parts.jsonl").ended(0);
    assert!(place.read("parts.jsonl").lines().all(|line| line.matches(',').count() > 70));
    let line = "learn ring.json parts.jsonl -o learned.json --inference causal --horizon any --json";
    let learned = place.run(line).json();
    let theta = numbers(&learned["theta"])[0];
    assert!((theta - 1.0).abs() < 0.1, "{learned}");
    let visits = place.run("marginals ring.json learned.json --json").json();
    close(&[numbers(&visits["state"]).iter().sum()], &[10.0], 1e-8);
}

#[test]
fn what_a_causal_model_cannot_be_asked_is_refused() {
    let place = place(&MODELS[0]);
    place.write("pairs.csv", "from,to\n0,3\n");
    place.run("path ford.json model.json --pairs pairs.csv").refused(&["--pairs", "causal", "--from and --to"]);
    let mut model = place.read_json("model.json");
    model["chance"] = json!("tilted");
    place.write_json("model.json", &model);
    place.run("marginals ford.json model.json").refused(&["model.json", "chance is \"tilted\"", "\"fixed\"", "causal"]);
    model["inference"] = json!("exact");
    model["chance"] = json!("fixed");
    place.write_json("model.json", &model);
    place.run("marginals ford.json model.json").refused(&["model.json", "chance is \"fixed\"", "\"tilted\"", "not causal"]);
    model["chance"] = json!("luck");
    place.write_json("model.json", &model);
    place.run("marginals ford.json model.json").refused(&["model.json", "chance is \"luck\"", "tilted, fixed"]);
}

/// A model of the last version has no field `chance`, and was learned by the dual.
#[test]
fn models_of_the_last_version_are_read() {
    let place = place(&MODELS[0]);
    let before = place.run("marginals ford.json model.json --t 2 --json").json();
    let mut model = place.read_json("model.json");
    model.as_object_mut().unwrap().remove("chance");
    place.write_json("model.json", &model);
    assert_eq!(place.run("marginals ford.json model.json --t 2 --json").json(), before);
    let likelihood = place.run("likelihood ford.json demos.jsonl --model model.json --json").json();
    assert_eq!(likelihood["inference"], "causal-dual");
}
