//! What the tables of a problem and their columns are called in a file.

pub(super) const START: TableNames<1> = TableNames { table: "start", index: ["state"], value: "p" };
pub(super) const TRANSITIONS: TableNames<3> = TableNames { table: "transitions", index: ["from", "action", "to"], value: "p" };
pub(super) const STATE: TableNames<2> = TableNames { table: "features.state", index: ["state", "feature"], value: "value" };
pub(super) const STATE_ACTION: TableNames<3> =
    TableNames { table: "features.state_action", index: ["state", "action", "feature"], value: "value" };
pub(super) const TRANSITION: TableNames<2> =
    TableNames { table: "features.transition", index: ["transition", "feature"], value: "value" };
pub(super) const REFERENCE: TableNames<2> = TableNames { table: "reference", index: ["state", "action"], value: "p" };

/// The names of a table and of its columns in a file.
pub(super) struct TableNames<const N: usize> {
    pub(super) table: &'static str,
    pub(super) index: [&'static str; N],
    pub(super) value: &'static str,
}

impl<const N: usize> TableNames<N> {
    /// A column with the name of the table before it.
    pub(super) fn dotted(&self, column: &str) -> String {
        format!("{}.{column}", self.table)
    }

    /// The dotted names of the columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = String> {
        self.index.iter().chain([&self.value]).map(|column| self.dotted(column))
    }
}
