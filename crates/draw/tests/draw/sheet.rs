//! What can be read off a picture in SVG.

use revealed_draw::Canvas;

pub fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}

/// The numbers of an attribute, wherever it stands.
fn numbers<'a>(svg: &'a str, attribute: &str) -> impl Iterator<Item = f64> + 'a {
    let begin = format!(" {attribute}=\"");
    let values: Vec<&str> = svg.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    values
        .into_iter()
        .flat_map(|value| value.split(['M', 'L', 'Z', ' ']).filter(|number| !number.is_empty()))
        .map(|number| number.parse().unwrap_or_else(|_| panic!("{number} is not a number")))
}

/// Checks that everything lies on the sheet, and that every text begins and ends on it. Returns the SVG.
pub fn check_sheet(canvas: &Canvas) -> String {
    let svg = canvas.svg();
    assert_eq!(svg, canvas.svg());
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let (width, height) = (numbers(&svg, "width").next().unwrap(), numbers(&svg, "height").next().unwrap());
    let points: Vec<f64> = numbers(&svg, "d").collect();
    for point in points.chunks(2) {
        assert!(
            (0.0..=width).contains(&point[0]) && (0.0..=height).contains(&point[1]),
            "{point:?} is not on {width} x {height}"
        );
    }
    for text in svg.split("<text ").skip(1) {
        let (head, rest) = text.split_once('>').unwrap();
        let words = rest.split('<').next().unwrap();
        let number = |name| numbers(&format!(" {head}"), name).next().unwrap();
        let wide = 0.6 * number("font-size") * words.chars().count() as f64;
        let before = [("\"start\"", 0.0), ("\"middle\"", 0.5), ("\"end\"", 1.0)];
        let before = before.iter().find(|anchor| head.contains(anchor.0)).unwrap().1;
        let left = number("x") - before * wide;
        assert!(
            left >= -0.5 && left + wide <= width + 0.5 && number("y") <= height,
            "{words:?} leaves the sheet: {left} {wide}"
        );
    }
    svg
}
