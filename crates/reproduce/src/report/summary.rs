//! The abstract: what all sections found, in a few sentences.

use super::section::Section;
use super::verdict::Verdict;
use crate::work::Experiment;

/// A sentence on how many experiments agree with the paper.
pub(super) fn overview(sections: &[(Experiment, &Section)]) -> String {
    let of = |is: fn(&Verdict) -> bool| -> Vec<&str> {
        sections.iter().filter(|(_, section)| is(&section.verdict)).map(|(experiment, _)| experiment.name()).collect()
    };
    let groups = [
        (of(|verdict| matches!(verdict, Verdict::Reproduced(_))), ["is reproduced", "are reproduced"]),
        (of(|verdict| matches!(verdict, Verdict::Differs(_))), ["differs", "differ"]),
        (of(|verdict| matches!(verdict, Verdict::NotComparable(_))), ["cannot be compared", "cannot be compared"]),
    ];
    let words = groups.into_iter().filter(|(names, _)| !names.is_empty());
    let words: Vec<String> = words
        .map(|(names, [one, many])| {
            let verb = if names.len() == 1 { one } else { many };
            format!("{} {verb} ({})", names.len(), names.join(", "))
        })
        .collect();
    let [count, noun] = [sections.len().to_string(), plural(sections.len()).to_string()];
    format!("We repeat {count} {noun} of the paper and compare the results with its text. Of these, {}.", joined(&words))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "part" } else { "parts" }
}

/// "a", "a and b", "a, b and c".
fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The first sentence of a verdict.
pub(super) fn finding(section: &Section) -> &str {
    let reason = section.verdict.reason();
    let mut formula = false;
    for (place, letter) in reason.char_indices() {
        match letter {
            '$' => formula = !formula,
            '.' | ':' if !formula && ends_here(&reason[place..]) => return &reason[..=place],
            _ => {}
        }
    }
    reason
}

/// Whether a full stop ends a sentence: a capital, a formula or nothing follows.
fn ends_here(rest: &str) -> bool {
    let after = rest[1..].trim_start();
    let next = after.chars().next();
    rest.starts_with('.') && (after.is_empty() || (after.len() < rest.len() - 1 && next.is_some_and(begins_a_sentence)))
}

fn begins_a_sentence(letter: char) -> bool {
    letter.is_uppercase() || letter == '$' || letter == '"'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(verdict: Verdict) -> Section {
        Section {
            title: String::new(),
            paper: String::new(),
            ours: String::new(),
            verdict,
            figures: Vec::new(),
            tables: Vec::new(),
            settings: Vec::new(),
            numbers: Vec::new(),
        }
    }

    #[test]
    fn the_overview_counts_verdicts() {
        let [yes, no] = [Verdict::Reproduced(String::new()), Verdict::Differs(String::new())].map(section);
        let words = overview(&[(Experiment::Padding, &yes), (Experiment::Ziebart, &no), (Experiment::Porto, &no)]);
        assert!(words.ends_with("Of these, 1 is reproduced (padding) and 2 differ (ziebart, porto)."), "{words}");
    }

    #[test]
    fn a_finding_is_one_sentence_even_with_decimals() {
        for (reason, expected) in [
            ("The error is 55.2 here. It is large.", "The error is 55.2 here."),
            ("One sentence only.", "One sentence only."),
            ("With $x. Y$ it holds. More.", "With $x. Y$ it holds."),
            ("No stop", "No stop"),
            ("For s. 4 it holds. $x$ does not.", "For s. 4 it holds."),
        ] {
            assert_eq!(finding(&section(Verdict::Differs(reason.to_string()))), expected);
        }
    }
}
