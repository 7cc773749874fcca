//! Reads an extract of OpenStreetMap, counts, and writes the road network: `import IN.osm.pbf OUT.npz [FEATURES [EXPORT.fgb]]`.

use revealed_roads::{Extract, Group, Network, NetworkOptions, Roads};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let clock = std::time::Instant::now();
    let extract = Extract::read(&arguments[1], false)?;
    let network = Network::new(&extract, NetworkOptions::default())?;
    println!("{:?}\n{:?}", extract.counts, network.counts);
    println!("{} segments, {} turns in {:.2?}", network.n_segments(), network.n_turns(), clock.elapsed());
    let roads = Roads::new(network, &Group::parse(arguments.get(3).map_or("paper", String::as_str))?);
    roads.save(&arguments[2])?;
    let again = Roads::load(&arguments[2])?;
    assert_eq!(again.features, roads.features);
    assert!(again.network.segments == roads.network.segments && again.network.ways == roads.network.ways);
    println!("saved and read again in {:.2?}", clock.elapsed());
    if let Some(path) = arguments.get(4) {
        let speeds: Vec<f64> = (0..roads.n_states()).map(|state| 3.6 * roads.length(state) / roads.seconds(state)).collect();
        roads.export(path, &[("driven_speed", &speeds)])?;
        println!("{path}: {:.1} MB in {:.2?}", std::fs::metadata(path)?.len() as f64 / 1e6, clock.elapsed());
    }
    Ok(())
}
