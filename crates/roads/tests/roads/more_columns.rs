//! Elevations, and features of turns from tables.

use revealed_roads::{Group, Roads};

use super::helpers::file;
use super::helpers::map::{Map, STREET, segment};

/// A cross of four streets.
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
    .way(10, &[1, 2], STREET)
    .way(11, &[2, 3], STREET)
    .way(12, &[2, 4], STREET)
    .way(13, &[2, 5], STREET)
}

#[test]
fn climbs_are_differences_of_elevations() {
    let map = cross()
        .tag(1, &[("ele", "100")])
        .tag(2, &[("ele", "110.5 m")])
        .tag(3, &[("ele", "1000 ft")])
        .tag(4, &[("ele", "high")]);
    let mut network = map.network();
    assert_eq!(network.without_elevation(), 2, "a word is no elevation");
    let climb = |network: &revealed_roads::Network, from, to| network.climb(segment(network, from, to));
    assert_eq!((climb(&network, 1, 2), climb(&network, 2, 1)), (Some(10.5), Some(-10.5)));
    assert!((climb(&network, 2, 3).unwrap() - (304.8 - 110.5)).abs() < 1e-9);
    assert_eq!(climb(&network, 2, 4), None);
    let (_directory, table) = file("heights.csv", b"node,elevation\n4,110.5\n5,108\n99,7\n");
    assert_eq!((network.read_elevations(&table).unwrap(), network.without_elevation()), (2, 0));
    let roads = Roads::new(network.clone(), &[Group::Climb, Group::Steep]);
    let of = |from, to| -> Vec<(&str, f64)> {
        let here = segment(&roads.network, from, to);
        let rows = roads.features.of_segments.iter().filter(|row| row.0 == here);
        rows.map(|row| (roads.features.names[row.1].as_str(), row.2)).collect()
    };
    // 10.5 m in 111 m are steep, 2.5 m are not, and going down never is.
    let length = roads.network.segments[segment(&roads.network, 1, 2)].length;
    assert_eq!(of(1, 2), [("climb", 10.5), ("steep", length)]);
    assert_eq!(of(2, 1), [("descent", 10.5)]);
    assert_eq!((of(5, 2), of(2, 4)), (vec![("climb", 2.5)], vec![]));
    // The file keeps them.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    roads.save(&path).unwrap();
    assert_eq!(Roads::load(&path).unwrap().network.nodes, roads.network.nodes);
}

#[test]
fn elevations_of_places_near_a_node_are_weighed_by_distance() {
    let mut network = cross().network();
    // Nodes are 111 m apart, on a grid of 0.001 degrees. Two places 22 m and 67 m west of node 2.
    let at = |id: i64| network.nodes.iter().find(|node| node.id == id).unwrap().position;
    let two = at(2);
    let text = format!("lat,lon,elevation\n{},{},10\n{},{},50\n", two.lat, two.lon - 0.0002, two.lat, two.lon - 0.0006);
    let (_directory, table) = file("heights.csv", text.as_bytes());
    assert!(network.read_elevations(&table).unwrap() >= 1);
    let found = network.nodes.iter().find(|node| node.id == 2).unwrap().elevation.unwrap();
    assert!((found - (10.0 / 2.0 + 50.0 / 6.0) / (1.0 / 2.0 + 1.0 / 6.0)).abs() < 0.01, "{found}");
    for (text, words) in [
        (&b"node,height\n1,2\n"[..], "give elevation"),
        (b"elevation\n1\n", "give elevation"),
        (b"node,elevation\n1,x\n", "line 2"),
        (b"lat,lon,elevation\n100,0,1\n", "line 2"),
    ] {
        let (_directory, table) = file("heights.csv", text);
        let message = network.read_elevations(&table).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn turns_have_features_from_a_table() {
    let roads = || Roads::new(cross().network(), &[Group::Length]);
    let turn = |roads: &Roads, a, b, c| -> Vec<(String, f64)> {
        let [from, to] = [segment(&roads.network, a, b), segment(&roads.network, b, c)];
        let number = roads.network.turns().position(|turn| turn == (from as u32, to as u32)).unwrap();
        let rows = roads.features.of_turns.iter().filter(|row| row.0 == number);
        rows.map(|row| (roads.features.names[row.1].clone(), row.2)).collect()
    };
    let mut by_way = roads();
    let (_directory, table) = file("turns.csv", b"from_way,to_way,wait,yield\n10,12,30,0\n12,11,5,1\n");
    let read = by_way.add_turn_features(&table, false).unwrap();
    assert_eq!((read.names, read.unknown), (vec!["wait".to_string(), "yield".to_string()], 0));
    assert_eq!(turn(&by_way, 1, 2, 4), [("wait".to_string(), 30.0)]);
    assert_eq!(turn(&by_way, 4, 2, 3), [("wait".to_string(), 5.0), ("yield".to_string(), 1.0)]);
    assert_eq!(turn(&by_way, 3, 2, 1), []);
    by_way.problem().unwrap();
    let mut by_segment = roads();
    let [from, to] = [segment(&by_segment.network, 1, 2), segment(&by_segment.network, 2, 4)];
    let text = format!("from_segment,to_segment,wait\n{from},{to},30\n");
    let (_directory, table) = file("turns.csv", text.as_bytes());
    by_segment.add_turn_features(&table, false).unwrap();
    assert_eq!(turn(&by_segment, 1, 2, 4), [("wait".to_string(), 30.0)]);
    for (text, words) in [
        (&b"way,wait\n10,1\n"[..], "from_way and to_way"),
        (b"from_way,to_way\n10,12\n", "for each feature"),
        (b"from_way,to_way,wait\n10,99,1\n", "no turn from 10 to 99"),
        (b"from_way,to_way,wait\n10,12,1\n10,12,2\n", "appears twice"),
        (b"from_way,to_way,wait\n10,12,inf\n", "line 2"),
        (b"from_way,to_way,length\n10,12,1\n", "exists already"),
    ] {
        let (_directory, table) = file("turns.csv", text);
        let message = roads().add_turn_features(&table, false).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    let (_directory, table) = file("turns.csv", b"from_way,to_way,wait\n10,99,1\n10,12,1\n");
    assert_eq!(roads().add_turn_features(&table, true).unwrap().unknown, 1);
    assert!(roads().compressed().add_turn_features(&table, true).is_err());
}
