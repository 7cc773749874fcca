//! Tests of whole runs.

mod layers;
mod porto;
mod quantities;
mod resuming;
