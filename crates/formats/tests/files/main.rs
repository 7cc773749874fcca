//! What the loaders accept, what the writers write, and what every kind of bad file is told.

mod bad_demonstrations;
mod bad_models;
mod bad_problems;
mod feature_files;
mod hostile;
mod pairs;
mod round_trips;
mod samples;
