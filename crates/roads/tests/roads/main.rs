//! The tests of road networks, in the order of the rooms. Those that need data that is not in this repository are in
//! `tests/real_data.rs`.

mod helpers;

mod layers;

mod chains;
mod city;
mod city_matching;
mod closed_road;
mod engines;
mod hostile_names;
mod judging;
mod matching;
mod matching_truth;
mod network;
mod odd_trips;
mod osm;
mod more_columns;
mod moved_city;
mod prediction;
mod regions;
mod shared_steps;
mod speeds;
mod tables;
mod tolerant;
mod trips;
mod way_rules;
mod world_files;
