//! Steps that the command line and Python share: plans of imports, flows, files of regions and engines, tables of lines.

use std::path::PathBuf;

use rand::SeedableRng;
use revealed::{Ends, Horizon, MaxEnt, Method, Options, Trajectory, Watch};
use revealed_formats::{Model, Problem, ScenarioRecord, demonstrations, load_manifest};
use revealed_roads::export::Column;
use revealed_roads::{
    AssignedFlows, City, CityOptions, DestinationModel, Engine, EngineExport, Error, Group, Import, Judge, OwnFeatures, Region,
    RegionOptions, RoadCosts, Roads, TraceOptions, city, long_enough, on_all_copies, predict, regions, trace, traces,
};

fn small_city() -> City {
    city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap()
}

/// A plan for a map in a folder of its own.
fn plan(folder: &tempfile::TempDir) -> Import {
    let input = folder.path().join("city.osm");
    std::fs::write(&input, small_city().osm_xml()).unwrap();
    Import { input, groups: Group::parse("time,turns").unwrap(), ..Import::default() }
}

fn run(plan: &Import) -> Result<(Roads, Vec<String>), Error> {
    let mut notes = Vec::new();
    let made = plan.run(&mut |note| notes.push(note), &Watch::none())?;
    Ok((made.roads, notes))
}

#[test]
fn a_plan_makes_the_network_that_its_steps_make() {
    let folder = tempfile::tempdir().unwrap();
    let plain = plan(&folder);
    assert!(!plain.is_edge_list());
    let columns = folder.path().join("columns.csv");
    std::fs::write(&columns, "segment,shops\n3,2.5\n").unwrap();
    let own = OwnFeatures { missing: Some(1.0), ..OwnFeatures::default() };
    let (roads, notes) = run(&Import { columns: Some(columns.clone()), own, compress: true, ..plain.clone() }).unwrap();
    let mut expected = run(&plain).unwrap().0;
    expected.add_features(&columns, own).unwrap();
    assert_eq!(roads, expected.compressed());
    assert!(notes[0].ends_with("adds shops") && notes[1].ends_with("segments have no row, and get 1"), "{notes:?}");
}

#[test]
fn a_plan_says_what_is_missing_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let plain = plan(&folder);
    let steep = Import { groups: Group::parse("steep").unwrap(), ..plain.clone() };
    assert!(run(&steep).unwrap_err().to_string().contains("have no elevation; give them by --elevation"));
    let speeds = folder.path().join("speeds.csv");
    std::fs::write(&speeds, "highway,hour,slowness\n*,,2\n").unwrap();
    let untimed = Import { groups: Group::parse("length").unwrap(), speeds: Some(speeds), ..plain.clone() };
    assert!(run(&untimed).unwrap_err().to_string().starts_with("--speeds: the network has no feature time"));
    let mut stop = |_: &revealed::Step<'_>| std::ops::ControlFlow::Break(());
    let stopped = plain.run(&mut |_| (), &Watch::new(&mut stop));
    assert!(matches!(stopped, Err(Error::Stopped)));
    let made = plain.run(&mut |_| (), &Watch::none()).unwrap();
    let json = made.to_json();
    assert_eq!(json["segments"], made.roads.network.n_originals());
    assert!(json["osm"]["highways"].as_u64() > Some(0) && made.metres() > 0.0);
    assert_eq!(made.profile(), made.roads.network.profile);
}

/// The true preferences of the city as a model, its problem, and some trips.
fn drivers(city: &City) -> (Problem, Model, Vec<Trajectory>) {
    let (problem, trips) = (city.problem().unwrap(), city.trips(30, 1).unwrap());
    let demos = revealed::Demonstrations::new(&problem.mdp, &trips).unwrap();
    let options = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), ..Options::default() };
    let settings = MaxEnt { method: Method::RecursiveLogit, options, max_iterations: 0, ..MaxEnt::default() };
    let settings = MaxEnt { start: Some(city.theta.clone()), ..settings };
    let fit = settings.fit(&problem.mdp, &problem.features, &demos).unwrap();
    let model = Model::of_fit(&fit, &settings, &problem, &demos);
    (problem, model, trips)
}

