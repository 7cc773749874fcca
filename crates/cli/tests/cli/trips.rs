//! Columns of trips on the command line: clustered errors, products, the link size, and nested and mixed recursive logits.

use serde_json::json;

use crate::helpers::{Place, close, numbers};

/// Two streets of 100 m and 200 m, and trips of eight drivers of whom six take the first.
fn place() -> Place {
    let place = Place::new();
    place.write_json(
        "roads.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 4, "n_actions": 2, "n_features": 1,
            "start": {"state": [0], "p": [1.0]}, "terminal": [3],
            "transitions": {"from": [0, 0, 1, 2], "action": [0, 1, 0, 0], "to": [1, 2, 3, 3], "p": [1.0, 1.0, 1.0, 1.0]},
            "features": {"state": {"state": [1, 2], "feature": [0, 0], "value": [1.0, 2.0]}, "names": ["length"]},
        }),
    );
    let trip = |at: usize| {
        let (driver, street) = (at % 8, if at % 8 < 6 { 1 } else { 2 });
        let trip = json!({"driver": format!("d{driver}"), "night": usize::from(at < 20)});
        json!({"states": [0, street, 3], "actions": [street - 1, 0], "trip": trip}).to_string() + "\n"
    };
    place.write("trips.jsonl", (0..40).map(trip).collect::<String>());
    place
}

#[test]
fn clustered_errors_are_those_of_drivers() {
    let place = place();
    let learn = "learn roads.json trips.jsonl -o model.json --inference recursive-logit --summary --json";
    let model = place.run(&format!("{learn} --cluster driver")).json();
    let summary = &model["summary"];
    let expected = ((1.0f64 / 6.0 + 1.0 / 2.0) * 8.0 / 7.0).sqrt();
    close(&numbers(&summary["robust_standard_errors"]), &[expected], 1e-6);
    close(&numbers(&summary["z_values"]), &[-3f64.ln() / expected], 1e-5);
    assert_eq!((&summary["cluster"], &summary["n_clusters"]), (&json!("driver"), &json!(8)));
    assert!(summary["notes"].to_string().contains("only 8 clusters"), "{summary}");
    let printed = place.run("summary roads.json model.json trips.jsonl --cluster driver").ended(0).stdout;
    assert!(printed.contains("clusters              8, by driver") && printed.contains("clust. s.e."), "{printed}");
    let robust = place.run("summary roads.json model.json trips.jsonl --errors robust --json").json();
    close(&numbers(&robust["summary"]["z_values"]), &[-3f64.ln() / (1.0f64 / 30.0 + 0.1).sqrt()], 1e-5);

    let refused = place.run(&format!("{learn} --cluster purpose")).ended(1).stderr;
    assert!(refused.contains("trips.jsonl: demonstration 0: its trip has no column purpose: give it one"), "{refused}");
    let refused = place.run(&format!("{learn} --cluster origin-destination")).ended(1).stderr;
    assert!(refused.contains("all demonstrations are in one cluster (origin-destination)"), "{refused}");
    let line = "learn roads.json trips.jsonl -o model.json --errors robust";
    assert!(place.run(line).ended(2).stderr.contains("add --summary"));
}

#[test]
fn products_and_the_link_size_are_features() {
    let place = place();
    place.run("learn roads.json trips.jsonl -o first.json --inference recursive-logit").ended(0);
    let line = "trips roads.json trips.jsonl --product length:night --link-size first.json -o both.npz --paths both.npz";
    assert!(place.run(line).ended(1).stderr.contains("two outputs have this name"));
    let line = "trips roads.json trips.jsonl --product length:night -o both.npz --paths both.jsonl --json";
    let made = place.run(line).json();
    assert_eq!((&made["added"], &made["copies"], &made["n_states"]), (&json!(["length*night"]), &json!(2), &json!(8)));
    let model = place.run("learn both.npz both.jsonl -o both.json --inference recursive-logit --json").json();
    // By day 14 of 20 take the first street, by night 16 of 20.
    let (day, night) = ((14.0f64 / 6.0).ln(), 4f64.ln());
    close(&numbers(&model["theta"]), &[-day, day - night], 1e-5);
    let made =
        place.run("trips roads.json trips.jsonl --link-size first.json -o size.npz --paths size.npz.jsonl --json").json();
    assert_eq!(made["added"], json!(["link size"]));
    place
        .run("learn size.npz size.npz.jsonl -o size.json --inference recursive-logit --bounds -5,5 --summary --cluster driver")
        .ended(0);
    for (line, words) in [
        ("trips roads.json trips.jsonl -o x.npz --paths x.jsonl", "there is nothing to add"),
        (
            "trips roads.json trips.jsonl --product toll:night -o x.npz --paths x.jsonl",
            "there is no feature toll; there are length",
        ),
        ("trips roads.json trips.jsonl --product length -o x.npz --paths x.jsonl", "such as length:night"),
        ("trips roads.json trips.jsonl --product length:driver -o x.npz --paths x.jsonl", "column driver of its trip is d0"),
    ] {
        let refused = place.run(line);
        assert!(refused.stderr.contains(words), "{line}: {}", refused.stderr);
        assert!(!place.path("x.npz").exists() && !place.path("x.jsonl").exists());
    }
}

