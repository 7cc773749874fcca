//! Messages that cannot be written are dropped: the work goes on, and exit codes hold.

use revealed_formats::Model;

use crate::helpers::fixtures::{self, coin_place};

/// Ways of losing stderr: a full device, a reader that has gone, no stderr at all.
fn without_stderr(command: &str) -> [String; 3] {
    [
        format!("{command} 2>/dev/full; echo $?"),
        format!("{{ {command}; echo $? >code; }} 2>&1 | true; cat code; rm code"),
        format!("{command} 2>&-; echo $?"),
    ]
}

#[test]
fn a_failing_stderr_does_not_stop_the_work() {
    for line in without_stderr("revealed learn coin.json demos.jsonl -o model.json --ends terminal --resume >/dev/null") {
        let place = coin_place();
        // `--resume` has something to say before the work begins.
        let ran = place.shell(&line);
        assert_eq!(ran.stdout.trim(), "0", "{ran:#?}");
        let model = Model::load(place.path("model.json")).unwrap();
        assert_eq!(model.converged, Some(true), "{line}");
        assert_eq!(place.files().len(), 3, "{line}: a checkpoint is left");
    }
}

#[test]
fn exit_codes_hold_without_stderr() {
    for (command, code) in [("revealed check nofile.json", "1"), ("revealed check", "2"), ("revealed check problem.json", "0")]
    {
        for line in without_stderr(&format!("{command} >/dev/null")) {
            let ran = fixtures::place().shell(&line);
            assert_eq!(ran.stdout.trim(), code, "{ran:#?}");
        }
    }
}

#[test]
fn neither_stdout_nor_stderr_is_needed_for_a_file() {
    let place = coin_place();
    let ran = place.shell("revealed learn coin.json demos.jsonl -o model.json --ends terminal >&- 2>&-; echo $? > code");
    assert_eq!((ran.code, place.read("code").trim()), (Some(0), "0"), "{ran:#?}");
    Model::load(place.path("model.json")).unwrap();
}
