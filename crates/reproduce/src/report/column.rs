//! Columns of numbers: decimal points, and the ± of intervals, stand below each other.

use super::mathematics::html as html_of;

/// A cell that is a number: `-1.25`, `3.1e-9`, `52 ± 20`, `82.1 %`, `3.5 (printed: 4)`.
#[derive(Debug, PartialEq)]
struct Figures<'a> {
    value: Decimal<'a>,
    /// What is after the `±`.
    half_width: Option<Decimal<'a>>,
    /// What is after the numbers, such as ` %`.
    unit: &'a str,
    /// Words in brackets after all of it.
    remark: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Decimal<'a> {
    /// The sign and the digits before the point.
    whole: &'a str,
    /// The point and the digits after it.
    fraction: &'a str,
    /// After the `e`.
    exponent: Option<&'a str>,
}

/// Units that may follow a number.
const UNITS: [&str; 7] = ["", " %", " m", " km", " s", " min", " h"];

impl<'a> Decimal<'a> {
    /// A number at the beginning of a text, and what is after it.
    fn read(text: &'a str) -> Option<(Decimal<'a>, &'a str)> {
        let sign = text.len() - text.trim_start_matches(['-', '−', '+']).len();
        let run = |from: usize| text[from..].find(|letter: char| !letter.is_ascii_digit() && letter != ',');
        let point = run(sign).map_or(text.len(), |length| sign + length);
        if point == sign {
            return None;
        }
        let digits = |from: usize| text[from..].find(|letter: char| !letter.is_ascii_digit()).map_or(text.len(), |n| from + n);
        let end = if text[point..].starts_with('.') { digits(point + 1) } else { point };
        let (mut after, mut exponent) = (end, None);
        if let Some(rest) = text[end..].strip_prefix('e') {
            let sign = usize::from(rest.starts_with('-'));
            let last = digits(end + 1 + sign);
            if last > end + 1 + sign {
                (after, exponent) = (last, Some(&text[end + 1..last]));
            }
        }
        Some((Decimal { whole: &text[..point], fraction: &text[point..end], exponent }, &text[after..]))
    }

    /// Its HTML, with hidden zeros after it so that it is as long as the longest fraction.
    fn write(&self, html: &mut String, fraction: usize) {
        html.push_str(&self.whole.replace('-', "−"));
        html.push_str(self.fraction);
        if let Some(exponent) = self.exponent {
            html.push_str(&format!(" × 10<sup>{}</sup>", exponent.replace('-', "−")));
            return;
        }
        hide(html, &zeros(self.fraction.len(), fraction));
    }
}

