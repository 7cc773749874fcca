//! The command `revealed` as a user meets it: every test starts the program. Signals, permissions and terminals are
//! those of Unix.
#![cfg(unix)]

mod bad_files;
mod bad_input;
mod baselines;
mod chain;
mod contract;
mod cross_validate;
mod demo;
mod destinations;
mod environments;
mod full_disk;
mod help;
mod learning;
mod lengths;
mod model_free;
mod pairs;
mod path;
mod place;
mod planning;
mod policy;
mod recursive_logit;
mod reproduce;
mod roads;
mod same_bits;
mod sampling;
mod score;
mod sound;
mod summary;
