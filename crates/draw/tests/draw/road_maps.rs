//! Maps of small networks.

use revealed_draw::{
    Canvas, DestinationPicture, Flows, MapOptions, RoadMap, TripPicture, Values, cost_per_metre, flow_scatter,
};
use revealed_roads::{Group, Network, Position, RoadType, Roads, Source};

use crate::sheet::{check_sheet, count};
use crate::towns::{BLOCK, NINE, along, grid, town};

fn map(roads: &Roads) -> RoadMap<'_> {
    RoadMap::new(roads, MapOptions::openstreetmap()).unwrap()
}

#[test]
fn values_have_a_colour_a_width_and_a_legend() {
    let roads = grid(30);
    // One street is far beyond the others, and must not take all the colours.
    let value = |state: usize| if state < 2 { 1e6 } else { (state / 2) as f64 / 1000.0 };
    let values: Vec<f64> = (0..roads.n_states()).map(value).collect();
    let picture = Values { title: "Learned cost", label: "cost per metre (nats)", values: &values, ..Values::default() };
    let canvas = map(&roads).coloured(&picture).unwrap();
    let svg = check_sheet(&canvas);
    for words in
        ["Learned cost", "cost per metre (nats)", "highway", "local road", ">N<", "© OpenStreetMap contributors", " km<"]
    {
        assert!(svg.contains(words), "{words} is not in the map");
    }
    assert!(svg.contains("percentiles 2 and 98") && !svg.contains("no value") && !svg.contains("major road"));
    // 3,480 segments, and no more elements than classes of colours and types, bars and ticks.
    assert!(count(&svg, "<path") < 60 && count(&svg, "<g ") <= 2 * 16 + 2, "{} paths", count(&svg, "<path"));
    let png = canvas.png().unwrap();
    assert_eq!(png, map(&roads).coloured(&picture).unwrap().png().unwrap());
    let info = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    assert_eq!(info.info().width, 1800);
}

/// The ticks of a colour bar are the numbers of the map.
#[test]
fn two_maps_with_one_scale_have_the_same_ticks() {
    let roads = grid(8);
    let low: Vec<f64> = (0..roads.n_states()).map(|state| 1.0 + state as f64 / 100.0).collect();
    let high: Vec<f64> = low.iter().map(|value| 40.0 * value).collect();
    let of = |values, beside| {
        let svg = map(&roads).coloured(&Values { values, beside, clip: [0.0, 100.0], ..Values::default() }).unwrap().svg();
        let texts = svg.split("</text>").filter_map(|text| text.rsplit('>').next()?.parse::<f64>().ok());
        texts.collect::<Vec<f64>>()
    };
    assert_eq!(of(&low, &high), of(&high, &low));
    assert_ne!(of(&low, &[]), of(&high, &[]));
    let short = map(&roads).coloured(&Values { values: &low, beside: &[1.0], ..Values::default() });
    assert!(short.unwrap_err().to_string().contains("1 values of the other map"));
}

/// Both directions are one line: of a street with two values, the mean is shown.
#[test]
fn a_street_is_drawn_once() {
    let roads = town(BLOCK);
    let values = [1.0, 3.0, f64::NAN, 2.0, f64::NAN, f64::NAN, 2.0, 2.0];
    let picture = Values { values: &values, ..Values::default() };
    let svg = check_sheet(&map(&roads).coloured(&picture).unwrap());
    // All means are 2, and the street without a value is grey: a grey line, one around the corner, the highway, and
    // three in the legend.
    let lines: Vec<&str> = svg.split("stroke-linecap=\"round\"><path d=\"").skip(1).collect();
    assert_eq!(lines.iter().map(|line| count(line.split('"').next().unwrap(), "M")).sum::<usize>(), 3 + 3, "{svg}");
    assert!(lines[1].starts_with("M560 660.6L160 660.6 160 129.4\""), "{}", lines[1]);
    assert!(svg.contains("no value") && svg.contains("#d9d9d9") && !svg.contains("percentiles"));
}

