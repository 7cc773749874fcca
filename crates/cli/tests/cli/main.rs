//! The command `revealed` as a user meets it: every test starts the program. Signals, permissions and terminals are
//! those of Unix.
#![cfg(unix)]

mod helpers;

mod bad_files;
mod bad_input;
mod baselines;
mod bench;
mod causal;
mod check;
mod compare;
mod counterfactual;
mod cross_validate;
mod demo;
mod destinations;
mod environments;
mod failing_stderr;
mod fill_in;
mod full_disk;
mod help;
mod histories;
mod hostile_names;
mod huge_rewards;
mod layers;
mod learned_model;
mod learning;
mod lengths;
mod likelihood;
mod links;
mod many_worlds;
mod marginals;
mod matching;
mod messages;
mod model_free;
mod odd_files;
mod pairs;
mod partial;
mod path;
mod planning;
mod policy;
mod recursive_logit;
mod report;
mod reproduce;
mod same_bits;
mod sampling;
mod score;
mod signals;
mod stdin;
mod stdout_and_exit_codes;
mod summary;
mod temporary_files;
mod threads;
mod trips;
