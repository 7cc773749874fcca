//! A table of all options: a test keeps it, so that an option has one meaning on every command.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::{Assert, Data};

use crate::Cli;

/// Every option with its meanings, and the commands that have each.
type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn add(table: &mut Table, command: &Command, name: &str) {
    for argument in command.get_arguments().filter(|argument| !argument.is_positional() && !argument.is_global_set()) {
        let meanings = table.entry(flag(argument)).or_default();
        meanings.entry(meaning(argument)).or_default().push(name.to_string());
    }
    for below in command.get_subcommands() {
        add(table, below, format!("{name} {}", below.get_name()).trim());
    }
}

fn flag(argument: &Arg) -> String {
    let long = argument.get_long().map(|long| format!("--{long}"));
    long.or(argument.get_short().map(|short| format!("-{short}"))).expect("an option has a name")
}

/// What the value is called, other names, and the help.
fn meaning(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let mut text: String =
        values.iter().filter(|_| argument.get_action().takes_values()).map(|name| format!("<{name}> ")).collect();
    for alias in argument.get_all_aliases().unwrap_or_default() {
        let _ = write!(text, "(also --{alias}) ");
    }
    text + &argument.get_help().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn every_option_has_one_meaning() {
    let mut table = Table::new();
    add(&mut table, &Cli::command(), "");
    let mut text = String::new();
    for (flag, meanings) in &table {
        let _ = writeln!(text, "{flag}");
        for (meaning, commands) in meanings {
            let _ = writeln!(text, "    {meaning}\n        {}", commands.join(", "));
        }
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/flags.txt");
    Assert::new().action_env(DEFAULT_ACTION_ENV).eq(text, Data::read_from(&kept, None).raw());
}

/// Options whose values differ by design: what is written, a place on a map, and several penalties at once.
const DIFFER: [&str; 5] = ["--output", "--from", "--to", "--l2", "--features"];

#[test]
fn an_option_takes_the_same_value_on_every_command() {
    let mut table = Table::new();
    add(&mut table, &Cli::command(), "");
    for (flag, meanings) in table.iter().filter(|(flag, _)| !DIFFER.contains(&flag.as_str())) {
        let mut values = meanings.keys().map(|meaning| meaning.split_once('>').map(|(value, _)| value));
        let first = values.next();
        assert!(values.all(|value| Some(value) == first), "{flag}: {meanings:#?}");
    }
}