#[test]
fn nested_logits_are_tested_against_the_plain_one() {
    let place = place();
    let found = place.run("nested roads.json trips.jsonl --discounted -o nested.json --json").json();
    assert_eq!(found["names"], json!(["length", "discount"]));
    assert_eq!(place.read_json("nested.json"), found);
    let printed = place.run("nested roads.json trips.jsonl --scale length -o nested.json").ended(0).stdout;
    assert!(printed.contains("nested recursive logit") && printed.contains("scale:length"), "{printed}");
    let printed = place.run("nested roads.json trips.jsonl --scale length -o nested.json --cluster driver").ended(0).stdout;
    assert!(printed.contains("clusters              8, by driver") && printed.contains("clust. s.e."), "{printed}");
    assert!(place.run("nested roads.json trips.jsonl -o nested.json").ended(2).stderr.contains("give --scale or --discounted"));
    let refused = place.run("nested roads.json trips.jsonl --scale toll -o nested.json").ended(1).stderr;
    assert!(refused.contains("--scale: there is no feature toll; there are length"), "{refused}");
}

/// The trips of thirty drivers, ten each: some take the first street often, and some do not.
fn habits(place: &Place) {
    let trip = |at: usize| {
        let (driver, street) = (at / 10, if at % 10 < 1 + 2 * (at / 10 % 5) { 1 } else { 2 });
        let driver = json!({"driver": format!("d{driver}")});
        json!({"states": [0, street, 3], "actions": [street - 1, 0], "trip": driver}).to_string() + "\n"
    };
    place.write("habits.jsonl", (0..300).map(trip).collect::<String>());
}

#[test]
fn mixed_logits_are_tested_against_the_plain_one() {
    let place = place();
    habits(&place);
    let line = "mixed roads.json habits.jsonl --random length --panel driver --draws 300 -o mixed.json";
    let found = place.run(&format!("{line} --json")).json();
    assert_eq!(found["names"], json!(["length", "sd:length"]));
    assert_eq!((&found["n_travellers"], &found["n_draws"], &found["panel"]), (&json!(30), &json!(9000), &json!("driver")));
    assert_eq!(place.read_json("mixed.json"), found);
    assert!(found["likelihood_ratio"].as_f64().unwrap() > 20.0, "{found}");
    // The same again with another number of threads, and other draws with another seed.
    assert_eq!(place.run(&format!("{line} --json --threads 1")).json(), found);
    let other = place.run(&format!("{line} --json --seed 7")).json();
    assert_ne!(other["parameters"], found["parameters"]);
    close(&numbers(&other["parameters"]), &numbers(&found["parameters"]), 0.01);
    let common = place.run(&(line.replace("300", "500") + " --json --common-draws")).json();
    assert_eq!(common["n_draws"], json!(500));
    close(&numbers(&common["parameters"]), &numbers(&found["parameters"]), 0.02);
    let printed = place.run(&format!("{line} --errors robust")).ended(0).stdout;
    assert!(printed.contains("travellers            30, by driver") && printed.contains("upper bound"), "{printed}");
    let negative = place.run("mixed roads.json habits.jsonl --negative length --draws 20 -o mixed.json --json").json();
    assert_eq!(negative["names"], json!(["log:length", "sd:length"]));

    for (line, code, words) in [
        ("mixed roads.json habits.jsonl -o x.json", 2, "give --random, --positive or --negative"),
        ("mixed roads.json habits.jsonl --random toll -o x.json", 1, "--random: there is no feature toll; there are length"),
        ("mixed roads.json habits.jsonl --random length,0 -o x.json", 1, "feature 0 is random twice"),
        ("mixed roads.json habits.jsonl --random length --draws 0 -o x.json", 1, "the number of draws is 0"),
        ("mixed roads.json habits.jsonl --random length --panel hour -o x.json", 1, "its trip has no column hour"),
    ] {
        let refused = place.run(line).ended(code).stderr;
        assert!(refused.contains(words) && !place.path("x.json").exists(), "{line}: {refused}");
    }
    // It is no model of one theta.
    let refused = place.run("summary roads.json mixed.json habits.jsonl").ended(1).stderr;
    assert!(refused.contains("it is a mixed recursive logit, which only `table` reads"), "{refused}");
}