impl<'a> Figures<'a> {
    fn read(text: &'a str) -> Option<Figures<'a>> {
        let (value, rest) = Decimal::read(text)?;
        let (half_width, unit) = match rest.strip_prefix(" ± ") {
            Some(rest) => Decimal::read(rest).map(|(half_width, unit)| (Some(half_width), unit))?,
            None => (None, rest),
        };
        let (unit, remark) = match unit.find(" (").filter(|_| unit.ends_with(')')) {
            Some(place) => (&unit[..place], &unit[place + 1..]),
            None => (unit, ""),
        };
        UNITS.contains(&unit).then_some(Figures { value, half_width, unit, remark })
    }
}

/// What makes a fraction of one length as long as another: a point if there is none yet, and zeros.
fn zeros(from: usize, to: usize) -> String {
    (from..to).map(|place| if place == 0 { '.' } else { '0' }).collect()
}

/// Characters that take room and are not seen.
fn hide(html: &mut String, letters: &str) {
    if !letters.is_empty() {
        html.push_str(&format!("<span class=\"pad\">{letters}</span>"));
    }
}

/// How the numbers of a column are aligned.
#[derive(Debug, PartialEq)]
pub(super) struct Column {
    /// The longest fraction, with its point.
    fraction: usize,
    /// The longest half width: before the point, and from it on. `None` if there is none.
    half_width: Option<(usize, usize)>,
    /// The longest unit.
    unit: &'static str,
}

impl Column {
    /// The alignment of these cells; `None` if most of them are no numbers.
    pub fn of<'a>(cells: impl Iterator<Item = &'a str>) -> Option<Column> {
        let filled: Vec<&str> = cells.filter(|cell| !cell.is_empty() && *cell != "–").collect();
        let numbers: Vec<Figures<'_>> = filled.iter().filter_map(|cell| Figures::read(cell)).collect();
        if numbers.is_empty() || 2 * numbers.len() < filled.len() {
            return None;
        }
        let longest = |length: &dyn Fn(&Figures<'_>) -> usize| numbers.iter().map(length).max().unwrap_or(0);
        let of_half = |pick: fn(&Decimal<'_>) -> usize| longest(&move |number| number.half_width.as_ref().map_or(0, pick));
        let some = numbers.iter().any(|number| number.half_width.is_some());
        let units = UNITS.into_iter().filter(|unit| numbers.iter().any(|number| number.unit == *unit));
        Some(Column {
            fraction: longest(&|number| number.value.fraction.len()),
            half_width: some.then(|| (of_half(|half| half.whole.len()), of_half(|half| half.fraction.len()))),
            unit: units.max_by_key(|unit| unit.len()).unwrap_or(""),
        })
    }

    /// The HTML of a cell of this column.
    pub fn cell(&self, text: &str) -> String {
        let Some(number) = Figures::read(text) else { return html_of(text) };
        let mut html = String::new();
        number.value.write(&mut html, self.fraction);
        match (&number.half_width, self.half_width) {
            (Some(half), Some((whole, fraction))) => {
                html.push_str(" ± ");
                hide(&mut html, &"0".repeat(whole.saturating_sub(half.whole.len())));
                half.write(&mut html, fraction);
            }
            (None, Some((whole, fraction))) => {
                hide(&mut html, &format!(" ± {}{}", "0".repeat(whole), zeros(0, fraction)));
            }
            _ => {}
        }
        html.push_str(number.unit);
        hide(&mut html, self.unit.strip_prefix(number.unit).unwrap_or(""));
        if !number.remark.is_empty() {
            html.push_str(&format!(" <span class=\"remark\">{}</span>", html_of(number.remark)));
        }
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a cell with its hidden characters.
    fn all(html: &str) -> String {
        html.replace("<span class=\"pad\">", "").replace("</span>", "")
    }

    #[test]
    fn points_stand_below_each_other_from_the_right() {
        let cells = ["1.5 ± 0.25", "-20 ± 10", "3.25", "–", ""];
        let column = Column::of(cells.into_iter()).unwrap();
        let shown: Vec<String> = cells.iter().map(|cell| all(&column.cell(cell))).collect();
        assert_eq!(shown, ["1.50 ± 00.25", "−20.00 ± 10.00", "3.25 ± 00.00", "–", ""]);
        let places: Vec<usize> = shown[..3].iter().map(|cell| cell.chars().rev().position(|c| c == '±').unwrap()).collect();
        assert_eq!(places, [6; 3]);
        assert_eq!(column.cell("1.5 ± 0.25").matches("pad").count(), 2);
    }

    #[test]
    fn words_are_no_numbers_and_exponents_are_raised() {
        assert_eq!(Column::of(["a", "b", "1"].into_iter()), None);
        assert_eq!(Column::of([""].into_iter()), None);
        let column = Column::of(["1.5e-9", "82 %", "0.5"].into_iter()).unwrap();
        assert_eq!(column.cell("1.5e-9"), "1.5 × 10<sup>−9</sup><span class=\"pad\"> %</span>");
        assert_eq!(all(&column.cell("82 %")), "82.0 %");
        assert_eq!(column.cell("5.5 (paper: 3)"), "5.5<span class=\"pad\"> %</span> <span class=\"remark\">(paper: 3)</span>");
        for words in ["4x4", "e5", "-", "1 over 2", "1.5 ± x", "12 apples", "3e"] {
            assert_eq!(Figures::read(words), None, "{words}");
        }
    }
}
