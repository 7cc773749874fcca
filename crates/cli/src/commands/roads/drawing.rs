//! Maps and lines for other programs.

use std::path::Path;

use revealed_draw::Canvas;
use revealed_formats::atomic;
use revealed_roads::Roads;
use serde_json::{Value, json};

use crate::terminal::Failure;

/// Refuses a picture of another kind.
pub fn check_picture(file: &Path) -> Result<(), Failure> {
    match extension(file).as_str() {
        "svg" | "png" => Ok(()),
        _ => Err(Failure::new(format!("{}: a map is an .svg or .png file: give it such an extension", file.display()))),
    }
}

/// Writes a picture as SVG or PNG.
pub fn write_picture(file: &Path, canvas: &Canvas) -> Result<(), Failure> {
    let bytes = match extension(file).as_str() {
        "png" => canvas.png()?,
        _ => canvas.svg().into_bytes(),
    };
    Ok(atomic::write(file, |writer| writer.write_all(&bytes))?)
}

/// Writes routes as GeoJSON: a line each, with what is known of it.
pub fn write_lines(file: &Path, roads: &Roads, lines: &[(&[usize], &Value)]) -> Result<(), Failure> {
    let line = |&(states, properties): &(&[usize], &Value)| {
        let mut coordinates: Vec<[f64; 2]> = Vec::new();
        for place in states.iter().flat_map(|&state| roads.line(state)) {
            if coordinates.last() != Some(&[place.lon, place.lat]) {
                coordinates.push([place.lon, place.lat]);
            }
        }
        json!({ "type": "Feature", "properties": properties, "geometry": { "type": "LineString", "coordinates": coordinates } })
    };
    let features: Vec<Value> = lines.iter().map(line).collect();
    let document = json!({ "type": "FeatureCollection", "features": features });
    Ok(atomic::write(file, |writer| writeln!(writer, "{document}"))?)
}

fn extension(file: &Path) -> String {
    file.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}