#[test]
fn flows_are_expected_visits_between_the_ends() {
    let city = small_city();
    let (problem, model, trips) = drivers(&city);
    let paths = model.path_model(&problem, Some(Horizon::Any), Some(Ends::Goal)).unwrap();
    let demand: Vec<_> = trips.iter().map(|trip| ([trip.states[0], trip.states[trip.states.len() - 1]], 1.0)).collect();
    let work = revealed::Work::default();
    let by = [("time".to_string(), 4)];
    let found = AssignedFlows::new(&city.roads, &problem, &model, &paths, &demand, &by, &work).unwrap();
    let judge = Judge::new(&city.roads, &problem, &trips, work);
    let predictions = predict(&city.roads, &paths, &trips, false, &work, "model", &Watch::none()).unwrap();
    let visits = judge.model_visits(&model.theta, Method::RecursiveLogit, &predictions).unwrap();
    assert!(found.flows.iter().zip(&visits).all(|(flow, visit)| (flow - visit).abs() < 1e-9 * (1.0 + visit)));
    let metres: f64 = found.flows.iter().zip(city.roads.lengths()).map(|(flow, length)| flow * length).sum();
    assert!((found.trips - 30.0).abs() < 1e-9 && (found.km_per_trip() - metres / 30e3).abs() < 1e-9);
    assert!((found.states_per_trip() - visits.iter().sum::<f64>() / 30.0).abs() < 1e-6);
    let columns = found.columns();
    assert_eq!([columns[0].0, columns[1].0], ["flow", "elasticity_time"]);
    // Longer times make routes shorter, or leave them as they are.
    assert!(found.of_all_metres(&city.roads, columns[1].1).is_finite());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flows.csv");
    found.save(&city.roads, &file).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.starts_with(&format!("state,flow,elasticity_time\n0,{},", found.flows[0])), "{}", &text[..80]);
    assert_eq!(text.lines().count(), 1 + city.roads.roads().count());
}

