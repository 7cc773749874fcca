//! What the loaders accept, what the writers write, and the message of every kind of bad file.

mod helpers;

mod answers;
mod bad_demonstrations;
mod bad_models;
mod bad_problems;
mod feature_files;
mod hostile;
mod layers;
mod pairs;
mod partial;
mod round_trips;
