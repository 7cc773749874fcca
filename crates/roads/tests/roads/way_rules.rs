//! Turn restrictions over ways: compared with the enumeration of all drives that the rules allow.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Ends, Horizon, PathModel, Trajectory, Watch, Work};
use revealed_roads::{
    DestinationModel, Fix, Group, MatchOptions, Matcher, Metrics, Network, NetworkOptions, OsrmTables, RoadCosts, Roads,
    TraceOptions, Trip, destination_prior, likeliest_routes, predict, trace,
};

use super::helpers::map::{Map, ONE_WAY, STREET, Tags, segment, segments};

const NO: Tags<'static> = &[("type", "restriction"), ("restriction", "no_u_turn")];
const ONLY: Tags<'static> = &[("type", "restriction"), ("restriction", "only_straight_on")];

/// A divided road with a connection (2 - 5) between its halves, and a street that crosses both.
fn divided() -> Map<'static> {
    Map::drawn(
        "
        7   8
        |   |
    3 < 2 - 1 < 0
        |   |
    4 > 5 - 6 > 9
    ",
    )
    .way(10, &[0, 1], ONE_WAY)
    .way(11, &[1, 2], ONE_WAY)
    .way(12, &[2, 3], ONE_WAY)
    .way(20, &[4, 5], ONE_WAY)
    .way(21, &[5, 6], ONE_WAY)
    .way(22, &[6, 9], ONE_WAY)
    .way(30, &[2, 5], STREET)
    .way(31, &[1, 6], STREET)
    .way(40, &[2, 7], STREET)
    .way(41, &[1, 8], STREET)
    .way(50, &[3, 4], STREET)
    .way(51, &[9, 0], STREET)
    .node(1000, 2.0, -1.0)
    .way(60, &[5, 1000], STREET)
}

/// The drives of a number of segments, as the nodes that they pass.
fn drives(network: &Network, length: usize) -> BTreeSet<Vec<i64>> {
    let id = |node: u32| network.nodes[node as usize].id;
    let mut open: Vec<Vec<u32>> = (0..network.n_originals() as u32).map(|segment| vec![segment]).collect();
    let mut found = BTreeSet::new();
    while let Some(drive) = open.pop() {
        if drive.len() == length {
            let first = network.segments[drive[0] as usize].from;
            let rest = drive.iter().map(|&segment| network.segments[segment as usize].to);
            let new = found.insert(std::iter::once(first).chain(rest).map(id).collect());
            assert!(new, "two paths of states are the same drive");
            continue;
        }
        let turns = network.turns_of(drive[drive.len() - 1] as usize);
        open.extend(turns.iter().map(|&to| drive.iter().copied().chain([to]).collect()));
    }
    found
}

/// A rule about ways, each a street between two nodes.
struct Rule {
    ways: Vec<[i64; 2]>,
    only: bool,
}

impl Rule {
    /// Whether the drive breaks the rule in its last step. At a dead end, only the U-turn is left.
    fn forbids(&self, drive: &[i64], is_end: &dyn Fn(i64, i64) -> bool) -> bool {
        let n = self.ways.len();
        if drive.len() < n + 1 {
            return false;
        }
        let last = &drive[drive.len() - n - 1..];
        let on = |place: usize| self.ways[place].contains(&last[place]) && self.ways[place].contains(&last[place + 1]);
        let came = (0..n - 1).all(on) && last[0] != last[2];
        came && !is_end(last[n - 2], last[n - 1]) && on(n - 1) != self.only
    }
}

#[test]
fn a_u_turn_over_a_connection_is_forbidden() {
    let rule = [(1, 10, "from"), (1, 11, "via"), (1, 30, "via"), (1, 21, "to")];
    let plain = divided().network();
    let one = divided().relation(&[(1, 11, "from"), (1, 30, "via"), (1, 21, "to")], NO).network();
    // Only those who come from 1 over 2 may not turn into 5 - 6.
    let [before, after] = [&plain, &one].map(|network| drives(network, 3));
    let lost: Vec<&Vec<i64>> = before.difference(&after).collect();
    assert_eq!(lost, [&vec![1, 2, 5, 6]]);
    assert!(after.is_subset(&before) && after.contains(&vec![7, 2, 5, 6]));
    assert_eq!((one.n_segments() - one.n_originals(), one.counts.forbidden), (1, 1));
    assert_eq!((one.counts.idle_rules, one.counts.unclear_rules), (0, 0));
    // Over two ways, given in any order.
    for order in [[0, 1, 2, 3], [0, 2, 1, 3]] {
        let two = divided().relation(&order.map(|place| rule[place]), NO).network();
        let [before, after] = [&plain, &two].map(|network| drives(network, 4));
        let lost: Vec<&Vec<i64>> = before.difference(&after).collect();
        assert_eq!(lost, [&vec![0, 1, 2, 5, 6]]);
        assert!(after.contains(&vec![8, 1, 2, 5, 6]));
        assert_eq!(two.n_segments() - two.n_originals(), 2);
    }
}

