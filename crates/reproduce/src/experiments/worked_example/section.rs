//! The section of the report on `worked-example`.

use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};

use super::SAME;
use super::chain::{GAMMA, R_S, R_SA, R_SAS};
use super::picture::{chain, padded_chain};
use crate::error::Error;
use crate::folder::{Record, Results};
use crate::report::{Cell, Figure, Number, Section, Table, Verdict, named, plain};
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
             are misprinted: $\\beta$ is inside an exponent (erratum 3), or the reward of the terminal state is missing (errata 2 and 3). The marginals \
             and $Z$ are printed correctly, and agree only with the corrected messages. (The pseudo-code of $\\alpha$, which the tables do not show, \
             confuses the indices $t$ and $l$: erratum 5.)",
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
        figures: vec![
            Figure::new(
                "chain",
                "The chain: four states and one action $a$. It begins in $s_1$ and ends in $s_4$ (double circle).",
                chain(),
            )
            .of_paper("fig:linear-mdp"),
            Figure::new(
                "padded-chain",
                "The chain after padding. What was added is dashed and grey: the action $a_a$ leads from every state to $s_a$, \
                 which is never left. $s_4$ is no longer terminal, and $a$ leads from it to $s_a$, too, with a reward of $-\\infty$.",
                padded_chain(),
            )
            .of_paper("fig:linear-mdp-padded"),
            Figure::new("errata", "The misprinted entries: the value as printed, and the right value.", draw(&wrong)?),
        ],
        tables,
        settings: settings(),
        numbers: vec![Number::new("entries", None, count as f64), Number::new("printed_wrongly", None, wrong.len() as f64)],
    })
}

/// A formula of the table of results in LaTeX: s1 has an index, and γ² a power.
fn latex(formula: &str) -> String {
    let indices = (1..=4).fold(formula.to_string(), |text, i| text.replace(&format!("s{i}"), &format!("s_{i}")));
    format!("${}$", indices.replace("exp", "\\exp").replace('²', "^2").replace('³', "^3"))
}

/// β_3(s3) from the table β_t(s), and so on.
fn symbol(row: Record<'_>) -> String {
    let t = row.text("column").trim_start_matches("t=");
    latex(&match row.text("table") {
        "β_{4,t}(s)" => format!("β_{{4,{t}}}({})", row.text("row")),
        _ => format!("β_{t}({})", row.text("row")),
    })
}

/// Why an entry is wrong, from its place in the table.
fn reason(row: Record<'_>) -> &'static str {
    match (row.text("row"), row.text("column")) {
        ("s4", _) => "the paper prints 1, without the reward of the terminal state (errata 2 and 3)",
        ("s3", _) => "the factor $\\beta$ of the terminal state is missing (errata 2 and 3)",
        _ => "$\\beta$ is inside the exponent, but must be a factor after it (erratum 3)",
    }
}

fn errata(wrong: &[Record<'_>]) -> Result<Table, Error> {
    let row = |row: &Record<'_>| {
        let words = [symbol(*row), latex(row.text("formula"))].map(Cell::from);
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
        let mut cells = vec![Cell::from(latex(name))];
        for column in &columns {
            let record = records.iter().find(|record| record.text("row") == name && record.text("column") == column);
            cells.push(record.map_or(Ok(Cell::from("")), |&record| cell(record))?);
        }
        rows.push(cells);
    }
    let header = [String::new()].into_iter().chain(columns.iter().map(|column| header_of(column))).collect();
    Ok(Table { caption: caption(name), header, rows, note: String::new(), of_paper: None })
}

/// The name of a table: a formula, words, or both with a comma between.
fn caption(name: &str) -> String {
    let formula = |part: &str| if part.contains('(') { latex(part) } else { part.to_string() };
    name.split(", ").map(formula).collect::<Vec<_>>().join(", ")
}

/// `t=3` is a formula, and `value` is a word.
fn header_of(column: &str) -> String {
    if column.contains('=') { latex(column) } else { column.to_string() }
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
    let names: Vec<String> = wrong.iter().map(|row| plain(&symbol(*row)).replace('(', "\n").replace(')', "")).collect();
    let both = [series("as printed", "printed", VERMILION)?, series("right", "right", BLUE)?];
    Ok(bars("entry", &Axis::linear("value of the message"), &names, &both))
}

fn settings() -> Vec<(String, String)> {
    let list = |values: &[f64]| values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    named([
        ("$R(s_1), \\dots, R(s_4)$", list(&R_S)),
        ("$R(s_i,a)$", list(&R_SA)),
        ("$R(s_i,a,s_{i+1})$", list(&R_SAS)),
        ("discount $\\gamma$", GAMMA.to_string()),
        (
            "right values",
            "messages by the paper's recurrences (Algorithms 1 and 2); $Z$ and marginals by the engine".to_string(),
        ),
    ])
}
