//! GPS traces of drives.

use std::f64::consts::TAU;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::Trajectory;
use revealed_formats::{atomic, csv_cell};

use crate::error::Error;
use crate::geometry::{Plane, Position};
use crate::statistics::normal_polar;
use crate::trips::UCI_SECONDS;
use crate::world::Roads;

/// The columns of the taxi trips of Porto at UCI.
const COLUMNS: [&str; 9] =
    ["TRIP_ID", "CALL_TYPE", "ORIGIN_CALL", "ORIGIN_STAND", "TAXI_ID", "TIMESTAMP", "DAY_TYPE", "MISSING_DATA", "POLYLINE"];
/// The first trip begins on 1 July 2013, as in Porto, and the others every ten minutes.
const BEGIN: i64 = 1_372_636_800;
const NEXT: i64 = 600;

/// The id of a drive, and its fixes: positions, and seconds from the first.
pub type Traced = (String, Vec<(Position, f64)>);

/// How a trip is recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceOptions {
    /// Seconds from one fix to the next.
    pub every: f64,
    /// The standard deviation of the error in metres, to the east and to the north.
    pub noise: f64,
    /// The probability that a fix is lost. The first and the last are not.
    pub dropout: f64,
    /// The probability that a fix is far off.
    pub outlier: f64,
    /// The distance of such a fix in metres, in any direction.
    pub far: f64,
}

impl Default for TraceOptions {
    fn default() -> Self {
        TraceOptions { every: UCI_SECONDS, noise: 10.0, dropout: 0.0, outlier: 0.0, far: 300.0 }
    }
}

/// The fixes of a drive along these states: positions, and seconds from the first.
///
/// The drive begins somewhere on the first state and ends somewhere on the last. Its speed is the limit or the usual
/// speed, a little faster or slower so that the last fix is at the end. There are at least two fixes. States that do
/// not exist are skipped.
pub fn trace(roads: &Roads, states: &[usize], options: &TraceOptions, rng: &mut Pcg64Mcg) -> Vec<(Position, f64)> {
    let states: Vec<usize> = states.iter().copied().filter(|&state| state < roads.n_states()).collect();
    let Some(&last) = states.last() else { return Vec::new() };
    let [first_share, last_share]: [f64; 2] = [rng.random(), rng.random()];
    let times: Vec<f64> = states.iter().map(|&state| roads.seconds(state)).collect();
    let all: f64 = times.iter().sum();
    let begin = first_share * times[0];
    // On a single state the end comes after the beginning.
    let end = all - (1.0 - last_share) * if states.len() > 1 { roads.seconds(last) } else { times[0] - begin };
    let count = (((end - begin) / options.every).round().min(1e6) as usize).max(1);
    let (mut state, mut before) = (0, 0.0);
    let mut fixes = Vec::with_capacity(count + 1);
    for fix in 0..=count {
        let time = begin + (end - begin) * fix as f64 / count as f64;
        while state + 1 < states.len() && before + times[state] < time {
            before += times[state];
            state += 1;
        }
        let share = if times[state] > 0.0 { ((time - before) / times[state]).clamp(0.0, 1.0) } else { 0.0 };
        let [a, b] = roads.network.ends_of(states[state]);
        let at = a.toward(b, share);
        let [east, north] = error(options, rng);
        let is_lost = rng.random::<f64>() < options.dropout && fix > 0 && fix < count;
        if !is_lost {
            fixes.push((Plane::at(at).lift([east, north]), fix as f64 * options.every));
        }
    }
    fixes
}

/// The fixes of several drives, each with its id.
pub fn traces(roads: &Roads, trips: &[Trajectory], options: &TraceOptions, seed: u64) -> Vec<Traced> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let of = |trip: &Trajectory| (trip.id.clone().unwrap_or_default(), trace(roads, &trip.states, options, &mut rng));
    trips.iter().map(of).collect()
}

/// The error of a fix in metres.
fn error(options: &TraceOptions, rng: &mut Pcg64Mcg) -> [f64; 2] {
    let (radius, angle) = normal_polar(rng);
    let (normal, direction): (f64, f64) = (rng.random(), TAU * rng.random::<f64>());
    let off = if normal < options.outlier { options.far } else { 0.0 };
    let size = options.noise * radius;
    [size * angle.cos() + off * direction.cos(), size * angle.sin() + off * direction.sin()]
}

/// Writes trips, each an id and its fixes, in the format of the taxi trips of Porto at UCI. Trips with a gap are marked
/// as missing data: the file has no times of fixes, which are 15 seconds apart.
///
/// # Errors
/// If the file cannot be written.
pub fn write_trips_csv(path: impl AsRef<Path>, trips: &[Traced]) -> Result<(), Error> {
    Ok(atomic::write(path, |file| {
        let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(file);
        writer.write_record(COLUMNS)?;
        for (place, (id, fixes)) in trips.iter().enumerate() {
            let is_gap = |pair: &[(Position, f64)]| (pair[1].1 - pair[0].1 - UCI_SECONDS).abs() > 0.5;
            let missing = if fixes.windows(2).any(is_gap) { "True" } else { "False" };
            let time = (BEGIN + NEXT * place as i64).to_string();
            let points: Vec<String> = fixes.iter().map(|(at, _)| format!("[{:.6},{:.6}]", at.lon, at.lat)).collect();
            let line = format!("[{}]", points.join(","));
            writer.write_record([&csv_cell(id), "C", "", "", "20000001", &time, "A", missing, &line])?;
        }
        writer.flush()
    })?)
}