#[test]
fn only_means_only_for_those_who_came_so() {
    let only = divided().relation(&[(1, 11, "from"), (1, 30, "via"), (1, 21, "to")], ONLY).network();
    let [before, after] = [&divided().network(), &only].map(|network| drives(network, 3));
    let lost: Vec<&Vec<i64>> = before.difference(&after).collect();
    assert_eq!(lost, [&vec![1, 2, 5, 1000]]);
    assert!(after.contains(&vec![7, 2, 5, 1000]) && after.contains(&vec![1, 2, 5, 6]));
    // Where there is no other way on, it forbids nothing.
    let idle = divided().relation(&[(1, 12, "from"), (1, 50, "via"), (1, 20, "to")], ONLY).network();
    assert_eq!((idle.n_segments(), idle.counts.idle_rules), (idle.n_originals(), 1));
}

#[test]
fn a_way_between_that_is_entered_only_from_one_road_needs_no_copy() {
    // 0 - 1 > 2 - 3, and 2 - 4: whoever is on 1 > 2 came from 0 - 1.
    let map = Map::drawn(
        "
        4 -+
        |  |
    0 - 1 > 2 - 3
    |   |   |   |
    5 - 6 - 7 - 8
    ",
    )
    .way(10, &[0, 1], ONE_WAY)
    .way(11, &[1, 2], ONE_WAY)
    .way(12, &[2, 3], STREET)
    .way(13, &[2, 7], STREET)
    .way(14, &[0, 5, 6, 7, 8, 3], STREET);
    let rule = [(1, 10, "from"), (1, 11, "via"), (1, 12, "to")];
    let network = map.relation(&rule, NO).network();
    assert_eq!(network.n_segments(), network.n_originals());
    let turns = network.turns_of(segment(&network, 1, 2));
    assert_eq!(turns, [segment(&network, 2, 7) as u32]);
}

#[test]
fn rules_that_do_not_say_which_way_are_not_applied() {
    // The way between is a ring, which both directions lead around.
    let map = Map::drawn(
        "
    0 - 1 - 2 - 5
        |   |
        3 - 4
    ",
    )
    .way(10, &[0, 1], STREET)
    .way(11, &[1, 2, 4, 3, 1], STREET)
    .way(12, &[2, 5], STREET)
    .relation(&[(1, 10, "from"), (1, 11, "via"), (1, 12, "to")], NO);
    let network = map.network();
    assert_eq!((network.counts.unclear_rules, network.n_segments()), (1, network.n_originals()));
    // A way that is not in the file.
    let idle = divided().relation(&[(1, 11, "from"), (1, 99, "via"), (1, 21, "to")], NO).network();
    assert_eq!((idle.counts.idle_rules, idle.n_segments()), (1, idle.n_originals()));
}

