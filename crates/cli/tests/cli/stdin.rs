//! `-` is stdin where lines and tables are read, and is refused by name elsewhere.

use crate::helpers::{Place, fixtures, lines};

#[test]
fn demonstrations_and_pairs_come_from_stdin() {
    let place = fixtures::place();
    let same = |from_file: &str, from_stdin: &str| {
        let (file, stdin) = (place.run(from_file).ended(0), place.shell(from_stdin).ended(0));
        assert_eq!(file.stdout, stdin.stdout, "{from_stdin}");
    };
    let score = "score problem.json model.json demos.jsonl";
    same(score, "revealed score problem.json model.json - <demos.jsonl");
    same(score, "cat demos.jsonl | revealed score problem.json model.json -");
    same("check problem.json demos.jsonl", "cat demos.jsonl | revealed check problem.json - | sed s/^-:/demos.jsonl:/");
    place.write("pairs.csv", "from,to\n0,1\n0,2\n");
    place.write("pairs.jsonl", "{\"from\": 0, \"to\": 1}\n{\"from\": 0, \"to\": 2}\n");
    for name in ["pairs.csv", "pairs.jsonl"] {
        place.run(&format!("path problem.json model.json --pairs {name} -o file.jsonl")).ended(0);
        place.shell(&format!("cat {name} | revealed path problem.json model.json --pairs - -o stdin.jsonl")).ended(0);
        assert_eq!(lines(&place.read("file.jsonl")), lines(&place.read("stdin.jsonl")));
    }
    // What is wrong there has its line.
    let ran =
        place.shell("echo '{\"states\": [0, 9], \"actions\": [0]}' | revealed likelihood problem.json - --model model.json");
    ran.refused(&["-: demonstration 0", "9"]);
}

#[test]
fn trips_come_from_stdin() {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv -n 20").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    place.run("roads match city.npz trips.csv -o file.jsonl").ended(0);
    place.shell("cat trips.csv | revealed roads match city.npz - -o stdin.jsonl").ended(0);
    assert_eq!(place.read("file.jsonl"), place.read("stdin.jsonl"));
}

#[test]
fn elsewhere_it_is_refused_by_name() {
    let place = fixtures::place();
    place.run("roads city -o city.osm").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    for line in [
        "learn - demos.jsonl -o new.json",
        "check -",
        "likelihood problem.json demos.jsonl --theta -",
        "marginals problem.json -",
        "roads import - -o new.npz",
        "roads import city.osm -o new.npz --columns -",
        "roads match - trips.csv -o new.jsonl",
    ] {
        place.refuses(line, &["error: -: stdin is read only for demonstrations, samples, pairs and trips", "give a file"]);
    }
    let words = ["error: -: to write the model to stdout, give /dev/stdout"];
    place.refuses("learn problem.json demos.jsonl -o -", &words);
    place.refuses("env frozenlake-4x4 -o -", &["error: -: stdin is read only", "stdout is /dev/stdout"]);
}
