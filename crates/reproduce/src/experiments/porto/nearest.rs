//! Which readings come nearest to the paper's numbers.

use super::case::name;
use super::metric::Metric;
use super::reading::{Axis, Dataset, Reading};
use super::section::{NETWORKS, PAPER};
use super::study::table;
use super::study_tables::{PAPERS_NETWORK, StudyTables};
use crate::error::Error;
use crate::report::{Cell, Table};
use crate::statistics::significant;

/// How many of the readings nearest to the paper's table are shown.
const NEAREST: usize = 6;

/// A value of ours beside one of the paper's, and where it is from.
struct Candidate {
    from: String,
    value: f64,
}

/// A reading as a whole beside the paper's table.
struct Nearness<'a> {
    reading: &'a Reading,
    metric: Metric,
    shortest: &'static str,
    /// Our distance matches and feature distances of the model and of the shortest path.
    values: [f64; 4],
    /// The mean of |log(ours / paper's)| over the four.
    distance: f64,
}

impl StudyTables<'_> {
    /// For each number of the paper's table, the nearest of ours.
    pub fn nearest(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for row in &PAPER {
            let metrics = [("distance match (%)", &[Metric::OfForecast, Metric::OfDriven][..], row.values[0])];
            for (title, metrics, paper) in
                metrics.into_iter().chain([("feature distance (km)", &[Metric::FeatureDistance][..], row.values[1])])
            {
                rows.push(nearest_row(
                    &format!("{}: {title}", papers_name(row.name)),
                    paper,
                    self.candidates(row.name, metrics)?,
                ));
            }
        }
        let [states, turns, _] = PAPERS_NETWORK;
        let (mut sizes, mut per_state) = (Vec::new(), Vec::new());
        for dataset in Dataset::ALL {
            let of = |quantity: &str| self.found.number(self.seed(), table::NETWORKS, &dataset.to_string(), quantity);
            sizes.push(Candidate { from: dataset.to_string(), value: of("states")? });
            per_state.push(Candidate { from: dataset.to_string(), value: of("turns")? / of("states")? });
        }
        rows.push(nearest_row("states", states, sizes));
        rows.push(nearest_row("turns a state", turns / states, per_state));
        let header = ["the paper's number", "paper", "nearest of ours", "from"];
        let note = "Distances are ratios. The shortest path may be read as the fewest segments. The feature distance of \
                    Ziebart 2008 and of random weights is that of a path that drives in circles for 400 states. It grows \
                    with the length of the segments on which the circle is driven.";
        Ok(Table::new("Which reading comes nearest to each number of the paper", &header, rows, note))
    }

    /// Our values of a row of the paper's table: by all readings, and by all test trips of both networks.
    fn candidates(&self, predictor: &str, metrics: &[Metric]) -> Result<Vec<Candidate>, Error> {
        let in_study: &[&str] = match predictor {
            name::BOUNDED => &["model"],
            name::SHORTEST => &[name::SHORTEST, name::FEWEST],
            name::RANDOM => &[name::RANDOM],
            _ => &[],
        };
        let mut candidates = Vec::new();
        for &metric in metrics {
            for (_, reading) in self.readings()? {
                for &one in in_study {
                    let from = format!("{}{}{}", reading.differences(), named(one), by(metric));
                    candidates.push(Candidate { from, value: self.median(&reading, one, metric)? });
                }
            }
            for (title, routes, _) in NETWORKS.into_iter().filter(|_| in_study.is_empty()) {
                let value = self.found.over_seeds(routes, predictor, metric.name())?;
                candidates.push(Candidate { from: format!("{title}, mean of the seeds{}", by(metric)), value });
            }
        }
        Ok(candidates)
    }

    /// The readings nearest to the rows of the model and of the shortest path together.
    pub fn nearest_readings(&self) -> Result<Table, Error> {
        let readings = self.readings()?;
        let all = self.by_nearness(&readings)?;
        let row = |one: &Nearness<'_>| -> Vec<Cell> {
            let [model, shortest, model_km, shortest_km] = one.values;
            let metric = if one.metric == Metric::OfForecast { "forecast" } else { "driven route" };
            vec![
                one.reading.differences().into(),
                metric.into(),
                one.shortest.into(),
                format!("{model:.1} / {shortest:.1}").into(),
                format!("{model_km:.2} / {shortest_km:.2}").into(),
                format!("{:.0} %", 100.0 * one.distance.exp_m1()).into(),
            ]
        };
        let mut rows: Vec<Vec<Cell>> = all.iter().take(NEAREST).map(row).collect();
        let [model, shortest] = [&PAPER[0], &PAPER[1]].map(|row| row.values);
        rows.push(vec![
            "the paper".into(),
            "".into(),
            name::SHORTEST.into(),
            format!("{:.1} / {:.1}", model[0], shortest[0]).into(),
            format!("{:.2} / {:.2}", model[1], shortest[1]).into(),
            "".into(),
        ]);
        let header = ["reading", "share of", "shortest as", "distance match (%)", "feature distance (km)", "apart"];
        let note = "Model / shortest path. The last column is the geometric mean of the four ratios of our numbers to the \
                    paper's, whichever is larger.";
        let caption = format!("The {NEAREST} readings nearest to the paper's table as a whole (seed {})", self.seed());
        Ok(Table::new(caption, &header, rows, note))
    }

    fn by_nearness<'r>(&self, readings: &'r [(Axis, Reading)]) -> Result<Vec<Nearness<'r>>, Error> {
        let paper = [PAPER[0].values[0], PAPER[1].values[0], PAPER[0].values[1], PAPER[1].values[1]];
        let mut all = Vec::new();
        for (_, reading) in readings {
            for metric in [Metric::OfForecast, Metric::OfDriven] {
                for shortest in [name::SHORTEST, name::FEWEST] {
                    let values = [
                        self.median(reading, "model", metric)?,
                        self.median(reading, shortest, metric)?,
                        self.median(reading, "model", Metric::FeatureDistance)?,
                        self.median(reading, shortest, Metric::FeatureDistance)?,
                    ];
                    let distance = values.iter().zip(paper).map(|(ours, paper)| (ours / paper).ln().abs()).sum::<f64>() / 4.0;
                    all.push(Nearness { reading, metric, shortest, values, distance });
                }
            }
        }
        all.sort_by(|one, other| one.distance.total_cmp(&other.distance));
        Ok(all)
    }
}

