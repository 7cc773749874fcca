//! Tests of whole runs.

mod layers;
mod porto;
mod resuming;