/// A grid of streets with some left out or one-way, and random rules over ways.
fn random(rng: &mut Pcg64Mcg) -> (Map<'static>, Map<'static>, Vec<Rule>) {
    let side = 3;
    let node = |x: i64, y: i64| 1 + x + side * y;
    let mut ways: Vec<[i64; 2]> = Vec::new();
    for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
        if x + 1 < side {
            ways.push([node(x, y), node(x + 1, y)]);
        }
        if y + 1 < side {
            ways.push([node(x, y), node(x, y + 1)]);
        }
    }
    let mut kinds: Vec<Option<Tags<'static>>> = Vec::new();
    kinds.extend(ways.iter().map(|_| match rng.random_range(0..10) {
        0 => None,
        1 | 2 => Some(ONE_WAY),
        _ => Some(STREET),
    }));
    let made = || {
        let mut map = Map::default();
        for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
            map = map.node(node(x, y), x as f64, y as f64);
        }
        ways.iter().zip(&kinds).enumerate().fold(map, |map, (place, (way, kind))| match kind {
            Some(tags) => map.way(100 + place as i64, way, tags),
            None => map,
        })
    };
    let (plain, mut ruled, mut rules) = (made(), made(), Vec::new());
    let meet = |a: usize, b: usize| ways[a].iter().any(|node| ways[b].contains(node));
    while rules.len() < 4 {
        let mut walk = vec![rng.random_range(0..ways.len())];
        let length = rng.random_range(3..6);
        // The next way begins where the last one ends, and not where it began.
        let mut end = ways[walk[0]][rng.random_range(0..2)];
        while walk.len() < length {
            let next = rng.random_range(0..ways.len());
            if ways[next].contains(&end) && !walk.contains(&next) && meet(next, walk[walk.len() - 1]) {
                end = ways[next][usize::from(ways[next][0] == end)];
                walk.push(next);
            }
            if rng.random_range(0..200) == 0 {
                break;
            }
        }
        if walk.len() < length {
            continue;
        }
        let only = rng.random_range(0..3) == 0;
        let id = |way: &usize| 100 + *way as i64;
        let mut members = vec![(1, id(&walk[0]), "from")];
        members.extend(walk[1..length - 1].iter().map(|way| (1, id(way), "via")));
        members.push((1, id(&walk[length - 1]), "to"));
        // A way that is not on the map has no rule.
        let exists = walk.iter().all(|&way| kinds[way].is_some());
        ruled = ruled.relation(&members, if only { ONLY } else { NO });
        if exists {
            rules.push(Rule { ways: walk.iter().map(|&way| ways[way]).collect(), only });
        }
    }
    (plain, ruled, rules)
}

#[test]
fn on_random_maps_exactly_the_allowed_drives_are_left() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let options = NetworkOptions { keep_all: true, u_turns: true, ..NetworkOptions::default() };
    let (mut copies, mut lost, mut joined) = (0, 0, 0);
    for round in 0..60 {
        let (plain, ruled, rules) = random(&mut rng);
        let options = NetworkOptions { u_turns: round % 2 == 0, ..options };
        let (plain, split) = (plain.try_network(options).unwrap(), ruled.try_network(options).unwrap());
        if split.counts.unclear_rules > 0 {
            continue;
        }
        joined += 1;
        copies += split.n_segments() - split.n_originals();
        let is_end = |from: i64, to: i64| {
            let here = segment(&plain, from, to);
            plain.turns_of(here).iter().all(|&next| plain.is_u_turn(here, next as usize))
        };
        let breaks = |drive: &Vec<i64>| (2..=drive.len()).any(|n| rules.iter().any(|rule| rule.forbids(&drive[..n], &is_end)));
        // Of two rules with the same walk, each of which says "only", both are allowed.
        let same = |a: &Rule, b: &Rule| a.only && b.only && a.ways[..a.ways.len() - 1] == b.ways[..b.ways.len() - 1];
        if rules.iter().enumerate().any(|(place, a)| rules[..place].iter().any(|b| same(a, b))) {
            continue;
        }
        let all = drives(&plain, 7);
        let allowed: BTreeSet<Vec<i64>> = all.iter().filter(|drive| !breaks(drive)).cloned().collect();
        lost += all.len() - allowed.len();
        assert_eq!(drives(&split, 7), allowed, "round {round}");
    }
    assert!(copies > 100 && lost > 1000 && joined > 30, "{copies} {lost} {joined}");
}

#[test]
fn every_state_can_be_reached_and_left() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    for _ in 0..30 {
        let Ok(network) = random(&mut rng).1.try_network(NetworkOptions::default()) else { continue };
        let reached = |from: usize| {
            let (mut seen, mut open) = (vec![false; network.n_segments()], vec![from]);
            while let Some(state) = open.pop() {
                for &to in network.turns_of(state) {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        open.push(to as usize);
                    }
                }
            }
            seen.into_iter().all(|seen| seen)
        };
        assert!((0..network.n_segments()).all(reached));
        assert_eq!(segments(&network).len(), network.n_segments());
    }
}

