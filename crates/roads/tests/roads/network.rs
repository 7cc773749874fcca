//! Turns, connected parts, features and geometry.

use revealed_roads::{Group, NetworkOptions, Plane, Position, RoadFeatures, nearest};

use crate::helpers::map::{Map, ONE_WAY, STREET, Tags, after, segment, segments};

fn cross() -> Map<'static> {
    Map::drawn(
        "
          4
          |
        1-2-3
          |
          5
        ",
    )
}

fn crossing() -> Map<'static> {
    cross().way(10, &[1, 2], STREET).way(11, &[2, 3], STREET).way(12, &[4, 2], STREET).way(13, &[2, 5], STREET)
}

#[test]
fn one_turns_back_at_dead_ends_only() {
    let network = crossing().network();
    assert_eq!((network.n_segments(), network.n_turns()), (8, 4 * 3 + 4));
    assert_eq!(after(&network, 1, 2), [3, 4, 5]);
    assert_eq!(after(&network, 2, 3), [2]);
    assert_eq!(network.counts.u_turns, 4);
    let network = crossing().try_network(NetworkOptions { u_turns: true, ..NetworkOptions::default() }).unwrap();
    assert_eq!(after(&network, 1, 2), [1, 3, 4, 5]);
    assert_eq!(network.counts.u_turns, 0);
}

#[test]
fn rules_forbid_turns() {
    let kind = |rule| [("type", "restriction"), ("restriction", rule)];
    let (no, only) = (kind("no_left_turn"), kind("only_straight_on"));
    let network = crossing().rule(10, 2, 12, &no).network();
    assert_eq!(after(&network, 1, 2), [3, 5]);
    assert_eq!(after(&network, 3, 2), [1, 4, 5], "the rule is about one way alone");
    assert_eq!((network.counts.forbidden, network.counts.idle_rules), (1, 0));
    let network = crossing().rule(10, 2, 11, &only).network();
    assert_eq!(after(&network, 1, 2), [3]);
    assert_eq!((network.counts.forbidden, network.counts.idle_rules), (2, 0));
    let network = crossing().rule(10, 2, 99, &no).rule(10, 98, 11, &no).network();
    assert_eq!((network.counts.forbidden, network.counts.idle_rules), (0, 1), "a rule at no node is no rule here");
    // A rule against the only way on is not obeyed at a dead end: one has to get out.
    let network = crossing().rule(11, 3, 11, &kind("no_u_turn")).network();
    assert_eq!(after(&network, 2, 3), [2]);
}

