//! A quick run of everything but Porto: no section contradicts another or itself, and every formula can be set.

use revealed::Watch;
use revealed_reproduce::{Experiment, Quantity, Section, Settings, run, unknown_commands};

#[test]
fn no_section_contradicts_another_and_every_formula_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let experiments: Vec<Experiment> =
        Experiment::ALL.into_iter().filter(|experiment| *experiment != Experiment::Porto).collect();
    let settings = Settings { quick: true, seed: 1, ..Settings::default() };
    let outcome = run(&experiments, &settings, folder.path(), false, &Watch::none()).unwrap();
    let sections = &outcome.sections;
    assert_eq!(sections.len(), experiments.len());

    let quantities = Quantity::of(sections);
    let contradictions: Vec<String> = quantities.iter().filter_map(Quantity::contradiction).collect();
    assert!(contradictions.is_empty(), "{contradictions:?}");
    // This one is known to be in two sections, so that the test compares something.
    let error = quantities.iter().find(|quantity| quantity.name.contains("FrozenLake4x4 with 50 paths")).unwrap();
    let mut places: Vec<&str> = error.values.iter().map(|(experiment, _)| experiment.name()).collect();
    places.dedup();
    assert_eq!(places, ["reward-recovery", "ziebart"]);
    // Every value says why it may differ, and the page says so, too.
    let page = std::fs::read_to_string(&outcome.index).unwrap();
    for (_, number) in &error.values {
        let remark = number.remark.as_deref().unwrap();
        assert!(page.matches(&remark.replace('\'', "&#x27;")).count() >= 2, "{remark} is not in its section and in the list");
    }

    // All faults at once: a run takes long.
    let mut faults = Vec::new();
    for (experiment, section) in sections {
        let name = experiment.name();
        for text in section.texts() {
            faults.extend(unknown_commands(text).into_iter().map(|command| format!("{name}: {command} in {text}")));
        }
        let strange = not_in_tables(section).into_iter();
        faults.extend(strange.map(|value| format!("{name}: the text has {value}, but no table or number has")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The values `a ± b` of the text that neither a table nor a number of the section has, nor the paper.
fn not_in_tables(section: &Section) -> Vec<String> {
    let mut known: Vec<String> = section.numbers.iter().map(|number| number.shown()).collect();
    known.extend(section.tables.iter().flat_map(|table| table.rows.iter().flatten()).flat_map(|cell| values(&cell.text)));
    known.extend(values(&section.paper));
    let said = [section.ours.as_str(), section.verdict.reason()].into_iter().flat_map(values);
    said.filter(|value| !known.contains(value)).collect()
}

/// The values `a ± b` of a text.
fn values(text: &str) -> Vec<String> {
    let is_number = |letter: char| letter.is_ascii_digit() || ".-".contains(letter);
    let sides: Vec<&str> = text.split(" ± ").collect();
    let value = |pair: &[&str]| {
        let left: String = pair[0].chars().rev().take_while(|&letter| is_number(letter)).collect();
        let right: String = pair[1].chars().take_while(|&letter| is_number(letter)).collect();
        let left: String = left.chars().rev().collect();
        format!("{left} ± {}", right.trim_end_matches('.'))
    };
    sides.windows(2).map(value).filter(|value| !value.starts_with(' ') && !value.ends_with(' ')).collect()
}

#[test]
fn values_are_found_in_text() {
    assert_eq!(values("it is -1.5 ± 0.25. Then 3 ± 2 → 4 ± 1, and ± 5"), ["-1.5 ± 0.25", "3 ± 2", "4 ± 1"]);
}