#[test]
fn what_cannot_be_shown_is_an_error() {
    let roads = town(NINE);
    let map = map(&roads);
    let n = roads.n_states();
    let message = |result: Result<Canvas, revealed_draw::Error>| result.unwrap_err().to_string();
    let values = |values| Values { values, ..Values::default() };
    assert_eq!(
        message(map.coloured(&values(&[1.0]))),
        format!("the map: there are 1 values, but the network has {n} states: give one for each")
    );
    let none = vec![f64::NAN; n];
    assert!(message(map.coloured(&values(&none))).contains("no state has a value"));
    let logs = Values { log: true, ..values(&[0.0; 24]) };
    assert!(message(map.coloured(&logs)).contains("no state has a value"));
    let flat = vec![0.0; n];
    assert!(message(map.flows(&Flows { data: &flat, model: &flat, ..Flows::default() })).contains("no flow is above 0"));
    assert!(message(map.flow_difference(&Flows { data: &flat, ..Flows::default() })).contains("0 flows of the model"));
    assert!(message(map.trip(&TripPicture { title: "x", ..TripPicture::default() })).contains("\"x\" has neither a route"));
    assert!(message(map.trip(&TripPicture { forecast: &[0, 999], ..TripPicture::default() })).contains("state 999 at place 1"));
    assert!(message(map.trips("", &[], 3)).contains("no trip"));
    let nowhere = DestinationPicture { posterior: &flat, ..DestinationPicture::default() };
    assert!(message(map.destinations(&nowhere)).contains("no probability is above 0"));
    assert!(message(map.destinations(&DestinationPicture { truth: Some(n), ..nowhere })).contains("true destination"));
    assert!(flow_scatter("", &[1.0, 0.0], &[0.0, 1.0]).unwrap_err().to_string().contains("no state has both"));
    assert!(flow_scatter("", &[1.0], &[]).is_err() && cost_per_metre(&roads, &[1.0]).is_err());

    let empty = Roads::new(Network::default(), &[Group::Length]);
    assert!(RoadMap::new(&empty, MapOptions::default()).unwrap_err().to_string().contains("is the network empty?"));
    for width in [f64::NAN, 0.0, 1e9] {
        let options = MapOptions { width, ..MapOptions::default() };
        assert!(RoadMap::new(&roads, options).unwrap_err().to_string().contains("ask for 200 to 10000"));
    }
}

#[test]
fn strange_places_and_values_make_a_sensible_picture() {
    let mut roads = grid(4);
    let n = roads.n_states();
    // One node is nowhere, and one is no place on the earth.
    roads.network.nodes[5].position.lat = f64::NAN;
    roads.network.nodes[0].position.lon = 1e300;
    let map = map(&roads);
    for strange in [f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX, 0.0] {
        let mut values = vec![1.0; n];
        values[20] = strange;
        check_sheet(&map.coloured(&Values { values: &values, ..Values::default() }).unwrap());
        check_sheet(&map.coloured(&Values { values: &values, log: true, ..Values::default() }).unwrap());
        let flows = Flows { data: &values, model: &vec![2.0; n], ..Flows::default() };
        check_sheet(&map.flows(&flows).unwrap());
        check_sheet(&map.flow_difference(&flows).unwrap());
    }
    let route = along(&roads, &[0, 1, 5, 6, 10, 14]);
    let fixes = [Position { lat: f64::NAN, lon: 0.0 }, Position { lat: 0.0, lon: 0.0 }, Position { lat: 41.151, lon: -8.598 }];
    check_sheet(&map.trip(&TripPicture { fixes: &fixes, truth: &route, forecast: &route, ..TripPicture::default() }).unwrap());
    let posterior: Vec<f64> = (0..n).map(|state| if state == 8 { f64::NAN } else { 0.5f64.powi(state as i32) }).collect();
    let begun = DestinationPicture { prefix: &route, posterior: &posterior, truth: Some(0), ..DestinationPicture::default() };
    check_sheet(&map.destinations(&begun).unwrap());
}

