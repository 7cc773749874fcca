//! `revealed report`, and `learn --report`. A browser opens the pages in `tests/command_line/test_report.py`.

use serde_json::{Value, json};

use crate::helpers::Place;
use crate::helpers::fixtures::coin_place;

const LOADED: &str = r#"{"theta": [0.6931471805599453], "horizon": 2, "ends": "terminal", "names": ["left"]}"#;

fn loaded_coin() -> Place {
    let place = coin_place();
    place.write("model.json", LOADED);
    place
}

/// What a page shows.
fn data(place: &Place, page: &str) -> Value {
    let page = place.read(page);
    let begin = page.find("id=\"data\">").unwrap() + 10;
    serde_json::from_str(&page[begin..begin + page[begin..].find("</script>").unwrap()]).unwrap()
}

/// The answer to a question that the page came with.
fn answer(data: &Value, ask: &str) -> Value {
    let rows = data["answers"].as_array().unwrap();
    rows.iter().find(|row| row["question"]["ask"] == ask).unwrap_or_else(|| panic!("{ask} was not asked"))["ok"].clone()
}

#[test]
fn a_page_has_the_answers_of_the_command_line() {
    let place = loaded_coin();
    let ran = place.run("report model.json coin.json demos.jsonl -o page.html --json").json();
    assert_eq!((&ran["page"], ran["bytes"].as_u64()), (&json!("page.html"), Some(place.read("page.html").len() as u64)));
    let data = data(&place, "page.html");
    let scores = place.run("score coin.json model.json demos.jsonl --json").json();
    let found = answer(&data, "scores");
    assert_eq!(found["log_likelihood"], scores["log_likelihood"]);
    assert_eq!(found["demonstrations"][0], scores["demonstrations"][1], "the least likely comes first");
    assert_eq!(answer(&data, "marginals")["state"], place.run("marginals coin.json model.json --json").json()["state"]);
    assert_eq!(answer(&data, "lengths")["length"], place.run("lengths coin.json model.json --json").json()["length"]);
    let fit = place.run("likelihood coin.json demos.jsonl --model model.json --json").json();
    assert_eq!(answer(&data, "fit")["log_likelihood"], fit["log_likelihood"]);
    let policy = place.run("policy coin.json model.json --t 1 --json").json();
    assert_eq!(answer(&data, "policy"), policy);
}

#[test]
fn the_two_files_may_come_in_either_order_and_demonstrations_are_optional() {
    let place = loaded_coin();
    place.run("report model.json coin.json -o one.html").ended(0);
    place.run("report coin.json model.json -o other.html").ended(0);
    assert_eq!(place.read("one.html"), place.read("other.html"));
    assert_eq!(data(&place, "one.html")["files"]["demonstrations"], Value::Null);
}

#[test]
fn learning_writes_a_page_too() {
    let place = loaded_coin();
    let text = place.run("learn coin.json demos.jsonl -o model.json --l2 0.1 --report page.html").ended(0).stdout;
    assert!(text.contains("a page of it is in page.html"), "{text}");
    let written = place.read("page.html");
    place.run("report model.json coin.json demos.jsonl -o again.html").ended(0);
    assert_eq!(written, place.read("again.html"));
    let several = place.run("learn coin.json demos.jsonl coin.json demos.jsonl -o m.json --l2 0.1 --report p.html").ended(2);
    assert!(several.stderr.contains("--report shows one world"), "{several:#?}");
}

#[test]
fn pages_that_cannot_be_written_are_refused_before_the_work() {
    let place = loaded_coin();
    place.refuses("report model.json coin.json -o page.txt", &["page.txt", ".html"]);
    place.refuses("report model.json coin.json -o nowhere/page.html", &["nowhere"]);
    place.refuses("report missing.json coin.json -o page.html", &["missing.json", "check the path"]);
    place.refuses("report model.json coin.json missing.jsonl -o page.html", &["missing.jsonl"]);
    place.refuses("report coin.json coin.json -o page.html", &["theta"]);
    assert!(!place.files().contains_key("page.html"));
}
