//! Observed speeds: how much longer drives take than at the usual speeds, by kind of road and hour.
//!
//! This module reads matched paths with their times, and estimates the slowness of each kind of road in each hour. It
//! uses `world`, `files` and `statistics`. Begin with [`Slowness`].

mod drives;
mod estimate;
mod slowness;

pub use self::drives::{ClockOptions, TimedDrives, add_slowness};
pub use self::slowness::{Slowness, SlownessRow};
