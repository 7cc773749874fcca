//! Lines as longitudes and latitudes, for other programs.

use crate::geometry::Position;

/// A line as pairs of longitude and latitude. Where it crosses the antimeridian it is cut in two, as the standard of
/// GeoJSON asks for (RFC 7946, section 3.1.9); otherwise programs would draw it around the earth.
pub(super) fn cut(line: &[Position]) -> Vec<Vec<[f64; 2]>> {
    let mut parts = vec![Vec::new()];
    let mut last: Option<Position> = None;
    for &place in line {
        if let Some(before) = last.filter(|before| (place.lon - before.lon).abs() > 180.0) {
            let east = before.degrees_east(place);
            let side = 180f64.copysign(east);
            let share = if east == 0.0 { 0.0 } else { (side - before.lon) / east };
            let lat = before.lat + share.clamp(0.0, 1.0) * (place.lat - before.lat);
            add(&mut parts, [side, lat]);
            parts.push(vec![[-side, lat]]);
            add(&mut parts, [place.lon, place.lat]);
        } else {
            parts.last_mut().into_iter().for_each(|part| part.push([place.lon, place.lat]));
        }
        last = Some(place);
    }
    // A line that begins or ends on the antimeridian leaves a part of one point.
    if parts.iter().any(|part| part.len() > 1) {
        parts.retain(|part| part.len() > 1);
    }
    parts
}

/// Adds a point to the last part, unless it ends there.
fn add(parts: &mut [Vec<[f64; 2]>], point: [f64; 2]) {
    if let Some(part) = parts.last_mut().filter(|part| part.last() != Some(&point)) {
        part.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_crosses_the_antimeridian() {
        let at = |lon: f64, lat: f64| Position { lat, lon };
        let whole = [at(1.0, 2.0), at(1.5, 2.0), at(1.5, 3.0)];
        assert_eq!(cut(&whole), [vec![[1.0, 2.0], [1.5, 2.0], [1.5, 3.0]]]);
        let across = [at(179.0, 0.0), at(-178.0, 3.0), at(-177.0, 3.0)];
        let expected = [vec![[179.0, 0.0], [180.0, 1.0]], vec![[-180.0, 1.0], [-178.0, 3.0], [-177.0, 3.0]]];
        assert_eq!(cut(&across), expected);
        let back = [at(-179.0, 0.0), at(179.0, 2.0)];
        assert_eq!(cut(&back), [vec![[-179.0, 0.0], [-180.0, 1.0]], vec![[180.0, 1.0], [179.0, 2.0]]]);
        let touching = [at(180.0, 0.0), at(-179.0, 0.0)];
        assert_eq!(cut(&touching), [vec![[-180.0, 0.0], [-179.0, 0.0]]]);
    }
}