#[test]
fn copies_are_the_same_road_in_files_features_and_paths() {
    let map = divided().relation(&[(1, 11, "from"), (1, 30, "via"), (1, 21, "to")], NO);
    for compress in [false, true] {
        let roads = Roads::new(map.network(), &[Group::Length, Group::Turns]);
        let roads = if compress { roads.compressed() } else { roads };
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("roads.npz");
        roads.save(&file).unwrap();
        let mut read = Roads::load(&file).unwrap();
        read.network.counts = roads.network.counts;
        assert_eq!(read, roads);
        let copy = roads.state_of(roads.network.n_originals());
        let original = roads.original(copy);
        assert!(original != copy && roads.copies_of(original).eq([copy]), "{copy} {original}");
        assert_eq!((roads.line(copy), roads.length(copy)), (roads.line(original), roads.length(original)));
        // The same pieces of road, whichever copies are named.
        let network = &roads.network;
        let at = |from: i64, to: i64| {
            let id = |node: u32| network.nodes[node as usize].id;
            let is = |&segment: &usize| (id(network.segments[segment].from), id(network.segments[segment].to)) == (from, to);
            (0..network.n_originals()).find(is).unwrap() as u32
        };
        let path = roads.path(&[at(0, 1), at(1, 2), at(2, 5)]).unwrap();
        assert_eq!(path.states.last(), Some(&copy));
        let path = roads.path(&[at(2, 5), at(5, 6)]).unwrap();
        assert_eq!(path.states.first(), Some(&original));
        assert_eq!(roads.path(&[at(1, 2), at(2, 5), at(5, 6)]), Err(1));
        let mut values = vec![0.0; roads.n_states()];
        (values[copy], values[original]) = (2.0, 3.0);
        let sums = roads.over_copies(values);
        assert_eq!((sums[copy], sums[original]), (0.0, 5.0));
        // Paths begin at originals only.
        let problem = roads.problem().unwrap();
        let begins = |state: usize| problem.mdp.start().iter().any(|entry| entry.0 == state && entry.1 > 0.0);
        assert_eq!((begins(copy), begins(original)), (false, true));
    }
}

/// A larger city with a rule over a connection, and drives that cross it.
fn ruled() -> Roads {
    let map = divided().relation(&[(1, 11, "from"), (1, 30, "via"), (1, 21, "to")], NO);
    Roads::new(map.network(), &[Group::Length, Group::Link, Group::Turns])
}

/// The states of a drive through these nodes.
fn drive(roads: &Roads, nodes: &[i64]) -> Trajectory {
    let network = &roads.network;
    let id = |node: u32| network.nodes[node as usize].id;
    let at = |pair: &[i64]| {
        let is = |&one: &usize| [id(network.segments[one].from), id(network.segments[one].to)] == [pair[0], pair[1]];
        (0..network.n_originals()).find(is).unwrap() as u32
    };
    roads.path(&nodes.windows(2).map(at).collect::<Vec<_>>()).unwrap()
}

#[test]
fn drives_over_copies_are_matched() {
    let roads = ruled();
    let copy = roads.network.n_originals();
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for nodes in [&[9, 0, 1, 2, 5, 1000][..], &[9, 0, 1, 2, 7], &[8, 1, 2, 7], &[7, 2, 5, 6, 9], &[0, 1, 6, 9]] {
        let truth = drive(&roads, nodes);
        let fixes = trace(&roads, &truth.states, &TraceOptions { every: 3.0, noise: 3.0, ..TraceOptions::default() }, &mut rng);
        let fixes = fixes.into_iter().map(|(position, seconds)| Fix { position, seconds: Some(seconds) }).collect();
        let trip = Trip { id: "1".to_string(), fixes, missing: false, columns: Vec::new() };
        let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
        let rewards = |n: usize| vec![-0.1; n];
        let plain = Matcher::new(&roads.network, options.clone()).unwrap();
        let learned = Matcher::new(&roads.network, options).unwrap();
        let learned = learned.with_rewards(&rewards(roads.network.n_segments()), &rewards(roads.network.n_turns())).unwrap();
        for matcher in [plain, learned] {
            let found = matcher.match_trip(&trip).unwrap();
            let path = roads.path(&found.segments).unwrap();
            let of_roads = |states: &[usize]| states.iter().map(|&one| roads.original(one)).collect::<Vec<_>>();
            // The first fix may lie beyond the end of the first road, where the next begins, and so may the last.
            let (driven, all) = (of_roads(&path.states), of_roads(&truth.states));
            assert!(
                driven.len() + 2 >= all.len() && all.windows(driven.len()).any(|part| part == driven),
                "{nodes:?} {driven:?}"
            );
            // The route is one that begins without a past.
            assert_eq!(path.states, found.segments.iter().map(|&one| one as usize).collect::<Vec<_>>());
            assert!(path.states[0] < copy && found.confidence > 0.0 && found.confidence <= 1.0);
        }
    }
}

