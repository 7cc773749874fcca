//! Maps of answers: an evaluation, routes, destinations, flows.

use revealed::{Ends, Method, PathModel, Watch, Work};
use revealed_draw::{destination_map, evaluation_maps, flow_map, routes_map};
use revealed_roads::{
    AssignedFlows, ChangedFlows, CityOptions, EvaluateOptions, Judge, LikelyRoutes, TraceForecast, city, evaluate,
    likeliest_routes,
};

use crate::sheet::check_sheet;
use crate::towns::{NINE, town};

#[test]
fn an_evaluation_has_seven_maps() {
    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let (problem, trips) = (city.problem().unwrap(), city.trips(12, 1).unwrap());
    let reward = problem.features.reward(&problem.mdp, &city.theta).unwrap();
    let model = PathModel::new(&problem.mdp, reward, city.horizon, Ends::Anywhere).unwrap();
    let judge = Judge::new(&city.roads, &problem, &trips, Work::default());
    let options = EvaluateOptions { destinations: 0, seed: 1 };
    let found = evaluate(&judge, (&model, Method::Exact), None, &options, &Watch::none()).unwrap();
    let visits = judge.model_visits(&city.theta, Method::Exact, &found.learned).unwrap();
    let maps = evaluation_maps(&judge, &city.theta, &visits, &found).unwrap();
    let names: Vec<&str> = maps.iter().map(|map| map.0).collect();
    assert_eq!(names, ["costs", "flows", "flow-difference", "flow-scatter", "trip-good", "trip-median", "trip-bad"]);
    let costs = check_sheet(&maps[0].1);
    assert!(costs.contains("Cost of a metre of each road") && costs.contains("nats per metre"));
    assert!(maps[5].1.svg().contains("A median forecast") && maps[5].1.svg().contains("driven route"));
    assert!(evaluation_maps(&judge, &city.theta[1..], &visits, &found).is_err());
    assert!(evaluation_maps(&judge, &city.theta, &visits[1..], &found).is_err());
}

#[test]
fn routes_are_drawn_with_their_lengths() {
    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let problem = city.problem().unwrap();
    let reward = problem.features.reward(&problem.mdp, &city.theta).unwrap();
    let model = PathModel::new(&problem.mdp, reward, city.horizon, Ends::Anywhere).unwrap();
    let found = likeliest_routes(&city.roads, &model, [&[10], &[500]], 2, &Work::default()).unwrap();
    let svg = check_sheet(&routes_map(&city.roads, &found).unwrap());
    let km = format!("{:.2} km", found.routes[0].metres() / 1e3);
    assert!(svg.contains("The likeliest route: ") && svg.contains(&km) && svg.contains("2. route, "));
    let none = routes_map(&city.roads, &LikelyRoutes { routes: Vec::new() }).unwrap_err();
    assert!(none.to_string().contains("there is no route to draw"));
}

#[test]
fn flows_and_destinations_are_drawn() {
    let roads = town(NINE);
    let n = roads.n_states();
    let flows: Vec<f64> = (0..n).map(|state| 1.0 + state as f64).collect();
    let less = flows.iter().map(|flow| 0.5 * flow).collect::<Vec<f64>>();
    let changed = ChangedFlows { difference: less.iter().map(|less| -less).collect(), flows: less, km_per_trip: 0.5 };
    let found = AssignedFlows { flows, changed: None, elasticities: Vec::new(), trips: 7.5, metres: 1.0 };
    assert!(check_sheet(&flow_map(&roads, &found).unwrap()).contains("Expected flows of 7.5 trips"));
    let found = AssignedFlows { changed: Some(changed), ..found };
    let drawn = check_sheet(&flow_map(&roads, &found).unwrap());
    assert!(drawn.contains("the scenario"), "{drawn}");
    let forecast = TraceForecast {
        trip: "1".to_string(),
        states: vec![0],
        parts: 1,
        metres: 1.0,
        used: 2,
        confidence: 1.0,
        posterior: vec![1.0 / n as f64; n],
        place: None,
        destinations: Vec::new(),
    };
    assert!(check_sheet(&destination_map(&roads, &forecast).unwrap()).contains("Destination of the trip"));
}
