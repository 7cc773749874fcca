//! Tests of whole runs.

mod layers;
mod resuming;