#[test]
fn a_closed_road_changes_flows_as_a_toll_that_nobody_pays() {
    let city = small_city();
    let (problem, model, trips) = drivers(&city);
    let paths = model.path_model(&problem, Some(Horizon::Any), Some(Ends::Goal)).unwrap();
    let demand: Vec<_> = trips.iter().map(|trip| ([trip.states[0], trip.states[trip.states.len() - 1]], 2.0)).collect();
    let work = revealed::Work::default();
    let base = AssignedFlows::new(&city.roads, &problem, &model, &paths, &demand, &[], &work).unwrap();
    let is_end = |state: usize| demand.iter().any(|trip| trip.0.contains(&state));
    let mut busy: Vec<usize> = (0..base.flows.len()).filter(|&state| !is_end(state)).collect();
    busy.sort_by(|&a, &b| base.flows[b].total_cmp(&base.flows[a]));
    let changed = |changes: &str| {
        let mut changes: ScenarioRecord = serde_json::from_str(changes).unwrap();
        on_all_copies(&city.roads, &mut changes);
        let scenario = changes.build(&problem).unwrap();
        base.clone().in_scenario(&city.roads, &model, &scenario, &demand, &work)
    };
    // The busiest that leaves every trip another way.
    let without = |&state: &usize| Some((state, changed(&format!(r#"{{"close": [{state}]}}"#)).ok()?));
    let (busiest, closed) = busy.iter().find_map(without).unwrap();
    let tolled = changed(&format!(r#"{{"add_reward": [{{"reward": -60, "states": [{busiest}]}}]}}"#)).unwrap();
    let ([closed_there, tolled_there], names) =
        ([&closed, &tolled].map(|found| found.changed.as_ref().unwrap()), closed.columns());
    assert!(base.flows[busiest] > 1.0 && closed_there.flows[busiest] == 0.0 && closed.flows == base.flows);
    assert!(closed_there.flows.iter().zip(&tolled_there.flows).all(|(closed, tolled)| (closed - tolled).abs() < 1e-9));
    assert!((0..base.flows.len()).all(|state| closed_there.difference[state] == closed_there.flows[state] - base.flows[state]));
    assert!(closed_there.km_per_trip > 0.0 && closed_there.km_per_trip != base.km_per_trip());
    assert_eq!([names[0].0, names[1].0, names[2].0], ["flow", "scenario", "difference"]);
    // A small toll moves few: the change is about that of the derivative, twice as large for twice the toll.
    let moved = |toll: f64| {
        let toll = format!(r#"{{"add_reward": [{{"reward": {}, "states": [{busiest}]}}]}}"#, -toll);
        changed(&toll).unwrap().changed.unwrap().difference[busiest]
    };
    assert!(moved(1e-3) < 0.0 && (moved(2e-3) / moved(1e-3) - 2.0).abs() < 1e-2);
    let to = demand[3].0[1];
    let error = changed(&format!(r#"{{"close": [{to}]}}"#)).unwrap_err().to_string();
    let lost = demand.iter().find(|trip| trip.0.contains(&to)).unwrap().0;
    assert!(error.contains("no path is left") && error.contains(&lost[0].to_string()), "{error}");
}

#[test]
fn comparisons_are_those_of_trips_with_a_prediction() {
    let city = small_city();
    let (problem, model, trips) = drivers(&city);
    let paths = model.path_model(&problem, Some(long_enough(model.horizon, &trips)), None).unwrap();
    assert_eq!(paths.horizon().at_most(), trips.iter().map(|trip| trip.states.len()).max());
    let judge = Judge::new(&city.roads, &problem, &trips, revealed::Work::default());
    let mut predictions = predict(&city.roads, &paths, &trips, false, &judge.work, "model", &Watch::none()).unwrap();
    predictions.routes[1] = Err("no way".to_string());
    let compared = judge.comparisons(&predictions);
    assert_eq!(compared.iter().map(|row| row.0).collect::<Vec<_>>(), [0].into_iter().chain(2..30).collect::<Vec<_>>());
    let first = predictions.routes[0].as_ref().unwrap();
    assert_eq!(compared[0].1, judge.metrics().compare(first, &trips[0].states));
}

#[test]
fn regions_are_written_with_their_list() {
    let city = small_city();
    let (problem, trips) = (city.problem().unwrap(), city.trips(20, 1).unwrap());
    let cut = regions(&problem, &trips, &RegionOptions { count: 3, margin: None }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let manifest = cut.save(&folder.path().join("new")).unwrap();
    let worlds = load_manifest(&manifest).unwrap();
    let with_trips: Vec<usize> = (0..3).filter(|&number| !cut.regions[number].trips.is_empty()).collect();
    assert_eq!(worlds.len(), with_trips.len());
    for (world, number) in worlds.iter().zip(with_trips) {
        let name = |path: &PathBuf| path.file_name().unwrap().to_owned();
        assert_eq!(name(&world.problem), name(&Region::files(number).problem));
        assert_eq!(Problem::load(&world.problem).unwrap().columns().n_states, cut.regions[number].states.len() as i64);
        assert_eq!(demonstrations::load(&world.demos).unwrap().len(), cut.regions[number].trips.len());
    }
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(cut.save(&folder.path().join("file")).unwrap_err().to_string().contains("cannot be made"));
}

#[test]
fn engines_get_their_files() {
    let city = small_city();
    let costs = RoadCosts::new(&city.roads, &city.theta).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [output, turns] = ["segments.csv", "turns.csv"].map(|name| folder.path().join(name));
    let written = EngineExport::write(Engine::Osrm, &costs, &output, Some(&turns)).unwrap();
    let rows = std::fs::read_to_string(&output).unwrap().lines().count();
    assert_eq!(written.to_json()["content"]["segments"], rows);
    let without = EngineExport::write(Engine::Osrm, &costs, &output, None).unwrap_err();
    assert_eq!(without.to_string(), "--to osrm: give --turns, too");
    for engine in [Engine::GraphHopper, Engine::Valhalla] {
        let output = folder.path().join(format!("{}.json", engine.name()));
        let written = EngineExport::write(engine, &costs, &output, None).unwrap();
        assert!(written.agreement.is_some() && !written.rows.is_empty());
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(output).unwrap()).unwrap();
        assert!(json.is_object() && written.to_json()["engine"] == engine.name());
    }
}

#[test]
fn tables_have_the_attributes_the_columns_and_the_lines() {
    let roads = small_city().roads;
    let costs = roads.costs(&vec![-1.0; roads.features.names.len()]).unwrap();
    let table = roads.table(&[("cost", &costs)]).unwrap();
    assert_eq!(table.lines.len(), roads.roads().count());
    let (name, column) = &table.columns[8];
    assert_eq!((name.as_str(), column), ("cost", &Column::Floats(costs.iter().map(|cost| Some(*cost)).collect())));
    let Column::Texts(highways) = &table.columns[2].1 else { panic!("{:?}", table.columns[2]) };
    assert_eq!(highways[0].as_deref(), Some(roads.network.way_of(0).highway.as_str()));
    assert_eq!(roads.route_parts(&[0]), table.lines[0]);
    assert!(roads.table(&[("way", &costs)]).is_err() && roads.table(&[("cost", &costs[1..])]).is_err());
    assert!(roads.costs(&[1.0]).unwrap_err().to_string().contains("there are 1 weights"));
}

#[test]
fn matched_paths_are_written_as_lines_with_their_fields() {
    let city = small_city();
    let folder = tempfile::tempdir().unwrap();
    let [paths, lines] = ["paths.jsonl", "lines.geojson"].map(|name| folder.path().join(name));
    demonstrations::save(&city.trips(4, 1).unwrap(), &paths).unwrap();
    assert_eq!(city.roads.export_paths(&lines, &paths).unwrap(), 4);
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&lines).unwrap()).unwrap();
    let first = &json["features"][0]["properties"];
    assert!(first["id"] == "1" && first["states"].is_array() && first["actions"].is_null(), "{first}");
    std::fs::write(&paths, "{\"states\": [0, 0], \"actions\": [0]}\n").unwrap();
    assert!(city.roads.export_paths(&lines, &paths).is_err());
}

#[test]
fn a_prior_of_metres_counts_each_road_once() {
    let roads = small_city().roads;
    let model = DestinationModel::of_metres(&roads).unwrap();
    let metres: f64 = roads.roads().map(|state| roads.length(state)).sum();
    assert!((model.prior.iter().sum::<f64>() - metres).abs() < 1e-6 * metres);
}

#[test]
fn traces_of_several_trips_are_those_of_each() {
    let city = small_city();
    let trips = city.trips(3, 1).unwrap();
    let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(7);
    for (trip, (id, fixes)) in trips.iter().zip(traces(&city.roads, &trips, &TraceOptions::default(), 7)) {
        assert_eq!(Some(&id), trip.id.as_ref());
        assert_eq!(fixes, trace(&city.roads, &trip.states, &TraceOptions::default(), &mut rng));
    }
}