#[test]
fn cost_per_metre_is_the_reward_without_its_sign() {
    let roads = town(NINE);
    // local, major, highway, other, length.
    let costs = cost_per_metre(&roads, &[-0.01, 0.0, -0.002, 0.0, -0.001]).unwrap();
    for (state, cost) in costs.iter().enumerate() {
        let expected = if roads.network.way_of(state).road_type == RoadType::Highway { 0.003 } else { 0.011 };
        assert!((cost - expected).abs() < 1e-15);
    }
}

#[test]
fn flows_have_one_scale_and_their_difference_has_two_sides() {
    let roads = grid(12);
    let highway = |state: usize| roads.network.way_of(state).road_type == RoadType::Highway;
    let data: Vec<f64> = (0..roads.n_states()).map(|state| if highway(state) { 400.0 } else { 1.0 }).collect();
    let model: Vec<f64> = (0..roads.n_states()).map(|state| if highway(state) { 90.0 } else { 2.5 }).collect();
    let flows = Flows { title: "Flows", label: "visits of 500 trips", data: &data, model: &model, ..Flows::default() };
    let both = check_sheet(&map(&roads).flows(&flows).unwrap());
    for words in [">data<", ">model<", "visits of 500 trips", ">1000<", ">100<"] {
        assert!(both.contains(words), "{words} is not in the map");
    }
    let stacked = map(&roads).flows(&Flows { stacked: true, ..flows }).unwrap();
    check_sheet(&stacked);
    let height = |canvas: &Canvas| -> f64 {
        canvas.svg().split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    // Each map is twice as wide, so both together are about four times as high.
    assert!(height(&stacked) > 3.0 * height(&map(&roads).flows(&flows).unwrap()));
    let difference = check_sheet(&map(&roads).flow_difference(&flows).unwrap());
    for words in ["model&apos;s flow ÷ data&apos;s flow", ">0.125<", ">1.25<", ">8<", "≥ 2", "≥ 500"] {
        assert!(difference.contains(words), "{words} is not in the map");
    }
    let scatter = check_sheet(&flow_scatter("Flows", &data, &model).unwrap());
    assert!(scatter.contains("528 segments that both visit, 0 more"), "{scatter}");
}

#[test]
fn trips_show_points_routes_and_the_match() {
    let roads = town(NINE);
    let (truth, forecast) = (along(&roads, &[0, 1, 2, 5, 8]), along(&roads, &[0, 1, 4, 5, 8]));
    let other = along(&roads, &[0, 3, 4, 5, 8]);
    let fixes: Vec<Position> = truth.iter().map(|&state| roads.line(state)[0]).collect();
    let others = [("shortest path", other.as_slice())];
    let trip = TripPicture {
        title: "Trip 7",
        fixes: &fixes,
        truth: &truth,
        forecast: &forecast,
        matched: Some(75.0),
        others: &others,
        ..TripPicture::default()
    };
    let svg = check_sheet(&map(&roads).trip(&trip).unwrap());
    for words in ["Trip 7", "GPS points", "true route", "forecast, 75% match", "shortest path", ">start<", ">end<", " m<"] {
        assert!(svg.contains(words), "{words} is not in the map");
    }
    // Each fix has a white edge; the start and the legend have two marks more.
    assert_eq!(count(&svg, "<circle"), 2 * (fixes.len() + 1 + 2));
    let alone = check_sheet(&map(&roads).trip(&TripPicture { truth: &truth, ..TripPicture::default() }).unwrap());
    assert!(!alone.contains("GPS points") && !alone.contains("forecast"));
    let matched = TripPicture { truth_name: "matched route", ..trip };
    let svg = check_sheet(&map(&roads).trip(&matched).unwrap());
    assert!(svg.contains("matched route") && !svg.contains("true route"));

    let panels = [TripPicture { title: "best", ..trip }, TripPicture { title: "worst", matched: Some(0.4), ..trip }, trip];
    let svg = check_sheet(&map(&roads).trips("Three trips", &panels, 2).unwrap());
    for words in ["Three trips", ">best<", ">worst<", ">75% match<", ">0% match<", ">forecast<"] {
        assert!(svg.contains(words), "{words} is not in the map");
    }
    assert_eq!(count(&svg, ">N<"), 3);
}

#[test]
fn maps_say_where_their_data_is_from() {
    let mut roads = town(NINE);
    for (source, words) in [(Source::OpenStreetMap, "© OpenStreetMap"), (Source::MadeUp, "a city that does not exist")] {
        roads.network.source = source;
        let route = along(&roads, &[0, 1, 2]);
        let picture = TripPicture { truth: &route, ..TripPicture::default() };
        let svg = check_sheet(&RoadMap::new(&roads, MapOptions::of(&roads)).unwrap().trip(&picture).unwrap());
        assert_eq!([svg.contains(words), svg.contains("©")], [true, source == Source::OpenStreetMap]);
    }
    roads.network.source = Source::Unknown;
    assert_eq!(MapOptions::of(&roads).attribution, None);
}

/// Chains are drawn as the segments that they are made of.
#[test]
fn compressed_networks_are_drawn_like_others() {
    let fine = town(NINE);
    let coarse = fine.clone().compressed();
    assert!(coarse.n_states() < fine.n_states());
    // Around the corners 0 and 2: whole chains.
    let route = along(&fine, &[3, 0, 1, 2, 5]);
    let segments: Vec<u32> = route.iter().map(|&state| state as u32).collect();
    let chains = coarse.path(&segments).unwrap().states;
    assert!(chains.len() < route.len());
    let trip = |roads: &Roads, truth: &[usize]| {
        check_sheet(&map(roads).trip(&TripPicture { truth, ..TripPicture::default() }).unwrap())
    };
    assert_eq!(trip(&coarse, &chains), trip(&fine, &route));
    let coloured = |roads: &Roads, value: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = (0..roads.n_states()).map(value).collect();
        check_sheet(&map(roads).coloured(&Values { title: "x", values: &values, ..Values::default() }).unwrap())
    };
    let visited = |states: &[usize], state: usize| f64::from(u8::from(states.contains(&state)));
    assert_eq!(coloured(&coarse, &|state| visited(&chains, state)), coloured(&fine, &|state| visited(&route, state)));
    let mut posterior = vec![0.0; coarse.n_states()];
    posterior[chains[1]] = 1.0;
    let picture = DestinationPicture { prefix: &chains[..1], posterior: &posterior, ..DestinationPicture::default() };
    check_sheet(&map(&coarse).destinations(&picture).unwrap());
}

