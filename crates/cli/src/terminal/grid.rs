//! Numbers on a grid, as coloured cells.

use std::fmt::Write;

use super::stdout::colours;

/// Values of a grid with a title, drawn row by row.
pub struct Grid<'a> {
    /// Above the grid.
    pub title: &'a str,
    /// How many columns it has.
    pub columns: usize,
    /// Row by row; `None` is left empty.
    pub values: &'a [Option<f64>],
    /// A letter for each cell, such as S or G; a blank if there is none.
    pub marks: &'a [char],
}

const CELL: usize = 9;
const GAP: &str = "    ";
const WIDEST: usize = 20;
const TALLEST: usize = 100;

/// Whether a grid fits on a screen.
pub fn fits(rows: usize, columns: usize) -> bool {
    columns <= WIDEST && rows <= TALLEST
}

/// Draws one grid, in colours where stdout shows them.
pub fn single(title: &str, columns: usize, values: &[Option<f64>]) -> String {
    side_by_side(&[Grid { title, columns, values, marks: &[] }], colours())
}

/// Draws grids of the same shape side by side. Blue is low, red is high, white is 0.
pub fn side_by_side(grids: &[Grid<'_>], colour: bool) -> String {
    let mut text = String::new();
    for grid in grids {
        let _ = write!(text, "{:<width$}{GAP}", grid.title, width = CELL * grid.columns);
    }
    text = text.trim_end().to_string() + "\n";
    let rows = grids.iter().map(|grid| grid.values.len().div_ceil(grid.columns.max(1))).max().unwrap_or(0);
    for row in 0..rows {
        for (at, grid) in grids.iter().enumerate() {
            let most = grid.values.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
            for column in 0..grid.columns {
                let cell = row * grid.columns + column;
                let value = grid.values.get(cell).copied().flatten();
                cell_text(&mut text, value, grid.marks.get(cell).copied().unwrap_or(' '), most, colour);
            }
            text.push_str(if at + 1 < grids.len() { GAP } else { "" });
        }
        text = text.trim_end_matches(' ').to_string() + "\n";
    }
    text
}

fn cell_text(text: &mut String, value: Option<f64>, mark: char, most: f64, colour: bool) {
    let Some(value) = value else {
        let _ = write!(text, "{:CELL$}", "");
        return;
    };
    let number = format!("{value:.2}");
    if colour {
        let [red, green, blue] = shade(if most > 0.0 { value / most } else { 0.0 });
        let _ = write!(text, "\x1b[48;2;{red};{green};{blue}m\x1b[30m{mark}{number:>width$} \x1b[0m", width = CELL - 2);
    } else {
        let _ = write!(text, "{mark}{number:>width$} ", width = CELL - 2);
    }
}

/// A diverging scale that colour-blind people can read: blue, white, orange-red.
fn shade(share: f64) -> [u8; 3] {
    let end = if share < 0.0 { [67.0, 147.0, 195.0] } else { [230.0, 97.0, 1.0] };
    let weight = share.abs().min(1.0).sqrt();
    std::array::from_fn(|channel| (245.0 + weight * (end[channel] - 245.0)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_grids_stand_side_by_side() {
        let values = [Some(0.0), Some(-1.5), None, Some(10.0)];
        let grid = |title| Grid { title, columns: 2, values: &values, marks: &['S', ' ', ' ', 'G'] };
        let text = side_by_side(&[grid("one"), grid("two")], false);
        let expected = "one                   two\n\
                        S   0.00    -1.50     S   0.00    -1.50\n         \
                        G  10.00              G  10.00\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn colours_go_from_blue_to_red() {
        assert_eq!(shade(0.0), [245, 245, 245]);
        assert!(shade(-1.0)[2] > shade(-1.0)[0] && shade(1.0)[0] > shade(1.0)[2]);
    }
}
