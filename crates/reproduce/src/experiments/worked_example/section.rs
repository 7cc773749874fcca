//! The section of the report on `worked-example`.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use super::SAME;
use super::chain::{GAMMA, R_S, R_SA, R_SAS};
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Cell, Figure, Number, Section, Table, Verdict, named};
use crate::statistics::shown;

/// Whether the printed entry is wrong.
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
            "We evaluate the tables with numbers for the rewards. {} of {count} entries are printed correctly. {} entries of the backward messages \
             are misprinted: β is inside an exponent (erratum 3), or the reward of the terminal state is missing (errata 2 and 3). The marginals \
             and Z are printed correctly, and agree only with the corrected messages. (The pseudo-code of α, which the tables do not show, \
             confuses the indices t and l: erratum 5.)",
            count - wrong.len(),
            wrong.len()
        ),
        verdict: match wrong.is_empty() {
            true => Verdict::Reproduced("Every entry is printed correctly.".to_string()),
            false => Verdict::Differs(format!(
                "{} entries of the backward messages are misprinted. The paper's conclusions from them are right.",
                wrong.len()
            )),
        },
        figures: vec![Figure::new(
            "errata",
            "The misprinted entries: the value as printed, and the right value.",
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

/// Why an entry is wrong, from its place in the table.
fn reason(row: Record<'_>) -> &'static str {
    match (row.text("row"), row.text("column")) {
        ("s4", _) => "the paper prints 1, without the reward of the terminal state (errata 2 and 3)",
        ("s3", _) => "the factor β of the terminal state is missing (errata 2 and 3)",
        _ => "β is inside the exponent, but must be a factor after it (erratum 3)",
    }
}

fn errata(wrong: &[Record<'_>]) -> Result<Table, Error> {
    let row = |row: &Record<'_>| {
        let words = [symbol(*row), row.text("formula").to_string()].map(Cell::from);
        let numbers = [Cell::marked(shown(row.number("printed")?)), Cell::from(shown(row.number("right")?))];
        Ok(words.into_iter().chain(numbers).chain([Cell::from(reason(*row))]).collect())
    };
    Ok(Table::new(
        "Misprinted entries",
        &["entry", "printed formula", "its value", "right", "why"],
        wrong.iter().map(row).collect::<Result<_, Error>>()?,
        "A printed formula that refers to other entries is evaluated with those as printed.",
    ))
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
    Ok(Table { caption: name.to_string(), header, rows, note: String::new(), of_paper: None })
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
        Ok::<_, Error>(Bars::new(name, colour, values.collect::<Result<_, Error>>()?))
    };
    let names: Vec<String> = wrong.iter().map(|row| symbol(*row).replace('(', "\n").replace(')', "")).collect();
    let both = [series("as printed", "printed", VERMILION)?, series("right", "right", BLUE)?];
    Ok(bars("entry", &Axis::linear("value of the message"), &names, &both))
}

fn settings() -> Vec<(String, String)> {
    let list = |values: &[f64]| values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    named([
        ("R(s1) … R(s4)", list(&R_S)),
        ("R(s,a)", list(&R_SA)),
        ("R(s,a,s')", list(&R_SAS)),
        ("discount", GAMMA.to_string()),
        ("right values", "messages by the paper's recurrences (Algorithms 1 and 2); Z and marginals by the engine".to_string()),
    ])
}
