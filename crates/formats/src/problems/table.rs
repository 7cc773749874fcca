//! A table of a problem: index columns and one column of numbers, all of the same length.

use super::names::TableNames;
use crate::Fault;
use crate::files::column::{Column, negative};
use crate::files::fields::Fields;

/// `N` columns of indices and one of numbers, as they are in a file, not yet checked.
///
/// The indices are in the order of the file format: `transitions` is `[from, action, to]` and `p`.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<const N: usize> {
    /// The columns of indices.
    pub index: [Vec<i64>; N],
    /// The column of numbers: `p` or `value`.
    pub value: Vec<f64>,
}

impl<const N: usize> Default for Table<N> {
    fn default() -> Self {
        Table { index: std::array::from_fn(|_| Vec::new()), value: Vec::new() }
    }
}

impl<const N: usize> Table<N> {
    /// Adds a row.
    pub fn push(&mut self, index: [usize; N], value: f64) {
        for (column, index) in self.index.iter_mut().zip(index) {
            column.push(index as i64);
        }
        self.value.push(value);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The rows of a table that was checked, as by [`ProblemColumns::build`](crate::ProblemColumns::build).
    ///
    /// # Panics
    /// If the columns are not of one length.
    pub fn rows(&self) -> impl Iterator<Item = ([usize; N], f64)> + '_ {
        (0..self.len()).map(|row| (std::array::from_fn(|column| self.index[column][row] as usize), self.value[row]))
    }

    /// Reads the table; without `required` it may be absent, but only as a whole.
    pub(super) fn read(fields: &mut Fields, names: &TableNames<N>, required: bool) -> Result<Self, Fault> {
        let mut index = Vec::with_capacity(N);
        for column in names.index {
            index.push(fields.integers(&names.dotted(column))?);
        }
        let value = fields.floats(&names.dotted(names.value))?;
        if !required && value.is_none() && index.iter().all(Option::is_none) {
            return Ok(Table::default());
        }
        let missing = |column| Fault::missing(&names.dotted(column), &[]);
        let mut table = Table { value: value.ok_or_else(|| missing(names.value))?, ..Table::default() };
        for (place, (column, name)) in index.into_iter().zip(names.index).enumerate() {
            table.index[place] = column.ok_or_else(|| missing(name))?;
        }
        Ok(table)
    }

    /// The columns under their dotted names.
    pub(super) fn columns<'a>(&'a self, names: &TableNames<N>, columns: &mut Vec<(String, Column<'a>)>) {
        for (name, column) in names.index.iter().zip(&self.index) {
            columns.push((names.dotted(name), Column::Integers(column.into())));
        }
        columns.push((names.dotted(names.value), Column::Floats((&self.value).into())));
    }

    /// The same for a table that may be absent.
    pub(super) fn columns_unless_empty<'a>(&'a self, names: &TableNames<N>, columns: &mut Vec<(String, Column<'a>)>) {
        if !self.is_empty() {
            self.columns(names, columns);
        }
    }

    /// Columns of different lengths, and negative indices.
    pub(super) fn faults(&self, names: &TableNames<N>) -> Vec<Fault> {
        let mut faults = Vec::new();
        let (first, first_length) = (names.dotted(names.index[0]), self.index[0].len());
        let others = names.index.iter().zip(&self.index).map(|(&name, column)| (name, column.len()));
        for (name, length) in others.chain([(names.value, self.value.len())]) {
            if length != first_length {
                let second = names.dotted(name);
                faults.push(Fault::Lengths { first: first.clone(), first_length, second, second_length: length });
            }
        }
        for (name, column) in names.index.iter().zip(&self.index) {
            faults.extend(negative(&names.dotted(name), column));
        }
        faults
    }

    /// Indices past the end and numbers that are not finite, for a table without [faults](Self::faults).
    pub(super) fn out_of_range(&self, names: &TableNames<N>, counts: [usize; N]) -> Vec<Fault> {
        let mut faults = Vec::new();
        let table = names.table;
        for (row, (indices, value)) in self.rows().enumerate() {
            for ((index, count), what) in indices.into_iter().zip(counts).zip(names.index) {
                if index >= count {
                    faults.push(revealed::Error::OutOfRange { table, row, what, index, count }.into());
                }
            }
            if !value.is_finite() {
                let (what, expected) = (names.value, "a finite number");
                faults.push(revealed::Error::BadNumber { table, row, what, value, expected }.into());
            }
        }
        faults
    }
}
