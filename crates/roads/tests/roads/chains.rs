//! Compression: what chains are, and when it changes nothing.

use rand::{RngExt, SeedableRng};
use revealed::{Demonstrations, Ends, Evaluation, Itineraries, Likelihood, Options, PathModel, Trajectory, Work};
use revealed_formats::Problem;
use revealed_roads::{Group, Network, Roads};

use crate::helpers::map::{Map, ONE_WAY, STREET, Tags, segment};

fn roads(network: Network) -> Roads {
    Roads::new(network, &Group::ALL)
}

/// The chains as lists of nodes.
fn chains(roads: &Roads) -> Vec<Vec<i64>> {
    let node = |node: u32| roads.network.nodes[node as usize].id;
    let chain = |state: usize| {
        let first = roads.segments_of(state).next().unwrap();
        let ends = roads.segments_of(state).map(|segment| node(roads.network.segments[segment].to));
        std::iter::once(node(roads.network.segments[first].from)).chain(ends).collect()
    };
    (0..roads.n_states()).map(chain).collect()
}

/// 9 is a dead end; 2, 4, 5, 7 and 8 are bends.
fn town() -> Network {
    let town = r"
            4-5
            |  \
        1-2-3   6-9
            ^  /
            8<7
    ";
    Map::drawn(town)
        .way(10, &[1, 2, 3], STREET)
        .way(11, &[3, 4, 5, 6], &[("highway", "primary"), ("lanes", "3")])
        .way(12, &[6, 7], STREET)
        .way(13, &[7, 8, 3], &[("highway", "tertiary"), ("oneway", "yes"), ("maxspeed", "30")])
        .way(14, &[6, 9], STREET)
        .network()
}

