//! One gradient of the recursive logit: on dense grids of streets, and on road-like networks.

use revealed::{Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, RouteChoice, Trajectory, Work};

use crate::clock::{seconds, shown, table};

/// Junctions on a side of the grid, trips, and distinct destinations.
const GRIDS: [(usize, usize); 6] = [(28, 2_000), (50, 2_000), (87, 2_000), (87, 20_000), (160, 2_000), (274, 2_000)];

/// The cost of length and of turns.
const THETA: [f64; 2] = [-1.5, -0.5];

/// A Markdown table.
pub fn run(rounds: usize) -> Result<String, String> {
    let mut rows = Vec::new();
    for (side, trips) in GRIDS {
        rows.push(measure(&grid(side).map_err(|error| error.to_string())?, trips, rounds).map_err(|error| error.to_string())?);
    }
    let head = ["links", "turns", "trips", "order", "one thread", "two threads"];
    Ok(format!("### One gradient of the recursive logit on dense grids\n\n{}", table(&head, &rows)))
}

fn measure(grid: &Grid, n_trips: usize, rounds: usize) -> Result<Vec<String>, revealed::Error> {
    let Grid { mdp, features, .. } = grid;
    let demos = Demonstrations::new(mdp, &grid.trips(n_trips))?;
    let mut cells = vec![mdp.n_states().to_string(), mdp.n_transitions().to_string(), n_trips.to_string()];
    let (mut order, mut times) = (f64::INFINITY, [f64::INFINITY; 2]);
    for (threads, time) in (1..).zip(&mut times) {
        let mut choice = None;
        order = order.min(seconds(|| choice = Some(RouteChoice::new(mdp, features, &demos, &Work::on(threads)))));
        let mut choice = choice.expect("it ran")?;
        for _ in 0..rounds {
            let mut found = None;
            *time = time.min(seconds(|| found = Some(choice.evaluate(&THETA))));
            found.expect("it ran")?;
        }
    }
    cells.extend([shown(order), shown(times[0]), shown(times[1])]);
    Ok(cells)
}

/// A square grid of two-way streets. States are directed links; U-turns are not possible.
struct Grid {
    side: usize,
    /// The link from each junction in each direction: east, south, west, north.
    link: Vec<[Option<usize>; 4]>,
    mdp: Mdp,
    /// The length of a link, and whether it is a turn.
    features: Features,
}

fn grid(side: usize) -> Result<Grid, revealed::Error> {
    let step = |junction: usize, direction: usize| {
        let (x, y) = (junction % side, junction / side);
        match direction {
            0 if x + 1 < side => Some(junction + 1),
            1 if y + 1 < side => Some(junction + side),
            2 if x > 0 => Some(junction - 1),
            3 if y > 0 => Some(junction - side),
            _ => None,
        }
    };
    let mut ends = Vec::new();
    let mut link = vec![[None; 4]; side * side];
    for (junction, links) in link.iter_mut().enumerate() {
        for (direction, link) in links.iter_mut().enumerate() {
            if let Some(to) = step(junction, direction) {
                *link = Some(ends.len());
                ends.push((to, direction));
            }
        }
    }
    let mut builder = MdpBuilder::new(ends.len(), 4);
    for (from, &(junction, direction)) in ends.iter().enumerate() {
        builder.start(from, 1.0 / ends.len() as f64);
        for turn in (0..4).filter(|turn| *turn != (direction + 2) % 4) {
            if let Some(to) = link[junction][turn] {
                builder.transition(from, turn, to, 1.0);
            }
        }
    }
    let mdp = builder.build()?;
    let mut features = FeaturesBuilder::new(2);
    for state in 0..ends.len() {
        features.state(state, 0, 0.8 + 0.4 * ((state * 7919) % 1000) as f64 / 1000.0);
    }
    for (&from, &to) in mdp.from().iter().zip(mdp.to()).filter(|(from, to)| ends[**from as usize].1 != ends[**to as usize].1) {
        features.state_action(from as usize, ends[to as usize].1, 1, 1.0);
    }
    let features = features.build(&mdp)?;
    Ok(Grid { side, link, mdp, features })
}

impl Grid {
    /// Trips that go east or west first, and then north or south.
    fn trips(&self, n: usize) -> Vec<Trajectory> {
        let mut drawn = 1u64;
        let mut draw = |below: usize| {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (drawn >> 33) as usize % below
        };
        let mut trips = Vec::new();
        while trips.len() < n {
            let [x, y, to_x, to_y] = [(); 4].map(|()| draw(self.side));
            let (mut at, mut states, mut actions) = (y * self.side + x, Vec::new(), Vec::new());
            let mut go = |direction: usize, steps: usize| {
                for _ in 0..steps {
                    let link = self.link[at][direction].expect("the trip stays on the grid");
                    if !states.is_empty() {
                        actions.push(direction);
                    }
                    states.push(link);
                    at = match direction {
                        0 => at + 1,
                        1 => at + self.side,
                        2 => at - 1,
                        _ => at - self.side,
                    };
                }
            };
            go(if to_x > x { 0 } else { 2 }, to_x.abs_diff(x));
            go(if to_y > y { 1 } else { 3 }, to_y.abs_diff(y));
            if !states.is_empty() {
                trips.push(Trajectory::new(states, actions));
            }
        }
        trips
    }
}
