//! A made-up city whose drivers have known preferences, so that everything runs without real data.
//!
//! This module draws an OpenStreetMap document, reads it like any other, samples trips and records them as GPS would.
//! It may use every other module. Begin with [`city()`].

mod agreement;
mod build;
mod details;
mod districts;
mod document;
mod ground;
mod junctions;
mod names;
mod preferences;
mod ring;
mod routes;
mod sketch;
mod traces;
mod trips;

pub use self::agreement::Agreement;
pub use self::build::{City, CityOptions, city};
pub use self::traces::{TraceOptions, Traced, trace, traces, write_trips_csv};