#[test]
fn a_rule_at_a_node_inside_ways_is_about_the_turns_that_it_names() {
    // Both streets of the cross pass through 2: way 10 from west to east, way 12 from north to south.
    let through = || cross().way(10, &[1, 2, 3], STREET).way(12, &[4, 2, 5], STREET);
    // (rule, to, after 1 > 2, after 3 > 2); what comes from 4 and 5 goes everywhere.
    let cases: [(&str, i64, &[i64], &[i64]); 8] = [
        ("no_u_turn", 10, &[3, 4, 5], &[1, 4, 5]),
        ("no_left_turn", 12, &[3, 5], &[1, 4]),
        ("no_right_turn", 12, &[3, 4], &[1, 5]),
        ("only_left_turn", 12, &[4], &[5]),
        ("only_right_turn", 12, &[5], &[4]),
        ("no_straight_on", 10, &[4, 5], &[4, 5]),
        ("only_straight_on", 10, &[3], &[1]),
        ("no_entry", 12, &[3], &[1]),
    ];
    for (rule, to, east, west) in cases {
        let network = through().rule(10, 2, to, &[("type", "restriction"), ("restriction", rule)]).all();
        assert_eq!((after(&network, 1, 2), after(&network, 3, 2)), (east.to_vec(), west.to_vec()), "{rule}");
        assert_eq!((after(&network, 4, 2), after(&network, 5, 2)), (vec![1, 3, 5], vec![1, 3, 4]), "{rule}");
        assert_eq!(network.counts.unclear_rules, 0, "{rule}");
    }
    let rule = |rule| [("type", "restriction"), ("restriction", rule)];
    let u_turns = NetworkOptions { u_turns: true, ..NetworkOptions::default() };
    let network = through().rule(10, 2, 10, &rule("no_u_turn")).try_network(u_turns).unwrap();
    assert_eq!((after(&network, 1, 2), after(&network, 4, 2)), (vec![3, 4, 5], vec![1, 3, 4, 5]));
    // Only one of the two ways goes through.
    let one = || cross().way(10, &[1, 2, 3], STREET).way(12, &[4, 2], STREET).way(13, &[2, 5], STREET);
    let network = one().rule(10, 2, 13, &rule("no_left_turn")).network();
    assert_eq!((after(&network, 1, 2), after(&network, 3, 2)), (vec![3, 4, 5], vec![1, 4]));
    let network = one().rule(12, 2, 10, &rule("only_left_turn")).network();
    assert_eq!((after(&network, 4, 2), after(&network, 1, 2)), (vec![3], vec![3, 4, 5]));
    // There is no such turn: nobody knows which is meant.
    let network = through().rule(10, 2, 12, &rule("no_straight_on")).network();
    assert_eq!((network.n_turns(), network.counts.forbidden), (16, 0));
    assert_eq!((network.counts.unclear_rules, network.counts.idle_rules), (1, 0));
    // Where both ways end at the node there is no doubt, whatever the turn is called.
    let network = crossing().rule(10, 2, 13, &rule("no_left_turn")).network();
    assert_eq!(after(&network, 1, 2), [3, 4]);
}

#[test]
fn what_rules_forbid_is_counted_before_roads_are_left_out() {
    // Nobody may drive on from 1 to 3: there are two components.
    let rule = [("type", "restriction"), ("restriction", "no_straight_on")];
    let map = || Map::drawn("1-2-3").way(10, &[1, 2], STREET).way(11, &[2, 3], STREET).rule(10, 2, 11, &rule);
    let network = map().network();
    assert_eq!(segments(&network), [(1, 2), (2, 1)]);
    let counts = network.counts;
    assert_eq!((counts.forbidden, counts.idle_rules, counts.unconnected), (1, 0, 2));
    assert_eq!(map().all().counts.forbidden, 1);
}

#[test]
fn one_way_streets_and_roundabouts_go_round() {
    let nodes = || {
        Map::drawn(
            "
            1>2
            ^ v
            4<3-5
            ",
        )
    };
    let circle = &[("highway", "primary"), ("junction", "roundabout")];
    for tags in [ONE_WAY, circle] {
        let network = nodes().way(10, &[1, 2, 3, 4, 1], tags).way(11, &[3, 5], STREET).network();
        assert_eq!(segments(&network), [(1, 2), (2, 3), (3, 4), (3, 5), (4, 1), (5, 3)]);
        assert_eq!(after(&network, 2, 3), [4, 5]);
        assert_eq!(after(&network, 5, 3), [4]);
        assert_eq!(network.ways[0].roundabout, tags == circle);
    }
    let reversed = &[("highway", "residential"), ("oneway", "-1")];
    let network = nodes().way(10, &[1, 2, 3, 4, 1], reversed).network();
    assert_eq!(segments(&network), [(1, 4), (2, 1), (3, 2), (4, 3)]);
}

