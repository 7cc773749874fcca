//! One gradient of the recursive logit, on dense grids of streets and on road-like networks.

use revealed::worlds::{World, road_like};
use revealed::{Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, RouteChoice, Trajectory, Work};

use crate::clock::{seconds, shown, table};

/// Junctions on a side of the grid, trips, and distinct destinations.
const GRIDS: [(usize, usize); 6] = [(28, 2_000), (50, 2_000), (87, 2_000), (87, 20_000), (160, 2_000), (274, 2_000)];

/// The states, turns and trips of road-like networks.
const ROADS: [(usize, usize, usize); 3] = [(84_000, 155_000, 6_700), (292_604, 594_933, 2_000), (1_000_000, 2_033_000, 2_000)];
/// The cost of length and of turns on a grid.
const COSTS: [f64; 2] = [-1.5, -0.5];
/// The memory budget, in bytes.
const MEMORY: usize = 8_000_000_000;
/// The states of a trip on a road-like network.
const STEPS: usize = 60;

/// Markdown tables.
pub fn run(rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let (mut grids, mut roads) = (Vec::new(), Vec::new());
    for (side, trips) in GRIDS {
        let grid = grid(side).map_err(words)?;
        grids.push(measure(&grid.mdp, &grid.features, &grid.trips(trips), &COSTS, rounds).map_err(words)?);
    }
    for (states, turns, trips) in ROADS {
        let World { mdp, features, .. } = road_like(states, turns, 1).map_err(words)?;
        let mdp = from_anywhere(&mdp).map_err(words)?;
        let costs = vec![-0.05; features.n_features()];
        roads.push(measure(&mdp, &features, &walks(&mdp, trips), &costs, rounds).map_err(words)?);
    }
    let head = ["states", "turns", "trips", "order, one thread", "gradient", "order, two threads", "gradient"];
    Ok(format!(
        "### One gradient of the recursive logit on dense grids\n\n{}\n### On road-like networks\n\n{}",
        table(&head, &grids),
        table(&head, &roads)
    ))
}

/// The time of the elimination order and of one gradient, on one thread and on two.
fn measure(
    mdp: &Mdp,
    features: &Features,
    trips: &[Trajectory],
    theta: &[f64],
    rounds: usize,
) -> Result<Vec<String>, revealed::Error> {
    let demos = Demonstrations::new(mdp, trips)?;
    let mut cells = vec![mdp.n_states().to_string(), mdp.n_transitions().to_string(), trips.len().to_string()];
    let mut times = [[f64::INFINITY; 2]; 2];
    for (threads, [order, time]) in (1..).zip(&mut times) {
        let mut choice = None;
        *order =
            seconds(|| choice = Some(RouteChoice::new(mdp, features, &demos, &Work { memory: MEMORY, ..Work::on(threads) })));
        let mut choice = choice.expect("it ran")?;
        for _ in 0..rounds {
            let mut found = None;
            *time = time.min(seconds(|| found = Some(choice.evaluate(theta))));
            found.expect("it ran")?;
        }
    }
    cells.extend(times.as_flattened().iter().map(|time| shown(*time)));
    Ok(cells)
}

/// Numbers of a congruence.
pub struct Drawing(u64);

impl Drawing {
    /// The same numbers every time.
    pub fn new() -> Drawing {
        Drawing(1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number below this one.
    pub fn below(&mut self, most: usize) -> usize {
        self.next() as usize % most
    }

    /// A number between 0 and 1.
    pub fn share(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }
}

/// A directed link of a grid.
#[derive(Clone, Copy)]
pub struct Street {
    /// The junction where it begins.
    pub from: usize,
    /// The junction where it ends.
    pub to: usize,
    /// East, south, west or north.
    pub direction: usize,
}

/// The two-way streets of a grid of so many junctions across and down, by junction and direction.
pub fn streets([across, down]: [usize; 2]) -> Vec<Street> {
    let step = |junction: usize, direction: usize| {
        let (x, y) = (junction % across, junction / across);
        match direction {
            0 if x + 1 < across => Some(junction + 1),
            1 if y + 1 < down => Some(junction + across),
            2 if x > 0 => Some(junction - 1),
            3 if y > 0 => Some(junction - across),
            _ => None,
        }
    };
    let of = |from: usize| (0..4).filter_map(move |direction| Some(Street { from, to: step(from, direction)?, direction }));
    (0..across * down).flat_map(of).collect()
}

/// The same world, in which a path may begin in any state.
fn from_anywhere(mdp: &Mdp) -> Result<Mdp, revealed::Error> {
    let mut builder = MdpBuilder::new(mdp.n_states(), mdp.n_actions());
    for state in 0..mdp.n_states() {
        builder.start(state, 1.0 / mdp.n_states() as f64);
    }
    for (step, (&from, &to)) in mdp.from().iter().zip(mdp.to()).enumerate() {
        let action = mdp.action_of(mdp.choice_of()[step] as usize);
        builder.transition(from as usize, action, to as usize, mdp.probability()[step]);
    }
    (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).for_each(|state| _ = builder.terminal(state));
    builder.build()
}

/// Random walks.
fn walks(mdp: &Mdp, n: usize) -> Vec<Trajectory> {
    let mut draw = Drawing::new();
    let walk = |_| {
        let (mut states, mut actions) = (vec![draw.below(mdp.n_states())], Vec::new());
        while states.len() < STEPS {
            let steps = mdp.children(states[states.len() - 1]);
            if steps.is_empty() {
                break;
            }
            let step = steps.start + draw.below(steps.len());
            actions.push(mdp.action_of(mdp.choice_of()[step] as usize));
            states.push(mdp.to()[step] as usize);
        }
        Trajectory::new(states, actions)
    };
    (0..n).map(walk).collect()
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
    let mut link = vec![[None; 4]; side * side];
    let mut ends = Vec::new();
    for (number, street) in streets([side; 2]).into_iter().enumerate() {
        link[street.from][street.direction] = Some(number);
        ends.push((street.to, street.direction));
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
    /// Trips between junctions that are drawn.
    fn trips(&self, n: usize) -> Vec<Trajectory> {
        let mut draw = Drawing::new();
        let mut trips = Vec::new();
        while trips.len() < n {
            let [x, y, to_x, to_y] = [(); 4].map(|()| draw.below(self.side));
            trips.extend(self.trip([x, y], [to_x, to_y]));
        }
        trips
    }

    /// A trip that goes east or west first, and then north or south. `None` if it ends where it begins.
    fn trip(&self, [x, y]: [usize; 2], [to_x, to_y]: [usize; 2]) -> Option<Trajectory> {
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
        (!states.is_empty()).then(|| Trajectory::new(states, actions))
    }
}
