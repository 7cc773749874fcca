//! Several models in one table, as papers print them: a column for each model, a row for each parameter.

use std::fmt::Write;

use revealed::shown;

use super::column::TableColumn;
use super::likelihood_ratio::LikelihoodRatio;
use crate::files::csv_cell;
use crate::summaries::table::number;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableStyle {
    /// For a terminal.
    #[default]
    Text,
    /// A `tabular` of LaTeX.
    Latex,
    /// Comma-separated values, with a row for each parameter of each model.
    Csv,
}

impl TableStyle {
    /// All styles.
    pub const ALL: [TableStyle; 3] = [TableStyle::Text, TableStyle::Latex, TableStyle::Csv];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TableStyle::Text => "text",
            TableStyle::Latex => "latex",
            TableStyle::Csv => "csv",
        }
    }

    /// The style with this name.
    pub fn from_name(name: &str) -> Option<TableStyle> {
        TableStyle::ALL.into_iter().find(|style| style.name() == name)
    }
}

/// The table of models. Stars are p-values below 0.05, 0.01 and 0.001.
pub fn side_by_side(columns: &[TableColumn], style: TableStyle) -> String {
    match style {
        TableStyle::Csv => csv(columns),
        TableStyle::Text => text(&cells(columns)),
        TableStyle::Latex => latex(&cells(columns)),
    }
}

impl TableColumn {
    pub(super) fn name(&self, k: usize) -> String {
        shown(&self.names[k]).into_owned()
    }

    /// The number of the parameter with this name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        (0..self.estimates.len()).find(|&k| self.name(k) == name)
    }

    /// The estimate with its stars, and its error or the reason why there is none.
    fn cell(&self, k: usize) -> [String; 2] {
        let stars = stars(self.p_values[k]);
        let below = self.errors[k].map_or_else(|| self.standing[k].clone(), |error| format!("({})", number(error)));
        [number(self.estimates[k]) + stars, below]
    }
}

fn stars(p_value: Option<f64>) -> &'static str {
    match p_value {
        Some(p) if p < 0.001 => "***",
        Some(p) if p < 0.01 => "**",
        Some(p) if p < 0.05 => "*",
        _ => "",
    }
}

/// The names of all parameters, in the order in which they first appear.
fn names(columns: &[TableColumn]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in columns.iter().flat_map(|column| (0..column.estimates.len()).map(|k| column.name(k))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The rows of the table; the first is the head, and an empty one is a rule.
fn cells(columns: &[TableColumn]) -> Vec<Vec<String>> {
    let row = |name: &str, of: &dyn Fn(&TableColumn) -> String| -> Vec<String> {
        std::iter::once(name.to_string()).chain(columns.iter().map(of)).collect()
    };
    let mut rows = vec![row("", &|column| shown(&column.title).into_owned()), Vec::new()];
    for name in names(columns) {
        let part =
            |column: &TableColumn, which: usize| column.place(&name).map_or(String::new(), |k| column.cell(k)[which].clone());
        rows.push(row(&name, &|column| part(column, 0)));
        rows.push(row("", &|column| part(column, 1)));
    }
    rows.push(Vec::new());
    rows.push(row("errors", &|column| column.kind_of_errors.clone()));
    rows.push(row("N", &|column| format!("{}", column.n)));
    rows.push(row("log-likelihood", &|column| format!("{:.3}", column.log_likelihood)));
    let ratios: Vec<Option<LikelihoodRatio>> = columns.iter().map(|column| LikelihoodRatio::new(column, columns)).collect();
    if ratios.iter().any(Option::is_some) {
        let of = |head: &str, cell: &dyn Fn(&LikelihoodRatio) -> String| -> Vec<String> {
            let cells = ratios.iter().map(|ratio| ratio.as_ref().map_or(String::new(), cell));
            std::iter::once(head.to_string()).chain(cells).collect()
        };
        rows.push(of("likelihood ratio", &|ratio| format!("{:.3}{}", ratio.ratio, stars(Some(ratio.p_value)))));
        rows.push(of("", &|ratio| format!("({}, {} df)", shown(&ratio.against), ratio.degrees)));
    }
    rows.push(row("rho-squared", &|column| column.rho_squared.map_or(String::new(), |rho| format!("{rho:.4}"))));
    rows.push(row("AIC", &|column| format!("{:.2}", column.aic)));
    rows.push(row("BIC", &|column| column.bic.map_or(String::new(), |bic| format!("{bic:.2}"))));
    rows
}

fn text(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
    let mut text = String::new();
    for row in rows {
        if row.is_empty() {
            let _ = writeln!(text, "{}", "-".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1)));
            continue;
        }
        let mut line = format!("{:1$}", row[0], widths[0]);
        row[1..].iter().zip(&widths[1..]).for_each(|(cell, width)| _ = write!(line, "  {cell:>width$}"));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(text, "standard errors in parentheses; * p < 0.05, ** p < 0.01, *** p < 0.001");
    text
}

fn latex(rows: &[Vec<String>]) -> String {
    let mut text = format!("\\begin{{tabular}}{{l{}}}\n\\hline\n", "r".repeat(rows[0].len() - 1));
    for row in rows {
        let _ = match row.is_empty() {
            true => writeln!(text, "\\hline"),
            false => writeln!(text, "{} \\\\", row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" & ")),
        };
    }
    let columns = rows[0].len();
    let _ = writeln!(
        text,
        "\\hline\n\\multicolumn{{{columns}}}{{l}}{{standard errors in parentheses; * $p<0.05$, ** $p<0.01$, *** $p<0.001$}} \\\\"
    );
    text + "\\end{tabular}\n"
}

/// A text as LaTeX prints it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', character]),
            '\\' => safe.push_str("\\textbackslash{}"),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '\u{d7}' => safe.push_str("$\\times$"),
            character => safe.push(character),
        }
    }
    safe
}

fn csv(columns: &[TableColumn]) -> String {
    let quoted = |text: &str| format!("\"{}\"", csv_cell(text).replace('"', "\"\""));
    let shown = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut text = "model,parameter,estimate,standard_error,z,p,standing\n".to_string();
    for column in columns {
        for k in 0..column.estimates.len() {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{}",
                quoted(&column.title),
                quoted(&column.name(k)),
                column.estimates[k],
                shown(column.errors[k]),
                shown(column.z_values[k]),
                shown(column.p_values[k]),
                column.standing[k]
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latex_is_safe() {
        assert_eq!(escaped("a_b & 5% \\x"), "a\\_b \\& 5\\% \\textbackslash{}x");
    }
}