#[test]
fn bollards_are_dead_ends() {
    // With a bollard at 2 there are two streets, and the larger one is kept.
    let map = |tags| Map::drawn("1-2-3-4").tag(2, tags).way(10, &[1, 2, 3, 4], STREET);
    let network = map(&[("barrier", "bollard")]).network();
    assert_eq!(segments(&network), [(2, 3), (3, 2), (3, 4), (4, 3)]);
    assert_eq!(after(&network, 3, 2), [3]);
    assert_eq!(network.counts.unconnected, 2);
    assert_eq!(map(&[("barrier", "gate")]).network().n_segments(), 6);
    assert_eq!(map(&[("barrier", "bollard"), ("access", "yes")]).network().n_segments(), 6);
    // What is said of access decides, whatever the barrier is.
    let gates: [(Tags<'static>, usize); 6] = [
        (&[("barrier", "gate"), ("access", "private")], 4),
        (&[("barrier", "gate"), ("access", "no")], 4),
        (&[("barrier", "gate"), ("motor_vehicle", "no")], 4),
        (&[("barrier", "gate"), ("access", "private;customers")], 4),
        (&[("barrier", "gate"), ("access", "destination")], 6),
        (&[("barrier", "gate"), ("foot", "no")], 6),
    ];
    for (tags, expected) in gates {
        assert_eq!(map(tags).network().n_segments(), expected, "{tags:?}");
    }
    assert_eq!(map(&[("barrier", "lift_gate"), ("access", "no"), ("motorcar", "yes")]).network().n_segments(), 6);
    assert_eq!(map(&[("highway", "crossing"), ("access", "no")]).network().n_segments(), 6, "there is no barrier");
}

#[test]
fn the_largest_connected_part_is_kept() {
    // There is no return from 6, so that the U-turn at 3 is allowed.
    let parts = "
        1-2-3>6

        4-5
    ";
    let map = || Map::drawn(parts).way(10, &[1, 2, 3], STREET).way(11, &[4, 5], STREET).way(12, &[3, 6], ONE_WAY);
    let network = map().network();
    assert_eq!(segments(&network), [(1, 2), (2, 1), (2, 3), (3, 2)]);
    assert_eq!((network.counts.unconnected, network.nodes.len(), network.ways.len()), (3, 3, 1));
    assert_eq!(map().all().n_segments(), 7);
    // Of two as large, the first.
    let network = Map::drawn("1-3 4-5").way(11, &[4, 5], STREET).way(10, &[1, 3], STREET).network();
    assert_eq!(segments(&network), [(4, 5), (5, 4)]);
}

#[test]
fn gaps_and_doubled_nodes_are_no_segments() {
    let network = cross().way(10, &[1, 77, 2, 2, 3], STREET).network();
    assert_eq!(segments(&network), [(2, 3), (3, 2)]);
}

#[test]
fn a_file_gives_the_same_network_every_time() {
    let map = crossing().rule(10, 2, 12, &[("type", "restriction"), ("restriction", "no_left_turn")]);
    let first = map.network();
    assert!((0..20).all(|_| map.network() == first));
}

#[test]
fn features_are_the_papers_and_others() {
    // Lights and a crossing at 2; the road to 3 has a toll.
    let drawing = "
          3
          |
          |
          |
        1-2
    ";
    let network = Map::drawn(drawing)
        .tag(2, &[("highway", "crossing"), ("crossing", "traffic_signals")])
        .way(10, &[1, 2], &[("highway", "primary"), ("lanes", "2"), ("maxspeed", "50")])
        .way(11, &[2, 3], &[("highway", "motorway"), ("oneway", "no"), ("toll", "yes"), ("lanes", "4"), ("maxspeed", "120")])
        .network();
    let features = RoadFeatures::new(&network, &Group::ALL);
    let of = |from: i64, to: i64| -> Vec<(&str, f64)> {
        let row = segment(&network, from, to);
        features
            .of_segments
            .iter()
            .filter(|entry| entry.0 == row)
            .map(|entry| (features.names[entry.1].as_str(), entry.2))
            .collect()
    };
    let (a, b) = (network.segments[segment(&network, 1, 2)].length, network.segments[segment(&network, 2, 3)].length);
    assert!((a - 111.195).abs() < 0.01 && (b - 222.39).abs() < 0.01);
    let close = |found: Vec<(&str, f64)>, expected: &[(&str, f64)]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-9, "{found:?} {expected:?}");
        }
    };
    let first = [("lanes_2", a), ("major", a), ("speed_35_55", a), ("no_toll", a), ("length", a), ("time", a / 50.0 * 3.6)];
    close(of(1, 2), &[&first[..], &[("segment", 1.0), ("signal", 1.0), ("crossing", 1.0)]].concat());
    let second =
        [("lanes_more", b), ("highway", b), ("speed_above_85", b), ("toll", b), ("length", b), ("time", b / 120.0 * 3.6)];
    // Nothing can be decided at 2, so the link ends at 3.
    close(of(2, 3), &[&second[..], &[("link", 1.0), ("segment", 1.0)]].concat());

    let turn = |a: i64, b: i64, c: i64| -> Vec<(&str, f64)> {
        let pair = (segment(&network, a, b) as u32, segment(&network, b, c) as u32);
        let place = network.turns().position(|turn| turn == pair).unwrap();
        features
            .of_turns
            .iter()
            .filter(|entry| entry.0 == place)
            .map(|entry| (features.names[entry.1].as_str(), entry.2))
            .collect()
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    close(turn(1, 2, 3), &[("left", 1.0), ("angle", quarter)]);
    let found = turn(3, 2, 1);
    assert!(found[0] == ("right", 1.0) && (found[1].1 - quarter).abs() < 1e-6, "{found:?}");
    close(turn(2, 3, 2), &[("u_turn", 1.0), ("angle", 2.0 * quarter)]);
}

