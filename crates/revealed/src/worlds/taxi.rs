//! Gymnasium's Taxi: pick up a passenger, and drop them off at their destination.

use super::payments::Payments;
use super::{Layout, StepFeatures, World};
use crate::Error;
use crate::world::MdpBuilder;

const SIDE: usize = 5;
/// Row and column of the four places where passengers wait or want to go.
const PLACES: [(usize, usize); 4] = [(0, 0), (0, 4), (4, 0), (4, 3)];
const PLACE_NAMES: [&str; 5] = ["red", "green", "yellow", "blue", "taxi"];
/// The passenger's place while in the taxi.
const IN_TAXI: usize = 4;
/// Row and column of the cells with a wall on their eastern side.
const WALLS: [(usize, usize); 6] = [(0, 1), (1, 1), (3, 0), (3, 2), (4, 0), (4, 2)];
const ACTION_NAMES: [&str; 6] = ["south", "north", "east", "west", "pick_up", "drop_off"];

const STEP: usize = 0;
const DELIVERY: usize = 1;
const ILLEGAL: usize = 2;
const KINDS: [(&str, f64); 3] = [("step", -1.0), ("delivery", 20.0), ("illegal", -10.0)];

/// Gymnasium's Taxi-v3, called Taxi-v4 since 1.3, without rain and with a passenger who does not change the
/// destination.
///
/// State ((row · 5 + column) · 5 + passenger) · 4 + destination has the taxi on a 5x5 grid, the passenger at one of
/// four places or in the taxi (4), and the destination at one of the places. Actions are 0 south, 1 north, 2 east, 3
/// west, 4 pick up, 5 drop off, all deterministic; a step into a wall stays. Episodes start with equal probability in
/// the 300 states where the passenger is neither in the taxi nor at the destination. Dropping the passenger off at the
/// destination pays 20. A pick-up without a passenger there, or a drop-off without a passenger or a place, pays -10.
/// Everything else pays -1.
///
/// The four states after a delivery are terminal. The other 96 states with the passenger at the destination are never
/// reached; they keep the transitions that Gymnasium gives them, some of which lead to terminal states. The states are
/// drawn as 20 grids, with a column for each place of the passenger and a row for each destination.
///
/// ```
/// use revealed::worlds::{StepFeatures, taxi};
/// let taxi = taxi(StepFeatures::Kinds)?;
/// assert_eq!((taxi.mdp.n_states(), taxi.mdp.n_actions(), taxi.mdp.start().len()), (500, 6, 300));
/// assert_eq!(taxi.features.names(), ["step", "delivery", "illegal"]);
/// assert_eq!(taxi.theta, [-1.0, 20.0, -10.0]);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// None are expected.
pub fn taxi(features: StepFeatures) -> Result<World, Error> {
    let states: Vec<State> = (0..SIDE * SIDE * PLACE_NAMES.len() * PLACES.len()).map(State::of_number).collect();
    let mut builder = MdpBuilder::new(states.len(), ACTION_NAMES.len());
    let starts: Vec<&State> = states.iter().filter(|state| state.is_start()).collect();
    for state in &starts {
        builder.start(state.number(), 1.0 / starts.len() as f64);
    }
    let mut payments = Payments::new(KINDS);
    for state in &states {
        if state.is_terminal() {
            builder.terminal(state.number());
            continue;
        }
        for action in 0..ACTION_NAMES.len() {
            let (next, kind) = state.act(action);
            payments.add([state.number(), action, next.number()], 1.0, kind);
        }
    }
    let state_name = |number| State::of_number(number).name();
    let (mdp, features, theta) = payments.build(builder, features, state_name, &ACTION_NAMES)?;
    // A gap of one cell between the grids.
    let place = |tile: usize, cell: usize| (tile * (SIDE + 1) + cell) as f64;
    let layout = Layout::Points {
        x: states.iter().map(|state| place(state.passenger, state.column)).collect(),
        y: states.iter().map(|state| place(state.destination, state.row)).collect(),
    };
    Ok(World { name: "taxi".to_string(), mdp, features, theta, layout })
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    row: usize,
    column: usize,
    passenger: usize,
    destination: usize,
}

impl State {
    fn of_number(number: usize) -> State {
        let (rest, destination) = (number / PLACES.len(), number % PLACES.len());
        let (cell, passenger) = (rest / PLACE_NAMES.len(), rest % PLACE_NAMES.len());
        State { row: cell / SIDE, column: cell % SIDE, passenger, destination }
    }

    fn number(&self) -> usize {
        ((self.row * SIDE + self.column) * PLACE_NAMES.len() + self.passenger) * PLACES.len() + self.destination
    }

    fn name(&self) -> String {
        let [from, to] = [self.passenger, self.destination].map(|place| PLACE_NAMES[place]);
        format!("row{}_column{}_{from}_to_{to}", self.row, self.column)
    }

    /// The number of the place where the taxi is; `None` elsewhere.
    fn place(&self) -> Option<usize> {
        PLACES.iter().position(|&place| place == (self.row, self.column))
    }

    fn is_start(&self) -> bool {
        self.passenger != IN_TAXI && self.passenger != self.destination
    }

    fn is_terminal(&self) -> bool {
        self.passenger == self.destination && self.place() == Some(self.destination)
    }

