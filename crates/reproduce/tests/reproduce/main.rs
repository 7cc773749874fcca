//! Tests of whole runs.

mod layers;
mod quantities;
mod resuming;
