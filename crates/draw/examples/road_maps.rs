//! Maps of a network before anything is learned: `road_maps ROADS.npz FOLDER [TRIPS.jsonl]`. Without trips, fastest routes between random places stand
//! for the data. Shortest routes are the forecasts, and a cost of 20 a kilometre is the model of destinations.

use std::collections::BinaryHeap;
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use revealed::{Destinations, Ends, Options, PathModel, Prior, Reward};
use revealed_draw::{Canvas, DestinationPicture, Flows, MapOptions, RoadMap, TripPicture, Values, flow_scatter};
use revealed_formats::demonstrations;
use revealed_roads::{Plane, Position, Roads};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(folder)) = (arguments.next(), arguments.next()) else { return Err("give ROADS.npz FOLDER".into()) };
    std::fs::create_dir_all(&folder)?;
    let roads = Roads::load(path)?;
    let n = roads.n_states();
    let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(1);

    let driven: Option<Vec<Vec<usize>>> = match arguments.next() {
        Some(trips) => Some(demonstrations::load(trips)?.into_iter().step_by(15).map(|trip| trip.states).collect()),
        None => None,
    };
    let pairs: Vec<(usize, usize)> = match &driven {
        Some(driven) => driven.iter().filter_map(|trip| Some((*trip.first()?, *trip.last()?))).collect(),
        None => (0..300).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect(),
    };
    let seconds: Vec<f64> = (0..n).map(|state| roads.seconds(state)).collect();
    let lengths = roads.lengths();
    let routes = |costs: &[f64]| -> Vec<Vec<usize>> { pairs.iter().map(|&(from, to)| best(&roads, costs, from, to)).collect() };
    let (fastest, shortest) = match &driven {
        Some(driven) => (driven.clone(), routes(&lengths)),
        None => (routes(&seconds), routes(&lengths)),
    };
    let visits = |routes: &[Vec<usize>]| {
        let mut visits = vec![0.0; n];
        routes.iter().flatten().for_each(|&state| visits[state] += 1.0);
        visits
    };
    let (data, model) = (visits(&fastest), visits(&shortest));

    let begun = Instant::now();
    let map = RoadMap::new(&roads, MapOptions::of(&roads))?;
    println!("prepared in {:.2} s", begun.elapsed().as_secs_f64());
    let speeds: Vec<f64> = (0..n).map(|state| roads.network.way_of(state).driven_speed()).collect();
    let values = Values { title: "How fast one drives", label: "speed (km/h)", values: &speeds, ..Values::default() };
    save(&folder, "speed", || map.coloured(&values))?;
    let slow: Vec<f64> = (0..n).map(|state| 3.6 / speeds[state] + 2.0 / lengths[state]).collect();
    let values =
        Values { title: "Time per metre, and two seconds for each node", label: "seconds per metre", values: &slow, ..values };
    save(&folder, "time", || map.coloured(&values))?;
    let label = format!("visits of {} trips", pairs.len());
    let flows = Flows { title: "Driven and shortest routes", label: &label, data: &data, model: &model };
    save(&folder, "flows", || map.flows(&flows))?;
    save(&folder, "difference", || map.flow_difference(&flows))?;
    save(&folder, "scatter", || flow_scatter("Shortest against driven routes", &data, &model))?;

    let matched: Vec<f64> = fastest
        .iter()
        .zip(&shortest)
        .map(|(truth, route)| {
            let length = |states: &mut dyn Iterator<Item = &usize>| states.map(|&state| lengths[state]).sum::<f64>();
            100.0 * length(&mut route.iter().filter(|state| truth.contains(state))) / length(&mut route.iter())
        })
        .collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|&a, &b| matched[b].total_cmp(&matched[a]));
    let fixes: Vec<Vec<Position>> = fastest
        .iter()
        .map(|route| {
            route
                .iter()
                .step_by(6)
                .map(|&state| {
                    let plane = Plane::at(roads.line(state)[0]);
                    plane.lift([rng.random_range(-15.0..15.0), rng.random_range(-15.0..15.0)])
                })
                .collect()
        })
        .collect();
    let titles = ["best", "median", "worst"];
    let chosen = [order[4], order[order.len() / 2], order[order.len() - 5]];
    let middle = chosen[1];
    let hops = best(&roads, &vec![1.0; n], pairs[middle].0, pairs[middle].1);
    let pictures: Vec<TripPicture<'_>> = chosen
        .iter()
        .zip(titles)
        .map(|(&trip, title)| TripPicture {
            title,
            fixes: &fixes[trip],
            truth: &fastest[trip],
            forecast: &shortest[trip],
            matched: Some(matched[trip]),
            ..TripPicture::default()
        })
        .collect();
    save(&folder, "trips", || map.trips("Forecasts: the best, the median and the worst", &pictures, 3))?;
    let others = [("fewest segments", hops.as_slice())];
    let picture = TripPicture { title: "A trip, and the shortest route as its forecast", others: &others, ..pictures[1] };
    save(&folder, "trip", || map.trip(&picture))?;

    let route = &fastest[middle];
    let (prefix, rest) = route.split_at(route.len() / 3);
    let problem = roads.problem()?;
    let reward = Reward::of_states(lengths.iter().map(|length| -0.02 * length).collect());
    let model = PathModel::new(&problem.mdp, reward, 400, Ends::Anywhere)?;
    let segments: Vec<u32> = prefix.iter().map(|&state| state as u32).collect();
    let begun = roads.path(&segments).map_err(|place| format!("there is no turn at place {place}"))?;
    let posterior = Destinations::new(&model, Prior::Uniform, &Options::default())?.posterior(&begun)?;
    let picture = DestinationPicture {
        title: "Where the trip may end, after a third of it",
        prefix,
        rest,
        posterior: &posterior,
        truth: route.last().copied(),
    };
    save(&folder, "destinations", || map.destinations(&picture))?;
    Ok(())
}