    /// The state after an action, and the kind of its payment.
    fn act(&self, action: usize) -> (State, usize) {
        let mut next = *self;
        match action {
            0 => next.row = (self.row + 1).min(SIDE - 1),
            1 => next.row = self.row.saturating_sub(1),
            2 if self.column + 1 < SIDE && !WALLS.contains(&(self.row, self.column)) => next.column += 1,
            3 if self.column > 0 && !WALLS.contains(&(self.row, self.column - 1)) => next.column -= 1,
            4 if self.place() == Some(self.passenger) => next.passenger = IN_TAXI,
            4 => return (next, ILLEGAL),
            5 => match self.place() {
                Some(place) if self.passenger == IN_TAXI => {
                    next.passenger = place;
                    return (next, if place == self.destination { DELIVERY } else { STEP });
                }
                _ => return (next, ILLEGAL),
            },
            _ => {}
        }
        (next, STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [StepFeatures; 3] = [StepFeatures::Kinds, StepFeatures::StateActions, StepFeatures::Transitions];

    fn number(row: usize, column: usize, passenger: usize, destination: usize) -> usize {
        State { row, column, passenger, destination }.number()
    }

    /// The state after an action, and its payment.
    fn outcome(world: &World, state: usize, action: usize) -> (usize, f64) {
        let outcomes = world.mdp.outcomes(world.mdp.choice(state, action).unwrap());
        assert_eq!((outcomes.len(), world.mdp.probability()[outcomes.start]), (1, 1.0));
        let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
        assert!(reward.state.iter().all(|&reward| reward == 0.0));
        (world.mdp.to()[outcomes.start] as usize, reward.transition[outcomes.start])
    }

    #[test]
    fn it_is_gymnasiums() {
        // 328 is the state of Gymnasium's own example: row 3, column 1, passenger at yellow (2), to red (0).
        assert_eq!(number(3, 1, 2, 0), 328);
        let (red, blue) = (0, 3);
        for features in ALL {
            let taxi = taxi(features).unwrap();
            let n_features = [3, 496 * 6, 496 * 6][features as usize];
            assert_eq!((taxi.theta.len(), taxi.features.names().len()), (n_features, n_features));
            assert_eq!((taxi.mdp.n_choices(), taxi.mdp.n_transitions()), (496 * 6, 496 * 6));
            let terminal: Vec<usize> = (0..500).filter(|&state| taxi.mdp.is_terminal(state)).collect();
            assert_eq!(terminal, [number(0, 0, 0, 0), number(0, 4, 1, 1), number(4, 0, 2, 2), number(4, 3, 3, 3)]);
            assert_eq!(terminal, [0, 85, 410, 475]);
            assert_eq!(taxi.mdp.start().len(), 300);
            assert!(taxi.mdp.start().iter().all(|start| start.1 == 1.0 / 300.0));

            let at = |row, column| number(row, column, IN_TAXI, red);
            // Walls: east of (0, 1) and west of (3, 1); none to the south of (2, 0).
            assert_eq!(outcome(&taxi, at(0, 1), 2), (at(0, 1), -1.0));
            assert_eq!(outcome(&taxi, at(0, 2), 3), (at(0, 2), -1.0));
            assert_eq!(outcome(&taxi, at(3, 1), 3), (at(3, 1), -1.0));
            assert_eq!(outcome(&taxi, at(2, 0), 0), (at(3, 0), -1.0));
            assert_eq!(outcome(&taxi, at(2, 1), 2), (at(2, 2), -1.0));
            assert_eq!(outcome(&taxi, at(4, 4), 0), (at(4, 4), -1.0));
            assert_eq!(outcome(&taxi, at(0, 4), 2), (at(0, 4), -1.0));
            assert_eq!(outcome(&taxi, at(0, 3), 1), (at(0, 3), -1.0));
            // Drop-offs: at the destination, at another place, and elsewhere.
            assert_eq!(outcome(&taxi, at(0, 0), 5), (number(0, 0, red, red), 20.0));
            assert_eq!(outcome(&taxi, at(4, 3), 5), (number(4, 3, blue, red), -1.0));
            assert_eq!(outcome(&taxi, at(2, 2), 5), (at(2, 2), -10.0));
            // Pick-ups: with the passenger there, elsewhere, and in the taxi.
            assert_eq!(outcome(&taxi, number(4, 3, blue, red), 4), (at(4, 3), -1.0));
            assert_eq!(outcome(&taxi, number(4, 4, blue, red), 4), (number(4, 4, blue, red), -10.0));
            assert_eq!(outcome(&taxi, at(0, 0), 4), (at(0, 0), -10.0));
            // Nothing to drop off.
            assert_eq!(outcome(&taxi, number(0, 0, blue, red), 5), (number(0, 0, blue, red), -10.0));
        }
    }

    #[test]
    fn states_are_named_and_drawn_apart() {
        let taxi = taxi(StepFeatures::StateActions).unwrap();
        let choice = taxi.mdp.choice(328, 4).unwrap();
        assert_eq!(taxi.features.names()[choice], "row3_column1_yellow_to_red_pick_up");
        let Layout::Points { x, y } = taxi.layout else { panic!("the layout has points") };
        assert_eq!((x[328], y[328]), (2.0 * 6.0 + 1.0, 3.0));
        let mut places: Vec<(u64, u64)> = x.iter().zip(&y).map(|(x, y)| (x.to_bits(), y.to_bits())).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 500);
    }
}