#[test]
fn feature_groups_are_chosen_by_name() {
    assert_eq!(Group::parse("paper, turns").unwrap(), [&Group::PAPER[..], &[Group::Turns]].concat());
    let error = |list: &str| Group::parse(list).unwrap_err().to_string();
    assert!(error("paper,tunrs").starts_with("there is no feature \"tunrs\": choose among paper, lanes"));
    assert_eq!(error("paper,toll"), "the feature \"toll\" is chosen twice");
    assert_eq!(error(" ,"), "no feature is chosen: give some, such as paper");
    let network = crossing().network();
    let paper = RoadFeatures::new(&network, &Group::PAPER);
    assert_eq!(paper.names.len(), 14);
    // Speeds unknown and lanes 1 where nothing is tagged; each of the four groups has every metre once.
    assert_eq!(paper.of_segments.len(), 4 * network.n_segments());
    let mut paper = paper;
    let error = |result: Result<(), revealed_roads::Error>| result.unwrap_err().to_string();
    assert!(error(paper.add("local", &[0.0; 8], 8)).contains("exists already"));
    assert!(error(paper.add("own", &[0.0; 7], 8)).contains("has 7 values, but there are 8 segments"));
    assert!(error(paper.add("own", &[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 8)).contains("of segment 1 is NaN"));
    paper.add("own", &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0], 8).unwrap();
    assert_eq!(paper.of_segments.iter().filter(|row| row.1 == 14).copied().collect::<Vec<_>>(), [(1, 14, 1.0), (7, 14, 2.0)]);
}

#[test]
fn places_and_planes() {
    let [a, b] = [Position { lat: 41.15, lon: -8.61 }, Position { lat: 41.16, lon: -8.60 }];
    let plane = Plane::at(a);
    let [x, y] = plane.project(b);
    assert!((x.hypot(y) - a.distance(b)).abs() < 0.5, "{} {}", x.hypot(y), a.distance(b));
    let back = plane.lift([x, y]);
    assert!((back.lat - b.lat).abs() < 1e-12 && (back.lon - b.lon).abs() < 1e-12);
    let north = Position { lat: 42.0, ..a };
    assert!(a.bearing(north).abs() < 1e-9 && (north.bearing(a) - 180.0).abs() < 1e-9);
    assert_eq!(a.distance(a), 0.0);
    assert!(!Position { lat: 91.0, lon: 0.0 }.is_valid() && !Position { lat: f64::NAN, lon: 0.0 }.is_valid());
    assert_eq!(nearest([0.0, 0.0], [10.0, 0.0], [3.0, 4.0]), (0.3, 4.0));
    assert_eq!(nearest([0.0, 0.0], [10.0, 0.0], [-3.0, 4.0]), (0.0, 5.0));
    assert_eq!(nearest([1.0, 1.0], [1.0, 1.0], [1.0, 3.0]), (0.0, 2.0));
}
