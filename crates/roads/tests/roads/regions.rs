//! Regions of a network: every trip lies within one, and what is inside is as it was.

use std::collections::BTreeSet;

use revealed::{Demonstrations, Trajectory};
use revealed_formats::{Layout, Problem, ProblemColumns};
use revealed_roads::{RegionOptions, regions};

const SIDE: usize = 12;

/// A grid of junctions with roads to the right and down, a feature of states and one of turns, and trips along it.
fn grid() -> (Problem, Vec<Trajectory>) {
    let n = SIDE * SIDE;
    let mut columns = ProblemColumns::new(n, 2, 2);
    columns.names = vec!["metres".to_string(), "turn".to_string()];
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for state in 0..n {
        let (row, column) = (state / SIDE, state % SIDE);
        x.push(column as f64);
        y.push(row as f64);
        columns.start.push([state], 1.0 / n as f64);
        columns.state_features.push([state, 0], 1.0 + state as f64);
        for (action, to) in
            [(column + 1 < SIDE).then_some(state + 1), (row + 1 < SIDE).then_some(state + SIDE)].into_iter().enumerate()
        {
            if let Some(to) = to {
                columns.transition_features.push([columns.transitions.len(), 1], (state * 2 + action) as f64);
                columns.state_action_features.push([state, action, 1], 0.5);
                columns.transitions.push([state, action, to], 1.0);
            }
        }
    }
    columns.terminal.push(n as i64 - 1);
    columns.layout = Some(Layout::Points { x, y });
    let trip = |first: usize, actions: &[usize]| {
        let mut states = vec![first];
        actions.iter().for_each(|&action| states.push(states[states.len() - 1] + [1, SIDE][action]));
        Trajectory::new(states, actions.to_vec())
    };
    let mut trips: Vec<Trajectory> = (0..8).map(|row| trip(row * SIDE + row, &[0, 1, 0])).collect();
    // Along the whole first row.
    trips.push(trip(0, &[0; SIDE - 1]));
    (columns.build().unwrap(), trips)
}

#[test]
fn every_trip_is_in_one_region_with_its_features() {
    let (whole, trips) = grid();
    let demos = Demonstrations::new(&whole.mdp, &trips).unwrap();
    for count in [1, 2, 3, 4, 7] {
        let cut = regions(&whole, &trips, &RegionOptions { count, margin: None }).unwrap();
        assert_eq!((cut.regions.len(), cut.without.len()), (count, 0));
        let (mut n_trips, mut covered) = (0, BTreeSet::<usize>::new());
        for region in &cut.regions {
            let part = region.problem.build().unwrap();
            covered.extend(&region.states);
            assert_eq!(part.features.names(), whole.features.names());
            let (Some(Layout::Points { x, y }), n) = (&part.layout, region.states.len()) else { panic!("no places") };
            assert!((0..n).all(|s| region.states[s] == y[s] as usize * SIDE + x[s] as usize));
            if region.trips.is_empty() {
                continue;
            }
            let inside = Demonstrations::new(&part.mdp, &region.trips).unwrap();
            for (index, trip) in region.trips.iter().enumerate() {
                let states: Vec<usize> = trip.states.iter().map(|&state| region.states[state]).collect();
                let of = trips.iter().position(|other| other.states == states).expect("it is one of the trips");
                let [found, expected] =
                    [part.features.of_path(&part.mdp, &inside, index), whole.features.of_path(&whole.mdp, &demos, of)];
                assert_eq!(found, expected);
                n_trips += 1;
            }
        }
        assert_eq!((n_trips, covered.len()), (trips.len(), whole.mdp.n_states()));
        let once: usize = cut.regions.iter().map(|region| region.states.len()).sum();
        assert_eq!(once > whole.mdp.n_states(), cut.shared > 0);
        if count == 1 {
            assert_eq!(cut.regions[0].problem.build().unwrap().digest(), whole.digest());
            assert_eq!((cut.shared, cut.cut, cut.margin), (0, 0, 0.0));
        }
    }
}

#[test]
fn a_trip_across_the_border_has_no_region() {
    let (whole, trips) = grid();
    let cut = regions(&whole, &trips, &RegionOptions { count: 2, margin: Some(0.0) }).unwrap();
    // The long trip, and those that cross from row to row or from column to column at the border.
    assert!(cut.without.contains(&(trips.len() - 1)), "{:?}", cut.without);
    let n_trips: usize = cut.regions.iter().map(|region| region.trips.len()).sum();
    assert_eq!(n_trips + cut.without.len(), trips.len());
    assert_eq!((cut.shared, cut.cut), (0, SIDE));
    let wide = regions(&whole, &trips, &RegionOptions { count: 2, margin: Some(100.0) }).unwrap();
    assert_eq!((wide.without.len(), wide.shared, wide.cut), (0, SIDE * SIDE, 0));
    // The least margin is as far as the long trip goes over the border.
    let least = regions(&whole, &trips, &RegionOptions { count: 2, margin: None }).unwrap();
    assert_eq!(least.margin, (SIDE / 2) as f64);
    let less = RegionOptions { count: 2, margin: Some(least.margin - 0.5) };
    assert_eq!(regions(&whole, &trips, &less).unwrap().without, [trips.len() - 1]);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let (mut whole, trips) = grid();
    let refused = |whole: &Problem, options| regions(whole, &trips, &options).unwrap_err().to_string();
    assert!(refused(&whole, RegionOptions { count: 0, margin: None }).contains("give a number between 1 and 144"));
    assert!(refused(&whole, RegionOptions { count: 2, margin: Some(-1.0) }).contains("the margin is -1"));
    whole.layout = None;
    assert!(refused(&whole, RegionOptions { count: 2, margin: None }).contains("no coordinates"));
}