#[test]
fn chains_go_from_junction_to_junction() {
    let fine = roads(town());
    let coarse = fine.clone().compressed();
    // Nobody comes to 7 to go on to 6. A turn at a dead end is no bend: 6 > 9 and 9 > 6 are two.
    let expected: [&[i64]; 7] = [&[1, 2, 3], &[3, 2, 1], &[3, 4, 5, 6], &[6, 5, 4, 3], &[6, 7, 8, 3], &[6, 9], &[9, 6]];
    let mut found = chains(&coarse);
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(coarse.clone().compressed(), coarse);
    let of_states = |roads: &Roads, of: fn(&Roads, usize) -> f64| (0..roads.n_states()).map(|s| of(roads, s)).sum::<f64>();
    for of in [Roads::length, Roads::seconds] {
        assert!((of_states(&fine, of) - of_states(&coarse, of)).abs() < 1e-9);
    }
    let state = coarse.state_of(segment(&coarse.network, 5, 6));
    assert_eq!(coarse.line(state).len(), 4);
    assert_eq!(coarse.line(state)[3], fine.network.ends_of(segment(&fine.network, 5, 6))[1]);
    let problem = coarse.problem().unwrap();
    assert!((problem.mdp.start().iter().map(|start| start.1).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn a_ring_is_cut_at_its_lowest_segment() {
    let ring = r"
          3
         v^
        1>2
    ";
    let coarse = roads(Map::drawn(ring).way(10, &[1, 2, 3, 1], ONE_WAY).network()).compressed();
    assert_eq!(chains(&coarse), [[1, 2, 3, 1]]);
    assert_eq!(coarse.turns_of(0), [0]);
    // Once round and a bit: two visits.
    let path = coarse.path(&[1, 2, 0, 1]).unwrap();
    assert_eq!((path.states, path.actions), (vec![0, 0], vec![0]));
}

#[test]
fn paths_of_segments_are_covered_by_chains() {
    let fine = roads(town());
    let coarse = fine.clone().compressed();
    let segments =
        |nodes: &[i64]| -> Vec<u32> { nodes.windows(2).map(|pair| segment(&fine.network, pair[0], pair[1]) as u32).collect() };
    let path = coarse.path(&segments(&[2, 3, 4, 5, 6, 7])).unwrap();
    let covered = coarse.segments_of_path(&path.states);
    assert_eq!(covered, segments(&[1, 2, 3, 4, 5, 6, 7, 8, 3]));
    assert_eq!(coarse.path(&covered).unwrap(), path);
    assert_eq!(path.actions.len(), 2);
    for (place, pair) in path.states.windows(2).enumerate() {
        assert_eq!(coarse.turns_of(pair[0])[path.actions[place]], pair[1] as u32);
    }
    assert_eq!(coarse.path(&segments(&[4, 5])).unwrap().states.len(), 1);
    assert_eq!(coarse.path(&[]).unwrap().states.len(), 0);
    let broken = [segments(&[4, 5, 6]), segments(&[1, 2])].concat();
    assert_eq!(coarse.path(&broken), Err(1));
    assert_eq!(fine.path(&broken), Err(1));
    assert_eq!(fine.segments_of_path(&fine.path(&covered).unwrap().states), covered);
}

/// A grid of streets with bends in between, some of them one-way.
fn grid(seed: u64) -> Network {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
    let n = 5;
    let mut map = Map::default();
    for (x, y) in (0..n * n).map(|k| (k % n, k / n)) {
        map = map.node(y * n + x, 4.0 * x as f64 + random.random::<f64>(), 4.0 * y as f64 + random.random::<f64>());
    }
    let mut id = n * n;
    for (x, y) in (0..n * n).map(|k| (k % n, k / n)) {
        for (dx, dy) in [(1, 0), (0, 1)] {
            if x + dx >= n || y + dy >= n {
                continue;
            }
            let mut way = vec![y * n + x];
            let bends = random.random_range(0..4);
            for bend in 0..bends {
                let share = 4.0 * f64::from(bend + 1) / f64::from(bends + 1);
                let tags: Tags<'_> = if random.random_bool(0.3) { &[("highway", "traffic_signals")] } else { &[] };
                map = map.tagged(
                    id,
                    4.0 * x as f64 + share * dx as f64 + 0.5 * random.random::<f64>(),
                    4.0 * y as f64 + share * dy as f64 + 0.5 * random.random::<f64>(),
                    tags,
                );
                way.push(id);
                id += 1;
            }
            way.push((y + dy) * n + x + dx);
            let tags: [Tags<'_>; 3] = [ONE_WAY, STREET, &[("highway", "primary"), ("lanes", "2"), ("maxspeed", "50")]];
            map = map.way(1000 + id, &way, tags[random.random_range(0..3)]);
        }
    }
    map.network()
}

/// Random walks over whole chains: as paths of chains, and as paths of segments.
fn walks(fine: &Roads, coarse: &Roads, seed: u64) -> [Vec<Trajectory>; 2] {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
    let walk = |_| {
        let mut states = vec![random.random_range(0..coarse.n_states())];
        for _ in 0..random.random_range(0..6) {
            let turns = coarse.turns_of(states[states.len() - 1]);
            states.push(turns[random.random_range(0..turns.len())] as usize);
        }
        coarse.segments_of_path(&states)
    };
    let segments: Vec<Vec<u32>> = (0..12).map(walk).collect();
    [fine, coarse].map(|roads| segments.iter().map(|path| roads.path(path).unwrap()).collect())
}

fn evaluate(problem: &Problem, paths: &[Trajectory], ends: Ends, horizon: usize, theta: &[f64]) -> Evaluation {
    let demos = Demonstrations::new(&problem.mdp, paths).unwrap();
    let options = Options { ends, horizon: Some(horizon.into()), work: Work::on(1) };
    Likelihood::new(&problem.mdp, &problem.features, &demos, &options).unwrap().evaluate(theta).unwrap()
}

fn theta(roads: &Roads) -> Vec<f64> {
    let of = |(place, name): (usize, &String)| match name.as_str() {
        "link" => -1.2,
        "left" | "right" | "u_turn" | "angle" | "signal" => -0.3 - 0.05 * place as f64,
        "time" => -0.02,
        _ => -0.001 * (1.0 + 0.1 * place as f64),
    };
    roads.features.names.iter().enumerate().map(of).collect()
}

fn gap(a: &Evaluation, b: &Evaluation) -> f64 {
    let relative = |a: f64, b: f64| (a - b).abs() / a.abs().max(b.abs()).max(1.0);
    let gradient = a.gradient.iter().zip(&b.gradient).map(|(a, b)| relative(*a, *b));
    gradient.fold(relative(a.log_likelihood, b.log_likelihood), f64::max)
}

#[test]
fn between_whole_chains_nothing_changes() {
    for seed in 0..3 {
        let fine = roads(grid(seed));
        let coarse = fine.clone().compressed();
        assert!(coarse.n_states() * 3 < 2 * fine.n_states(), "{} of {}", coarse.n_states(), fine.n_states());
        let theta = theta(&fine);
        let [segments, chains] = walks(&fine, &coarse, seed);
        let problems = [fine.problem().unwrap(), coarse.problem().unwrap()];
        let a = evaluate(&problems[0], &segments, Ends::Goal, 400, &theta);
        let b = evaluate(&problems[1], &chains, Ends::Goal, 100, &theta);
        assert!(gap(&a, &b) < 1e-9, "{a:?} {b:?}");
        assert!(a.gradient.iter().any(|entry| entry.abs() > 1.0));

        // The likeliest routes are the same, too.
        let ends: Vec<(usize, usize)> = (0..20).map(|k| (k * 7 % coarse.n_states(), k * 11 % coarse.n_states())).collect();
        let of_segments: Vec<(usize, usize)> = ends
            .iter()
            .map(|&(from, to)| (coarse.segments_of(from).next().unwrap(), coarse.segments_of(to).next_back().unwrap()))
            .collect();
        let routes = |problem: &Problem, pairs: &[(usize, usize)]| {
            let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
            let model = PathModel::new(&problem.mdp, reward, 400, Ends::Goal).unwrap();
            let found = Itineraries::new(&model, false, true).unwrap().find(pairs, &Work::on(1)).unwrap();
            found.into_iter().map(|route| route.unwrap().states).collect::<Vec<Vec<usize>>>()
        };
        let states = |of: &Roads, route: &Vec<usize>| of.segments_of_path(route);
        let (fine_routes, coarse_routes) = (routes(&problems[0], &of_segments), routes(&problems[1], &ends));
        for (place, (a, b)) in fine_routes.iter().zip(&coarse_routes).enumerate() {
            // From the first segment of a chain to its last is that chain, and one state is one state.
            assert_eq!(states(&fine, a), states(&coarse, b), "{:?}", ends[place]);
        }
    }
}

#[test]
fn with_a_discount_or_ends_within_chains_it_is_another_model() {
    let fine = roads(grid(1));
    let coarse = fine.clone().compressed();
    let theta = theta(&fine);
    let [segments, chains] = walks(&fine, &coarse, 1);
    let with = |roads: &Roads, discount: f64| {
        let mut columns = roads.problem().unwrap().columns();
        columns.discount = discount;
        columns.build().unwrap()
    };
    let a = evaluate(&with(&fine, 0.9), &segments, Ends::Goal, 400, &theta);
    let b = evaluate(&with(&coarse, 0.9), &chains, Ends::Goal, 100, &theta);
    assert!(gap(&a, &b) > 1e-3);
    let a = evaluate(&with(&fine, 1.0), &segments, Ends::Anywhere, 400, &theta);
    let b = evaluate(&with(&coarse, 1.0), &chains, Ends::Anywhere, 100, &theta);
    assert!(gap(&a, &b) > 1e-3);
    // A horizon that cuts something off counts states, which are not the same.
    let longest = |paths: &[Trajectory]| paths.iter().map(|path| path.states.len()).max().unwrap();
    let a = evaluate(&with(&fine, 1.0), &segments, Ends::Goal, longest(&segments), &theta);
    let b = evaluate(&with(&coarse, 1.0), &chains, Ends::Goal, longest(&chains), &theta);
    assert!(gap(&a, &b) > 1e-9);
}
