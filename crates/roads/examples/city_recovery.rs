//! Learns the known preferences of made-up cities again and again, and counts how often the intervals cover them:
//! `city_recovery [repeats] [trips]`.

use revealed::{Ends, Method};
use revealed_roads::{Agreement, City, CityOptions, Error, Group, city};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |place: usize, usual: usize| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (repeats, trips) = (number(1, 40)?, number(2, 1000)?);
    let usual = CityOptions::default();
    // Each destination has a pass of its own: a smaller city will do.
    let small = CityOptions { blocks: 14, horizon: 100, mean_states: 10.0, ..usual.clone() };
    for (list, method, ends, options) in [
        ("type,time,signals,turns", Method::Exact, Ends::Anywhere, &usual),
        ("paper", Method::Exact, Ends::Anywhere, &usual),
        ("type,time,signals,turns", Method::Exact, Ends::Goal, &small),
        ("paper", Method::Exact, Ends::Goal, &small),
        ("type,time,signals,turns", Method::RecursiveLogit, Ends::Goal, &small),
        ("paper", Method::RecursiveLogit, Ends::Goal, &small),
    ] {
        let clock = std::time::Instant::now();
        let city = city(&CityOptions { groups: Group::parse(list)?, ..options.clone() })?;
        let made = clock.elapsed();
        let found =
            (1..=repeats as u64).map(|seed| repeat(&city, method, ends, trips, seed)).collect::<Result<Vec<_>, Error>>()?;
        println!("\n{list}, {}, ends {}: {} segments, built in {made:.0?}", method.name(), ends.name(), city.roads.n_states());
        report(&city, &found);
        println!("{repeats} fits of {trips} trips in {:.1?}", clock.elapsed());
    }
    Ok(())
}

fn repeat(city: &City, method: Method, ends: Ends, n: usize, seed: u64) -> Result<Agreement, Error> {
    let trips = match (method, ends) {
        (Method::RecursiveLogit, _) => city.routes_between(n, seed)?,
        (_, Ends::Goal) => city.trips_between(n, seed)?,
        _ => city.trips(n, seed)?,
    };
    city.agreement(&trips, method, ends)
}

fn report(city: &City, found: &[Agreement]) {
    println!("{:<16}{:>12}{:>12}{:>12}{:>10}{:>10}", "feature", "true", "mean", "error", "in 68 %", "in 95 %");
    let share = |values: &[f64], within: f64| {
        100.0 * values.iter().filter(|z| z.abs() < within).count() as f64 / values.len().max(1) as f64
    };
    let mut all = Vec::new();
    for (place, name) in city.roads.features.names.iter().enumerate() {
        let z: Vec<f64> = found.iter().filter_map(|one| one.z[place]).collect();
        if z.is_empty() {
            println!("{name:<16}{:>12.3e}        held", city.theta[place]);
            continue;
        }
        let mean = found.iter().map(|one| one.learned[place]).sum::<f64>() / found.len() as f64;
        let error = found.iter().filter_map(|one| one.errors[place]).sum::<f64>() / z.len() as f64;
        let (one, two) = (share(&z, 0.99446), share(&z, 1.95996));
        println!("{name:<16}{:>12.3e}{mean:>12.3e}{error:>12.1e}{one:>9.0}%{two:>9.0}%", city.theta[place]);
        all.extend(z);
    }
    let converged = found.iter().filter(|one| one.converged).count();
    let degrees: usize = found.iter().map(|one| one.directions).sum();
    let squares: f64 = found.iter().map(|one| one.chi_square).sum();
    let ratios: f64 = found.iter().map(|one| one.likelihood_ratio).sum();
    println!("together: {:.1} % in 68 %, {:.1} % in 95 %; {converged} converged", share(&all, 0.99446), share(&all, 1.95996));
    println!("chi-square {squares:.1} (likelihood ratio {ratios:.1}) on {degrees} degrees of freedom");
}