fn save(
    folder: &str,
    name: &str,
    draw: impl Fn() -> Result<Canvas, revealed_draw::Error>,
) -> Result<(), Box<dyn std::error::Error>> {
    let begun = Instant::now();
    let canvas = draw()?;
    let drawn = begun.elapsed().as_secs_f64();
    let svg = canvas.svg();
    let written = begun.elapsed().as_secs_f64();
    let png = canvas.png()?;
    println!(
        "{name}: drawn {drawn:.2} s, SVG at {written:.2} s, {} kB, PNG at {:.2} s, {} kB",
        svg.len() / 1000,
        begun.elapsed().as_secs_f64(),
        png.len() / 1000
    );
    std::fs::write(format!("{folder}/{name}.svg"), svg)?;
    std::fs::write(format!("{folder}/{name}.png"), png)?;
    Ok(())
}

/// The path of least cost (Dijkstra).
fn best(roads: &Roads, costs: &[f64], from: usize, to: usize) -> Vec<usize> {
    let mut known = vec![(f64::INFINITY, usize::MAX); roads.n_states()];
    let mut heap = BinaryHeap::from([(std::cmp::Reverse(0u64), from)]);
    known[from].0 = 0.0;
    while let Some((std::cmp::Reverse(bits), state)) = heap.pop() {
        if state == to {
            break;
        }
        let cost = f64::from_bits(bits);
        if cost > known[state].0 {
            continue;
        }
        for &next in roads.turns_of(state) {
            let further = cost + costs[next as usize];
            if further < known[next as usize].0 {
                known[next as usize] = (further, state);
                heap.push((std::cmp::Reverse(further.to_bits()), next as usize));
            }
        }
    }
    let mut route: Vec<usize> =
        std::iter::successors(Some(to), |&state| Some(known[state].1).filter(|&before| before != usize::MAX)).collect();
    route.reverse();
    route
}