#[test]
fn nested_and_mixed_models_stand_beside_the_others() {
    let place = place();
    place.run("learn roads.json trips.jsonl -o plain.json --inference recursive-logit --summary").ended(0);
    place.run("nested roads.json trips.jsonl --discounted -o nested.json").ended(0);
    // No driver ever changes the street: the likelihood increases with the spread up to its bound.
    let mixed = place.run("mixed roads.json trips.jsonl --random length --panel driver --draws 20 -o mixed.json --json").json();
    assert_eq!(mixed["standing"][1], json!("at bound"), "{mixed}");
    let text = place.run("table plain.json nested.json mixed.json").ended(0).stdout;
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed.starts_with("plain nested mixed") && squeezed.contains("sd:length"), "{text}");
    for (file, what) in [("nested.json", "a nested or discounted recursive logit"), ("mixed.json", "a mixed recursive logit")] {
        let refused = place.run(&format!("score roads.json {file} trips.jsonl")).ended(1).stderr;
        let remedy = "learn it with --inference recursive-logit";
        assert!([file, what, "only `table` reads", remedy].iter().all(|part| refused.contains(part)), "{refused}");
    }
    // The discounted model is tested against the plain one, as its own report does.
    let ratio = place.read_json("nested.json")["likelihood_ratio"].as_f64().unwrap().max(0.0);
    assert!(squeezed.contains("likelihood ratio ") && squeezed.contains("(plain, 1 df)"), "{text}");
    assert!(squeezed.contains(&format!("likelihood ratio {ratio:.3}")), "{ratio} {text}");
    let mut broken = place.read_json("mixed.json");
    broken["z_values"] = json!([1.0]);
    place.write_json("broken.json", &broken);
    let refused = place.run("table plain.json broken.json").ended(1).stderr;
    assert!(refused.contains("broken.json: z_values has 1 entries, but parameters has 2: give it 2"), "{refused}");
}

#[test]
fn models_are_printed_side_by_side() {
    let place = place();
    place.run("learn roads.json trips.jsonl -o plain.json --inference recursive-logit --summary").ended(0);
    place.run("learn roads.json trips.jsonl -o by_driver.json --inference recursive-logit --summary --cluster driver").ended(0);
    let text = place.run("table plain.json by_driver.json").ended(0).stdout;
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        squeezed(&text).contains("plain by_driver") && squeezed(&text).contains("length -1.09861** -1.09861 (0.365148)"),
        "{text}"
    );
    assert!(squeezed(&text).contains("errors model driver N 40 40"), "{text}");
    let latex = place.run("table plain.json by_driver.json --style latex").ended(0).stdout;
    assert!(latex.starts_with("\\begin{tabular}{lrr}\n\\hline\n & plain & by\\_driver \\\\\n"), "{latex}");
    place.run("table plain.json by_driver.json --style csv -o table.csv").ended(0);
    let csv = std::fs::read_to_string(place.path("table.csv")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("model,parameter,estimate,standard_error,z,p,standing"));
    assert!(lines.next().is_some_and(|line| line.starts_with("\"plain\",\"length\",-1.09861")), "{csv}");
    place.run("learn roads.json trips.jsonl -o bare.json --inference recursive-logit").ended(0);
    let refused = place.run("table plain.json bare.json").ended(1).stderr;
    assert!(refused.contains("bare.json: it has no standard errors: learn it with --summary"), "{refused}");
}
