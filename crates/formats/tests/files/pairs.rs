//! Pairs of states: what is read.

use revealed_formats::{Pair, load_pairs};

fn loaded(name: &str, content: &[u8]) -> Result<Vec<Pair>, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    load_pairs(&path, 10).map_err(|error| error.to_string().replace(&format!("{}/", directory.path().display()), ""))
}

fn pair(from: usize, to: usize, id: Option<&str>) -> Pair {
    Pair { from, to, id: id.map(str::to_string), weight: 1.0 }
}

#[test]
fn tables_and_lines_say_the_same() {
    let expected = Ok(vec![pair(3, 9, Some("a \"b\", c")), pair(0, 0, None)]);
    assert_eq!(loaded("pairs.csv", b"from,to,id\n3,9,\"a \"\"b\"\", c\"\n0,0,\n"), expected);
    assert_eq!(loaded("pairs.CSV", b"\xef\xbb\xbfid, from , to\r\n\"a \"\"b\"\", c\", 3,9\r\n\r\n,0, 0 \r\n"), expected);
    assert_eq!(loaded("pairs.csv", b"from,to,id,note\n3,9,\"a \"\"b\"\", c\",x\n0,0,,\n"), expected);
    assert_eq!(
        loaded("pairs.jsonl", b"{\"from\": 3, \"to\": 9, \"id\": \"a \\\"b\\\", c\"}\n \n{\"to\": 0.0, \"from\": 0}"),
        expected
    );
    assert_eq!(loaded("pairs.jsonl", b"{\"from\": 3, \"to\": 9, \"id\": 17}"), Ok(vec![pair(3, 9, Some("17"))]));
}

#[test]
fn pairs_may_have_weights() {
    let expected = Ok(vec![Pair { weight: 2.5, ..pair(3, 9, None) }, Pair { weight: 0.0, ..pair(0, 0, None) }]);
    assert_eq!(loaded("pairs.csv", b"from,to,weight\n3,9,2.5\n0,0,0\n"), expected);
    assert_eq!(
        loaded("pairs.jsonl", b"{\"from\": 3, \"to\": 9, \"weight\": 2.5}\n{\"from\": 0, \"to\": 0, \"weight\": 0}"),
        expected
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (name, content, expected) in [
        (
            "p.csv",
            "from,to\n1,2\n\n1,99999999999999999999\n",
            "p.csv: line 4: to is \"99999999999999999999\": it must be a state: a whole number, 0 or more",
        ),
        ("p.csv", "from,to\n10,2\n", "p.csv: line 2: from is \"10\": there are 10 states, give one of 0 to 9"),
        ("p.csv", "1,2\n3,4\n", "p.csv: from is missing: it is required (not known: 1, 2)"),
        ("p.csv", "from,to\n1\n", "p.csv: line 2: it has 1 fields where the first line has 2: correct the line"),
        ("p.jsonl", "[1, 2]\n", "p.jsonl: line 1: the document is an array: it must be an object"),
        (
            "p.jsonl",
            "{\"from\": -1, \"to\": 2}\n",
            "p.jsonl: line 1: from is -1: it must be a state: a whole number, 0 or more",
        ),
        ("p.csv", "from,to,weight\n1,2,inf\n", "p.csv: line 2: weight is \"inf\": it must be a finite number, 0 or more"),
        ("p.jsonl", "\n\n", "p.jsonl: the number of pairs is 0: it must be at least 1"),
    ] {
        assert_eq!(loaded(name, content.as_bytes()).unwrap_err(), expected);
    }
}
