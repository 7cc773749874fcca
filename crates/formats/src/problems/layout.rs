//! The layout of a problem: where its states are drawn.

use revealed::worlds::Layout;

use crate::Fault;
use crate::files::column::{Column, not_finite};
use crate::files::fields::Fields;

/// Reads the layout; `None` if the file has none.
pub(crate) fn read(fields: &mut Fields) -> Result<Option<Layout>, Fault> {
    let (grid, x, y) = (fields.integers("layout.grid")?, fields.floats("layout.x")?, fields.floats("layout.y")?);
    match (grid, x, y) {
        (None, None, None) => Ok(None),
        (Some(grid), None, None) => of_grid(&grid).map(Some),
        (None, Some(x), Some(y)) => Ok(Some(Layout::Points { x, y })),
        (None, Some(_), None) => Err(Fault::missing("layout.y", &[])),
        (None, None, Some(_)) => Err(Fault::missing("layout.x", &[])),
        (Some(_), _, _) => Err(Fault::value("layout", None, "both a grid and points", "either `grid`, or `x` and `y`")),
    }
}

fn of_grid(grid: &[i64]) -> Result<Layout, Fault> {
    let sizes: Option<Vec<usize>> = grid.iter().map(|&size| usize::try_from(size).ok()).collect();
    match sizes.as_deref() {
        Some(&[rows, columns]) => Ok(Layout::Grid { rows, columns }),
        _ => Err(Fault::value("layout.grid", None, format!("{grid:?}"), "[rows, columns]")),
    }
}

/// What does not fit this number of states.
pub(crate) fn faults(layout: &Layout, n_states: usize) -> Vec<Fault> {
    match layout {
        &Layout::Grid { rows, columns } if rows.checked_mul(columns) == Some(n_states) => Vec::new(),
        &Layout::Grid { rows, columns } => vec![Fault::Grid { rows, columns, n_states }],
        Layout::Points { x, y } => {
            let mut faults = Vec::new();
            for (field, column) in [("layout.x", x), ("layout.y", y)] {
                if column.len() != n_states {
                    faults.push(Fault::entries(field, column.len(), n_states, format!("there are {n_states} states")));
                }
                faults.extend(not_finite(field, column));
            }
            faults
        }
    }
}

/// Adds the fields to those of a problem.
pub(crate) fn columns<'a>(layout: &'a Layout, columns: &mut Vec<(String, Column<'a>)>) {
    match layout {
        &Layout::Grid { rows, columns: width } => {
            columns.push(("layout.grid".to_string(), Column::Integers(vec![rows as i64, width as i64].into())));
        }
        Layout::Points { x, y } => {
            columns.push(("layout.x".to_string(), Column::Floats(x.into())));
            columns.push(("layout.y".to_string(), Column::Floats(y.into())));
        }
    }
}