#[test]
fn destinations_are_hexagons_of_probability() {
    let roads = grid(9);
    let route = along(&roads, &[0, 1, 2, 3, 12, 21, 30]);
    let (prefix, rest) = route.split_at(3);
    let posterior: Vec<f64> = (0..roads.n_states()).map(|state| if state < 40 { 0.02 } else { 0.2 / 248.0 }).collect();
    let picture = DestinationPicture { title: "After half", prefix, posterior: &posterior, rest, truth: route.last().copied() };
    let svg = check_sheet(&map(&roads).destinations(&picture).unwrap());
    for words in
        ["After half", "probability (%) in a hexagon", "driven so far", "driven later", "true destination", "are not drawn"]
    {
        assert!(svg.contains(words), "{words} is not in the map");
    }
    // All the hexagons are there: a hexagon is six points and closed.
    let hexagons = count(&svg, "Z");
    assert!((20..200).contains(&hexagons), "{hexagons} hexagons");
}

#[test]
fn long_titles_are_broken_and_wide_sheets_are_wide() {
    let roads = town(NINE);
    let options = MapOptions { width: 300.0, attribution: None };
    let narrow = RoadMap::new(&roads, options).unwrap();
    let truth = along(&roads, &[0, 1, 2]);
    let title = "A title that is too long for a narrow sheet and goes on in a second line";
    let svg = check_sheet(&narrow.trip(&TripPicture { title, truth: &truth, ..TripPicture::default() }).unwrap());
    assert!(!svg.contains(title) && svg.contains("A title that") && !svg.contains("OpenStreetMap"));
}
