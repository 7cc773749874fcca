//! GPS trips, read one at a time: files of any size, in little memory.
//!
//! This module reads the table of the Porto taxis, plain tables and GPX. It uses `files`, `geometry` and `error`, and
//! does not depend on networks. Begin with [`Trips`].

mod gpx;
mod plain;
mod reader;
mod trip;
mod uci;

pub use self::reader::Trips;
pub(crate) use self::trip::hash_of_id;
pub use self::trip::{Fix, Trip};
pub(crate) use self::uci::UCI_SECONDS;
