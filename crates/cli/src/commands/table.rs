//! `revealed table`: several models side by side, as papers print them.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use revealed_formats::{TableColumn, TableStyle, atomic, side_by_side};
use serde_json::json;

use crate::args::choice::choice;
use crate::files::output_file::check_output;
use crate::terminal::{Failure, Output};

/// Print several models side by side, as text, LaTeX or CSV
#[derive(Args)]
#[command(after_help = "Example:\n  revealed table model.json model.json --style latex")]
pub struct TableArgs {
    /// Model files with standard errors (`learn --summary`), and those of `nested` and `mixed`
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// How it is written
    #[arg(long, value_parser = style(), default_value = "text")]
    style: TableStyle,
    /// Where to write it, in place of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn style() -> impl TypedValueParser<Value = TableStyle> {
    choice(&TableStyle::ALL, TableStyle::name, |style| match style {
        TableStyle::Text => "For a terminal",
        TableStyle::Latex => "A tabular of LaTeX",
        TableStyle::Csv => "A row for each parameter of each model",
    })
}

/// Reads the models and prints or writes the table.
pub fn run(args: &TableArgs, output: Output) -> Result<(), Failure> {
    if let Some(file) = &args.output {
        check_output(file, &args.models.iter().map(PathBuf::as_path).collect::<Vec<_>>(), "the table")?;
    }
    let column = |file: &PathBuf| {
        let none = || Failure::in_file(file, "it has no standard errors: learn it with --summary");
        TableColumn::load(file)?.ok_or_else(none)
    };
    let columns = args.models.iter().map(column).collect::<Result<Vec<_>, Failure>>()?;
    let table = side_by_side(&columns, args.style);
    let Some(file) = &args.output else { return output.print(&table, &json!({ "table": table })) };
    atomic::write(file, |writer| writer.write_all(table.as_bytes()))?;
    let shown = file.display().to_string();
    output.print(&format!("written to {shown}\n"), &json!({ "table": table, "file": shown }))
}
