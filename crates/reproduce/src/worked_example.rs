//! `worked-example`: every number of the four-state chain's tables, with what is printed wrongly marked.

use revealed::Error as EngineError;
use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use crate::chain::{self, GAMMA, R_S, R_SA, R_SAS};
use crate::error::Error;
use crate::figure::Figure;
use crate::plan::{Plan, Row};
use crate::results::{Record, Results};
use crate::section::{Cell, Number, Section, Table, Verdict};
use crate::stats::shown;

/// Formulas that are printed right come out to this.
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

/// Whether the print is wrong here.
fn is_wrong(row: Record<'_>) -> Result<bool, Error> {
    let (printed, right) = (row.number("printed")?, row.number("right")?);
    Ok((printed - right).abs() > SAME * right.abs().max(1.0))
}

pub(crate) fn section(results: &Results) -> Result<Section, Error> {
    let mut wrong = Vec::new();
    for row in results.rows() {
        if is_wrong(row)? {
            wrong.push(row);
        }
    }
    let count = results.rows().count();
    let mut names: Vec<&str> = results.rows().map(|row| row.text("table")).collect();
    names.dedup();
    let mut tables = vec![errata(&wrong)?];
    for name in names {
        tables.push(table(name, &results.with("table", name).collect::<Vec<_>>())?);
    }
    Ok(Section {
        title: "A worked example, and the same revisited with padding".to_string(),
        paper: "Messages, partition function and marginals of a chain of four states, as symbolic tables, without padding and with it. Both give \
                the same marginals."
            .to_string(),
        ours: format!(
            "With numbers for the rewards, {} of {count} entries come out as printed. {} are printed wrongly, in the backward messages: \
             β stands inside an exponent (erratum 3), or the terminal state has lost its reward (errata 2 and 3). The marginals and Z are \
             printed right, and agree with the right messages only. (The pseudo-code of α, which the tables do not show, mixes the indices \
             t and l: erratum 5.)",
            count - wrong.len(),
            wrong.len()
        ),
        verdict: match wrong.is_empty() {
            true => Verdict::Reproduced("Every entry comes out as printed.".to_string()),
            false => Verdict::Differs(format!(
                "{} entries of the backward messages are printed wrongly; what the paper concludes from them is right.",
                wrong.len()
            )),
        },
        figures: vec![Figure::new(
            "errata",
            "The entries that are printed wrongly, evaluated as printed and as they must be.",
            draw(&wrong)?,
        )],
        tables,
        settings: settings(),
        numbers: vec![Number::new("entries", None, count as f64), Number::new("printed_wrongly", None, wrong.len() as f64)],
    })
}

/// β₃(s3) from the table β_t(s), and so on.
fn symbol(row: Record<'_>) -> String {
    let lowered = |digits: &str| {
        ('1'..='4').zip(['₁', '₂', '₃', '₄']).fold(digits.to_string(), |text, (d, low)| text.replace(d, &low.to_string()))
    };
    let t = lowered(row.text("column").trim_start_matches("t="));
    let name = match row.text("table") {
        "β_{4,t}(s)" => format!("β₄,{t}"),
        _ => format!("β{t}"),
    };
    format!("{name}({})", row.text("row"))
}

/// Why an entry is wrong, from where the paper has it.
fn reason(row: Record<'_>) -> &'static str {
    match (row.text("row"), row.text("column")) {
        ("s4", _) => "the terminal state keeps its reward, and the print has 1 (errata 2 and 3)",
        ("s3", _) => "the factor β of the terminal state is taken for 1 and left out (errata 2 and 3)",
        _ => "β stands inside the exponent and belongs behind it (erratum 3)",
    }
}

fn errata(wrong: &[Record<'_>]) -> Result<Table, Error> {
    let row = |row: &Record<'_>| {
        let words = [symbol(*row), row.text("formula").to_string()].map(Cell::from);
        let numbers = [Cell::marked(shown(row.number("printed")?)), Cell::from(shown(row.number("right")?))];
        Ok(words.into_iter().chain(numbers).chain([Cell::from(reason(*row))]).collect())
    };
    Ok(Table {
        caption: "Entries that are printed wrongly".to_string(),
        header: ["entry", "printed formula", "its value", "right", "why"].map(str::to_string).to_vec(),
        rows: wrong.iter().map(row).collect::<Result<_, Error>>()?,
        note: "A printed formula that refers to other entries is evaluated with those as printed.".to_string(),
    })
}

/// A table as the paper lays it out: states down, times across.
fn table(name: &str, records: &[Record<'_>]) -> Result<Table, Error> {
    let distinct = |column: &str| {
        let mut found: Vec<String> = Vec::new();
        for record in records {
            if found.iter().all(|text| text != record.text(column)) {
                found.push(record.text(column).to_string());
            }
        }
        found
    };
    let (names, mut columns) = (distinct("row"), distinct("column"));
    // The paper counts the time of backward messages downwards.
    if name.starts_with('β') {
        columns.reverse();
    }
    let mut rows = Vec::new();
    for name in &names {
        let mut cells = vec![Cell::from(name.as_str())];
        for column in &columns {
            let record = records.iter().find(|record| record.text("row") == name && record.text("column") == column);
            cells.push(record.map_or(Ok(Cell::from("")), |&record| cell(record))?);
        }
        rows.push(cells);
    }
    let header = [String::new()].into_iter().chain(columns).collect();
    Ok(Table { caption: name.to_string(), header, rows, note: String::new() })
}

fn cell(record: Record<'_>) -> Result<Cell, Error> {
    let (printed, right) = (record.number("printed")?, record.number("right")?);
    Ok(match is_wrong(record)? {
        true => Cell::marked(format!("{} (printed: {})", shown(right), shown(printed))),
        false => Cell::from(shown(right)),
    })
}

fn draw(wrong: &[Record<'_>]) -> Result<Canvas, Error> {
    let series = |name: &str, column: &str, colour| {
        let values = wrong.iter().map(|row| Ok(Interval::exactly(row.number(column)?)));
        Ok::<_, Error>(Bars { name: name.to_string(), colour, values: values.collect::<Result<_, Error>>()? })
    };
    let names: Vec<String> = wrong.iter().map(|row| symbol(*row).replace('(', "\n").replace(')', "")).collect();
    let both = [series("as printed", "printed", VERMILION)?, series("right", "right", BLUE)?];
    Ok(bars("entry", &Axis::linear("value of the message"), &names, &both))
}

fn settings() -> Vec<(String, String)> {
    let list = |values: &[f64]| values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    let all = [
        ("R(s1) … R(s4)", list(&R_S)),
        ("R(s,a)", list(&R_SA)),
        ("R(s,a,s')", list(&R_SAS)),
        ("discount", GAMMA.to_string()),
        ("right values", "messages by the paper's recurrences (Algorithms 1 and 2); Z and marginals by the engine".to_string()),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
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
