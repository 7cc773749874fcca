//! Files that people give us: their names, and tables in CSV.
//!
//! This module opens tables and names the line of every fault. It uses only `error`. Begin with [`Table`].

mod bounded;
mod name;
mod table;

pub(crate) use self::bounded::Bounded;
pub(crate) use self::name::{extension, lower_case_name, refuse_directory};
pub(crate) use self::table::{Table, line_of};
