//! `worked-example`: every number of the four-state chain's tables, with misprints marked.

mod chain;
mod picture;
mod section;

use revealed::Error as EngineError;

use crate::work::{Plan, Row};

pub(crate) use section::section;

/// The relative tolerance within which a printed formula counts as right.
const SAME: f64 = 1e-12;

pub(crate) fn plan() -> Plan {
    Plan {
        version: 1,
        cases: vec!["chain".to_string()],
        repeats: 1,
        seeded: false,
        alone: false,
        columns: &["table", "row", "column", "formula", "printed", "right"],
        timings: &[],
    }
}

pub(crate) fn work() -> Result<Vec<Row>, EngineError> {
    let entries = chain::entries()?.into_iter();
    let row = |entry: chain::Entry| {
        let (printed, right) = (entry.printed.to_string(), entry.right.to_string());
        Row {
            cells: vec![entry.table.to_string(), entry.row, entry.column, entry.formula, printed, right],
            seconds: Vec::new(),
        }
    };
    Ok(entries.map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_entries_are_printed_wrongly_and_no_others() {
        let entries = chain::entries().unwrap();
        let wrong = entries.iter().filter(|entry| (entry.printed - entry.right).abs() > SAME * entry.right.abs().max(1.0));
        let places: Vec<String> = wrong.map(|entry| format!("{} {} {}", entry.table, entry.row, entry.column)).collect();
        let expected = [
            "β_{4,t}(s) s1 t=4",
            "β_t(s), padded s4 t=2",
            "β_t(s), padded s3 t=3",
            "β_t(s), padded s4 t=3",
            "β_t(s), padded s1 t=4",
            "β_t(s), padded s2 t=4",
            "β_t(s), padded s3 t=4",
            "β_t(s), padded s4 t=4",
        ];
        assert_eq!(places, expected);
        // 16 of α, 4 + 8 + 12 + 16 of β, 20 of the padded β, Z, and twice ten marginals.
        assert_eq!(entries.len(), 16 + 40 + 20 + 1 + 20);
    }
}