/// A row of the paper's number, the nearest of ours, and where it is from.
fn nearest_row(what: &str, paper: f64, candidates: Vec<Candidate>) -> Vec<Cell> {
    let apart = |one: &Candidate| (one.value / paper).ln().abs();
    let known = candidates.into_iter().filter(|one| apart(one).is_finite());
    let nearest = known.min_by(|one, other| apart(one).total_cmp(&apart(other)));
    let (value, from) = nearest.map_or((String::new(), String::new()), |one| (significant(one.value, 3), one.from));
    vec![what.into(), significant(paper, 3).into(), value.into(), from.into()]
}

fn papers_name(predictor: &'static str) -> &'static str {
    if predictor == name::BOUNDED { "learned model" } else { predictor }
}

/// The predictor, where it is not the usual one of its row.
fn named(predictor: &str) -> String {
    if predictor == name::FEWEST { format!("; {predictor}") } else { String::new() }
}

fn by(metric: Metric) -> &'static str {
    match metric {
        Metric::OfForecast => "; share of the forecast",
        Metric::OfDriven => "; share of the driven route",
        Metric::FeatureDistance => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_value_is_by_ratio() {
        let candidates = [10.0, 95.0, f64::NAN, 120.0].map(|value| Candidate { from: format!("of {value}"), value });
        let row = nearest_row("x", 100.0, candidates.into());
        assert_eq!(row[3].text, "of 95");
        assert_eq!(nearest_row("x", 100.0, Vec::new())[2].text, "");
    }
}
