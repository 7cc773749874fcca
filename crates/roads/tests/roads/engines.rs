//! Learned costs for routing engines. Whole routes are compared in `tests/command_line/test_exports.py`.

use revealed_roads::{
    CityOptions, EdgeList, GraphHopperModel, Group, NetworkOptions, OsrmTables, Profile, RoadCosts, Roads, ValhallaOptions,
    city,
};

fn roads(groups: &[Group]) -> Roads {
    let roads = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap().roads;
    Roads::new(roads.network, groups)
}

/// A weight for each feature, all different and below 0.
fn weights(roads: &Roads) -> Vec<f64> {
    (1..=roads.features.names.len()).map(|number| -0.01 * number as f64).collect()
}

/// Minus the reward of a route, by the problem.
fn cost(roads: &Roads, theta: &[f64], route: &[u32]) -> f64 {
    let problem = roads.problem().unwrap();
    let reward = problem.features.reward(&problem.mdp, theta).unwrap();
    let model = revealed::PathModel::new(&problem.mdp, reward, route.len(), revealed::Ends::Anywhere).unwrap();
    -model.log_weight(&roads.path(route).unwrap()).unwrap()
}

/// Routes that take the first turn, or the last.
fn routes(roads: &Roads) -> Vec<Vec<u32>> {
    let walk = |first: u32, last_turn: bool| {
        let next = |segment: &u32| {
            let turns = roads.network.turns_of(*segment as usize);
            if last_turn { turns.last().copied() } else { turns.first().copied() }
        };
        std::iter::successors(Some(first), next).take(12).collect()
    };
    (0..roads.n_states() as u32).step_by(37).flat_map(|first| [walk(first, false), walk(first, true)]).collect()
}

/// The cost of the only turn after the last segment of a route is counted with the segment.
#[test]
fn costs_of_routes_are_minus_their_rewards() {
    let roads = roads(&Group::ALL);
    let theta = weights(&roads);
    let costs = RoadCosts::new(&roads, &theta).unwrap();
    let mut exact = 0;
    for route in routes(&roads) {
        let (found, expected) = (costs.of_route(&route).unwrap(), cost(&roads, &theta, &route));
        let turns = roads.network.turns_of(route[route.len() - 1] as usize);
        let more = turns.iter().map(|&to| {
            let longer: Vec<u32> = route.iter().copied().chain([to]).collect();
            cost(&roads, &theta, &longer) - expected - cost(&roads, &theta, &[to])
        });
        let after = if turns.len() == 1 { more.fold(0.0, f64::max) } else { 0.0 };
        let is_close = |value: f64| (found - value).abs() < 1e-9 * value;
        assert!(is_close(expected) || is_close(expected + after), "{found} {expected} {after}");
        exact += usize::from(is_close(expected));
    }
    assert!(exact > 10);
    assert_eq!(costs.of_route(&[0, 0]), None);
}

#[test]
fn what_engines_can_express_is_exact() {
    let roads = roads(&[Group::RoadType, Group::Lanes, Group::Speed, Group::Toll, Group::Time, Group::Length]);
    let theta = weights(&roads);
    let found = GraphHopperModel::new(&RoadCosts::new(&roads, &theta).unwrap()).unwrap();
    assert!(
        found.agreement.error < 1e-9 && (found.agreement.correlation - 1.0).abs() < 1e-9 && found.lost.is_empty(),
        "{found:?}"
    );
    assert_eq!(found.json["priority"].as_array().unwrap().len(), found.n_classes + 2);
    let roads = self::roads(&[Group::Length, Group::Time]);
    let theta = [-0.02, -0.3];
    let found = ValhallaOptions::new(&RoadCosts::new(&roads, &theta).unwrap()).unwrap();
    assert!(found.agreement.error < 1e-9, "{found:?}");
    // 0.3 per second, and 0.02 · 16 per 16 metres.
    let options = &found.json["costing_options"]["auto"];
    let part = 0.32 / 0.62;
    assert!((options["use_distance"].as_f64().unwrap() - part).abs() < 1e-9, "{found:?}");
    assert!((options["use_highways"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{found:?}");
}

#[test]
fn turns_are_rules_of_graphhopper() {
    let roads = roads(&[Group::Length, Group::Turns]);
    let found = GraphHopperModel::new(&RoadCosts::new(&roads, &[-0.01, -0.5, -0.25, -3.0]).unwrap()).unwrap();
    let rules = found.json["turn_penalty"].as_array().unwrap();
    let seconds: Vec<f64> =
        rules.iter().map(|rule| rule["add"].as_str().unwrap().parse::<f64>().unwrap() / found.scale).collect();
    assert!(seconds.iter().zip([0.5, 0.0, 0.25, 3.0]).all(|(found, expected)| (found - expected).abs() < 1e-6), "{seconds:?}");
    assert_eq!(rules[0]["if"], "change_angle >= -180 && change_angle < -45");
    assert_eq!(rules[1]["else_if"], "change_angle >= -45 && change_angle <= 45");
    assert_eq!(rules[2]["else_if"], "change_angle > 45 && change_angle <= 180");
}

#[test]
fn costs_that_no_engine_takes_are_refused() {
    let roads = roads(&[Group::Length, Group::Link]);
    let message = |theta: &[f64]| RoadCosts::new(&roads, theta).unwrap_err().to_string();
    assert!(message(&[0.01, 0.0]).contains("segments have a cost that is not positive, such as segment 0 ("));
    assert!(message(&[-0.01]).contains("there are 1 weights, but the network has 2 features"));
    let mut walked = roads.clone();
    walked.network.profile = Profile::Foot;
    let costs = RoadCosts::new(&walked, &[-0.01, 0.0]).unwrap();
    let refused = [GraphHopperModel::new(&costs).map(drop), ValhallaOptions::new(&costs).map(drop)];
    assert!(refused.into_iter().all(|found| found.unwrap_err().to_string().starts_with("the network is for walkers")));
    assert!(OsrmTables::new(&costs).is_ok());
    let small = roads.clone().compressed();
    assert!(RoadCosts::new(&small, &[-0.01, 0.0]).unwrap_err().to_string().contains("without --compress"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edges.csv");
    std::fs::write(&file, "from,to,from_lat,from_lon,to_lat,to_lon\n-1,-2,0,0,0,0.001\n-2,-1,0,0.001,0,0\n").unwrap();
    let list = EdgeList::read(&file, None, NetworkOptions::default()).unwrap();
    let roads = Roads::new(list.network, &[Group::Length]);
    let found = OsrmTables::new(&RoadCosts::new(&roads, &[-1.0]).unwrap()).unwrap_err().to_string();
    assert!(found.contains("has no id of OpenStreetMap"), "{found}");
}