#[test]
fn forecasts_and_metrics_know_roads_and_not_copies() {
    let roads = ruled();
    let problem = roads.problem().unwrap();
    let theta: Vec<f64> = roads.features.names.iter().map(|name| if name == "length" { -0.01 } else { -0.1 }).collect();
    let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
    let model = PathModel::new(&problem.mdp, reward, Horizon::Any, Ends::Goal).unwrap();
    // From 0 > 1 to 5 > 6 the route over the connection 2 - 5 is forbidden, so it leads over 1 - 6 or elsewhere.
    let [from, to] = [drive(&roads, &[0, 1]).states[0], drive(&roads, &[2, 5]).states[0]];
    let copy = roads.network.n_originals();
    assert_eq!(roads.original(copy), to);
    let found = likeliest_routes(&roads, &model, [&[from], &[to]], 1, &Work::default()).unwrap();
    // The road is reached by its copy.
    assert_eq!(found.routes[0].states, drive(&roads, &[0, 1, 2, 5]).states);
    assert_eq!(found.routes[0].states.last(), Some(&copy));
    // A trip that ends there is forecast to the road.
    let trips = [drive(&roads, &[0, 1, 2, 5]), drive(&roads, &[7, 2, 5])];
    let found = predict(&roads, &model, &trips, false, &Work::default(), "routes", &Watch::none()).unwrap();
    assert_eq!(found.routes[0].as_ref().unwrap(), &trips[0].states);
    let metrics = Metrics::new(&roads);
    let both = metrics.compare(&[copy], &[to]);
    assert!(both.identical && both.distance_match == 100.0 && both.covered == 100.0);
    // A destination is a road: its copies have no probability of their own, and the posterior sums to 1.
    let prior = destination_prior(&roads, &trips, 100.0);
    assert_eq!(prior[copy], 0.0);
    let destinations = DestinationModel::of_prior(&roads, prior).unwrap();
    let posterior = destinations.posterior(&roads, &model, &trips[0].states[..1]).unwrap();
    assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9 && posterior[copy] == 0.0 && posterior[to] > 0.0);
    // Engines get each road once, with all of its turns.
    let costs = RoadCosts::new(&roads, &theta).unwrap();
    let tables = OsrmTables::new(&costs).unwrap();
    assert_eq!(tables.len()[0], roads.network.n_originals());
    let segments: Vec<u32> = trips[0].states.iter().map(|&state| state as u32).collect();
    let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
    let of_states: f64 = trips[0].states.iter().map(|&state| reward.state[state]).sum();
    // The turns of this drive are to the left at 2, and none at 1.
    let left = theta[roads.features.names.iter().position(|name| name == "left").unwrap()];
    let found = costs.of_route(&segments).unwrap();
    assert!((found + of_states + left).abs() < 1e-9, "{found} {of_states} {left}");
}

#[test]
fn a_link_is_the_same_however_its_road_is_drawn() {
    let coarse = Map::drawn("1---2---3\n    |\n    |\n    4")
        .way(10, &[1, 2], STREET)
        .way(11, &[2, 3], STREET)
        .way(12, &[2, 4], STREET)
        .network();
    let fine = Map::drawn("1-5-2-6-3\n    |\n    7\n    |\n    4")
        .way(10, &[1, 5, 2], STREET)
        .way(11, &[2, 6, 3], STREET)
        .way(12, &[2, 7, 4], STREET)
        .network();
    let count = |network: &Network, group: Group| -> f64 {
        Roads::new(network.clone(), &[group]).features.of_segments.iter().map(|row| row.2).sum()
    };
    assert_eq!([count(&coarse, Group::Link), count(&fine, Group::Link)], [6.0, 6.0]);
    assert_eq!([count(&coarse, Group::Segments), count(&fine, Group::Segments)], [6.0, 12.0]);
    let compressed = Roads::new(fine, &[Group::Link]).compressed();
    assert!(compressed.features.of_segments.iter().all(|row| row.2 == 1.0) && compressed.n_states() == 6);
}
