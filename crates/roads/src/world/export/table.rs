//! Lines with their attributes, column by column.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::ExportColumn;
use super::lines::cut;
use crate::geometry::Position;
use crate::network::WayInfo;
use crate::world::Roads;

/// The attributes of a state besides its line.
pub(super) const ATTRIBUTES: [&str; 8] = ["state", "way", "highway", "name", "lanes", "speed", "length", "toll"];

/// A line as longitudes and latitudes, in the parts that it was cut into.
pub type Parts = Vec<Vec<[f64; 2]>>;

/// A table with a line in each row, for formats that have columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<'a> {
    /// The names of the columns, and their values.
    pub columns: Vec<(String, Column<'a>)>,
    /// The line of each row.
    pub lines: Vec<Parts>,
    /// Whether some line has several parts. A file has one type of geometry, so all are written so.
    pub multi: bool,
}

/// The values of an attribute; `None` where it is not known.
#[derive(Debug, Clone, PartialEq)]
pub enum Column<'a> {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Numbers.
    Floats(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<Cow<'a, str>>>),
    /// Yes or no.
    Truths(Vec<Option<bool>>),
}

impl<'a> Table<'a> {
    fn new(columns: Vec<(String, Column<'a>)>, lines: Vec<Parts>) -> Table<'a> {
        let multi = lines.iter().any(|line| line.len() > 1);
        Table { columns, lines, multi }
    }

    /// The states of a network, with additional columns.
    pub(super) fn of_states(roads: &'a Roads, more: &[ExportColumn<'_>]) -> Table<'a> {
        let states = || roads.roads();
        let ways: Vec<_> =
            states().map(|state| roads.segments_of(state).next().map(|segment| roads.network.way_of(segment))).collect();
        let texts = |text: fn(&WayInfo) -> &str| {
            let known = |way: &Option<&'a WayInfo>| way.map(text).filter(|text| !text.is_empty()).map(Cow::Borrowed);
            Column::Texts(ways.iter().map(known).collect())
        };
        let columns = [
            Column::Integers(states().map(|state| Some(state as i64)).collect()),
            Column::Integers(ways.iter().map(|way| way.map(|way| way.id)).collect()),
            texts(|way| way.highway.as_str()),
            texts(|way| way.name.as_str()),
            Column::Integers(ways.iter().map(|way| way.and_then(|way| way.lanes).map(i64::from)).collect()),
            Column::Floats(ways.iter().map(|way| way.and_then(|way| way.speed)).collect()),
            Column::Floats(states().map(|state| Some(roads.length(state))).collect()),
            Column::Truths(ways.iter().map(|way| way.map(|way| way.toll)).collect()),
        ];
        let finite = |values: &[f64]| Column::Floats(states().map(|one| Some(values[one]).filter(|x| x.is_finite())).collect());
        let more = more.iter().map(|(name, values)| (name.to_string(), finite(values)));
        let columns = ATTRIBUTES.iter().map(ToString::to_string).zip(columns).chain(more).collect();
        Table::new(columns, states().map(|state| cut(&roads.line(state))).collect())
    }

    /// Lines with properties, as in GeoJSON. A property is a column of numbers or truth values if it is one wherever it
    /// is known, and else of texts, where lists and objects are JSON.
    pub fn of_lines(lines: &[(Vec<Position>, &Value)]) -> Table<'static> {
        let nothing = Map::new();
        let rows: Vec<&Map<String, Value>> = lines.iter().map(|line| line.1.as_object().unwrap_or(&nothing)).collect();
        let mut names: Vec<&String> = Vec::new();
        for name in rows.iter().flat_map(|row| row.keys()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let column = |name: &String| {
            let values: Vec<Option<&Value>> = rows.iter().map(|row| row.get(name).filter(|value| !value.is_null())).collect();
            (name.clone(), Column::of(&values))
        };
        Table::new(names.into_iter().map(column).collect(), lines.iter().map(|line| cut(&line.0)).collect())
    }

    /// West, south, east and north of all lines; `None` without any.
    pub fn bounds(&self) -> Option<[f64; 4]> {
        bounds(self.lines.iter().flatten().flatten())
    }
}

impl Column<'static> {
    fn of(values: &[Option<&Value>]) -> Column<'static> {
        let all = |is: fn(&Value) -> bool| values.iter().flatten().all(|value| is(value));
        let text = |value: &Value| Cow::Owned(value.as_str().map_or_else(|| value.to_string(), str::to_string));
        if all(|value| value.as_i64().is_some()) {
            Column::Integers(values.iter().map(|value| value.and_then(Value::as_i64)).collect())
        } else if all(Value::is_number) {
            Column::Floats(values.iter().map(|value| value.and_then(Value::as_f64)).collect())
        } else if all(Value::is_boolean) {
            Column::Truths(values.iter().map(|value| value.and_then(Value::as_bool)).collect())
        } else {
            Column::Texts(values.iter().map(|value| value.map(text)).collect())
        }
    }
}

/// West, south, east and north of some points; `None` without any.
pub(super) fn bounds<'p>(points: impl IntoIterator<Item = &'p [f64; 2]>) -> Option<[f64; 4]> {
    points.into_iter().fold(None, |found, &[x, y]| {
        let [west, south, east, north] = found.unwrap_or([x, y, x, y]);
        Some([west.min(x), south.min(y), east.max(x), north.max(y)])
    })
}
