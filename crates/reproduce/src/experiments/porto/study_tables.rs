//! The tables of the study of readings.

use super::case::name;
use super::metric::Metric;
use super::reading::{Axis, Bound, Dataset, Reading};
use super::section::Found;
use super::study::table;
use crate::error::Error;
use crate::report::{Cell, Table};
use crate::statistics::with_uncertainty;

/// The states and turns of the paper's network, and its trips.
pub(super) const PAPERS_NETWORK: [f64; 3] = [292_604.0, 594_933.0, 19_359.0];

/// The predictors of the study, as its rows name them, the best first in the paper's order.
const ORDER: [&str; 3] = ["model", name::SHORTEST, name::RANDOM];

/// Makes the tables of the study.
pub(super) struct StudyTables<'a> {
    pub found: &'a Found<'a>,
}

impl StudyTables<'_> {
    pub fn all(&self) -> Result<Vec<Table>, Error> {
        if self.readings()?.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![
            self.axes()?,
            self.gains()?,
            self.nearest()?,
            self.nearest_readings()?,
            self.weights()?,
            self.costs()?,
            self.networks()?,
        ])
    }

    pub(super) fn seed(&self) -> &str {
        &self.found.seeds[0]
    }

    /// The readings that have results.
    pub(super) fn readings(&self) -> Result<Vec<(Axis, Reading)>, Error> {
        let mut readings = Vec::new();
        for (axis, reading) in Reading::all(false) {
            if self.median(&reading, "model", Metric::OfForecast)?.is_finite() {
                readings.push((axis, reading));
            }
        }
        Ok(readings)
    }

    fn of(&self, reading: &Reading, quantity: &str) -> Result<f64, Error> {
        self.found.number(self.seed(), table::STUDY, &reading.to_string(), quantity)
    }

    pub(super) fn median(&self, reading: &Reading, predictor: &str, metric: Metric) -> Result<f64, Error> {
        self.of(reading, &format!("{predictor}, {}", metric.name()))
    }

    /// The number of trips by which a reading was judged.
    fn trips(&self, reading: &Reading) -> &str {
        let (row, quantity) = (reading.to_string(), format!("model, {}", Metric::OfForecast.name()));
        let same = |record: &crate::folder::Record<'_>| {
            record.text("seed") == self.seed() && record.text("row") == row && record.text("quantity") == quantity
        };
        self.found.results.with("table", table::STUDY).find(same).map_or("", |record| record.text("n"))
    }

    /// Every reading: the model, the shortest path and random weights by each metric, and whether they are in order.
    fn axes(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for (axis, reading) in self.readings()? {
            let mut row: Vec<Cell> = vec![axis.name().into(), reading.differences().into()];
            for metric in Metric::ALL {
                let values = self.in_order(&reading, metric)?;
                let digits = if metric == Metric::FeatureDistance { 2 } else { 1 };
                let text = values.1.map(|value| format!("{value:.digits$}")).join(" / ");
                row.push(if values.0 { text.into() } else { Cell::marked(text) });
            }
            row.push(if self.is_papers_order(&reading)? { "yes".into() } else { Cell::marked("no") });
            rows.push(row);
        }
        let header = [
            "axis",
            "reading",
            "share of the forecast (%)",
            "share of the driven route (%)",
            "feature distance (km)",
            "the paper's order",
        ];
        let caption = format!(
            "The study: paper's model / shortest path / random weights for each reading, medians (seed {}). The centre is: \
             {}",
            self.seed(),
            Reading::CENTRE
        );
        let discounted = self.readings()?.into_iter().find(|row| row.1.discount < 1.0);
        let discounted = discounted.map_or(String::new(), |row| format!(" ({} with a discount)", self.trips(&row.1)));
        let note = format!(
            "Each reading has {} test trips, evenly spaced{discounted}; all values of a row are of the same trips. Marked \
             values are not in the paper's order. The last column is about the share of the forecast and the feature \
             distance, the paper's two metrics.",
            self.trips(&Reading::CENTRE)
        );
        Ok(Table::new(caption, &header, rows, note))
    }

    /// Whether the medians of the model, the shortest path and random weights are in the paper's order, and the medians.
    fn in_order(&self, reading: &Reading, metric: Metric) -> Result<(bool, [f64; 3]), Error> {
        let mut values = [f64::NAN; 3];
        for (value, predictor) in values.iter_mut().zip(ORDER) {
            *value = self.median(reading, predictor, metric)?;
        }
        Ok((metric.in_order(&values), values))
    }

    /// How much better the model is than the shortest path on the same trips.
    fn gains(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for (axis, reading) in self.readings()? {
            let mut row: Vec<Cell> = vec![axis.name().into(), reading.differences().into()];
            for metric in Metric::ALL {
                let quantity = format!("mean model minus shortest path, {}", metric.name());
                let found = self.found.value(self.seed(), table::STUDY, &reading.to_string(), &quantity)?;
                let Some((value, Some((low, high)))) = found else {
                    row.push("".into());
                    continue;
                };
                let sign = if value > 0.0 { "+" } else { "" };
                let text = sign.to_string() + &with_uncertainty(value, (high - low) / 2.0);
                row.push(if metric.is_better(value, 0.0) { text.into() } else { Cell::marked(text) });
            }
            rows.push(row);
        }
        let header = [
            "axis",
            "reading",
            "share of the forecast (points)",
            "share of the driven route (points)",
            "feature distance (km)",
        ];
        let note = "Marked: the model is worse than the shortest path. Less feature distance is better.";
        let caption =
            format!("Paper's model minus shortest path on the same trips: means with 90 % intervals (seed {})", self.seed());
        Ok(Table::new(caption, &header, rows, note))
    }

    /// θ with and without bounds, on the networks with and without U-turns.
    fn weights(&self) -> Result<Table, Error> {
        let mut shown = Vec::new();
        for dataset in [Dataset::PLAIN, Dataset::U_TURNS] {
            for bound in [Reading::CENTRE.bound, Bound::Free] {
                let reading = Reading { dataset, bound, ..Reading::CENTRE };
                let name = format!("{dataset}, {}", if bound == Bound::Free { "no bounds" } else { "-10\u{a0}to\u{a0}0" });
                // A quick run has not all of them.
                if self.median(&reading, "model", Metric::OfForecast)?.is_finite() {
                    shown.push((name, reading));
                }
            }
        }
        let header: Vec<&str> = ["feature"].into_iter().chain(shown.iter().map(|column| column.0.as_str())).collect();
        let mut rows = Vec::new();
        for feature in self.features() {
            let mut row: Vec<Cell> = vec![feature.as_str().into()];
            for (_, reading) in &shown {
                let theta = self.found.number(self.seed(), table::THETA, &reading.to_string(), &feature)?;
                let at = reading.bound.reached(&[theta]).iter().any(|&count| count > 0);
                let number = if theta.is_nan() { String::new() } else { format!("{:.2}", 1000.0 * theta + 0.0) };
                row.push((number + if at { " (bound)" } else { "" }).into());
            }
            rows.push(row);
        }
        let without =
            self.found.number(self.seed(), table::NETWORKS, &Dataset::U_TURNS.to_string(), "features without roads")?;
        let note = format!(
            "Of {} weights, {} without U-turns and {} with U-turns end at a bound, by seed; {without} of the features have no \
             road in the network. Several directions of $\\theta$ change no reward, so compare the costs in the next table.",
            self.features().len(),
            self.counts_at_bounds(name::BOUNDED)?,
            self.counts_at_bounds(table::WITH_U_TURNS)?
        );
        let caption = format!("$\\theta$ per km with weights of -10 to 0 and without bounds (seed {})", self.seed());
        Ok(Table::new(caption, &header, rows, note))
    }

    /// The names of the features.
    fn features(&self) -> Vec<String> {
        let row = table::WITH_U_TURNS;
        let mut names: Vec<String> = Vec::new();
        for record in self.found.results.with("table", table::THETA) {
            let name = record.text("quantity");
            if record.text("row") == row && record.text("seed") == self.seed() && !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// The number of weights that end at a bound, for a row of the table of θ.
    pub fn at_bounds(&self, seed: &str, row: &str) -> Result<usize, Error> {
        let mut theta = Vec::new();
        for feature in self.features() {
            theta.push(self.found.number(seed, table::THETA, row, &feature)?);
        }
        Ok(Reading::CENTRE.bound.reached(&theta).iter().sum())
    }

    /// The numbers of weights at a bound, one for each seed.
    fn counts_at_bounds(&self, row: &str) -> Result<String, Error> {
        let counts = self.found.seeds.iter().map(|seed| Ok(self.at_bounds(seed, row)?.to_string()));
        Ok(counts.collect::<Result<Vec<String>, Error>>()?.join(" / "))
    }

    /// What the bounds do to the costs of roads and to the lengths of trips.
    fn costs(&self) -> Result<Table, Error> {
        let quantities = ["cost of local roads", "cost of major roads", "cost of highway roads"];
        let mut rows = Vec::new();
        for (_, reading) in self.readings()?.into_iter().filter(|row| row.0 == Axis::Bounds) {
            let mut row: Vec<Cell> = vec![reading.bound.to_string().into()];
            for quantity in quantities {
                row.push(format!("{:.1}", self.of(&reading, quantity)?).into());
            }
            row.push(format!("{:.1}", self.of(&reading, quantities[0])? / self.of(&reading, quantities[1])?).into());
            row.push(format!("{:.2}", self.of(&reading, "km expected")?).into());
            row.push(format!("{:.1}", self.of(&reading, "log-likelihood")?).into());
            rows.push(row);
        }
        let mut row: Vec<Cell> = vec![format!("{}, no U-turns", name::LOGIT).into()];
        let of = |quantity: &str| self.found.number(self.seed(), "models", name::LOGIT, quantity);
        for quantity in quantities {
            row.push(format!("{:.1}", of(quantity)?).into());
        }
        row.extend([format!("{:.1}", of(quantities[0])? / of(quantities[1])?).into(), "".into(), "".into()]);
        rows.push(row);
        let header = ["bounds", "local", "major", "highway", "local ÷ major", "km expected", "log-likelihood"];
        let caption = format!(
            "The cost of a km by type of road, and the mean length of a trip that the model expects; {:.2} km are driven \
             (seed {})",
            self.of(&Reading::CENTRE, "km driven")?,
            self.seed()
        );
        let note = "Costs are means, weighted by length. Where several bounds give the same km, the classes of speed with \
                    a weight inside the bounds are driven as far as in the data, and the others hardly at all. The \
                    recursive logit is told where each trip ends, so its costs do not have to explain how long trips are.";
        Ok(Table::new(caption, &header, rows, note))
    }

    /// The networks, their sizes, and how long learning and forecasts take.
    fn networks(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for dataset in Dataset::ALL {
            let of = |quantity: &str| self.found.number(self.seed(), table::NETWORKS, &dataset.to_string(), quantity);
            if of("states")?.is_nan() {
                continue;
            }
            let reading = Reading { dataset, ..Reading::CENTRE };
            let forecasts = self.seconds(&format!("forecasts; {reading}"))?;
            let trips: f64 = self.trips(&reading).parse().unwrap_or(f64::NAN);
            rows.push(vec![
                dataset.to_string().into(),
                format!("{:.0}", of("states")?).into(),
                format!("{:.2}", of("turns")? / of("states")?).into(),
                format!("{:.0}", of("matched")?).into(),
                format!("{:.0}", of("states of a path")?).into(),
                format!("{:.1}", self.seconds(&format!("learning; {reading}"))?).into(),
                format!("{:.1}", 1000.0 * forecasts / trips).into(),
            ]);
        }
        let [states, turns, trips] = PAPERS_NETWORK;
        let paper = [format!("{states:.0}"), format!("{:.2}", turns / states), format!("{trips:.0}"), String::new()];
        let mut row: Vec<Cell> = vec!["the paper".into()];
        row.extend(paper.map(Cell::from));
        row.extend(["28800".into(), "".into()]);
        rows.push(row);
        let header = [
            "network",
            "states",
            "turns a state",
            "trips",
            "states of a path (median)",
            "learning (s)",
            "forecasts (ms a trip)",
        ];
        let note = "The paper's map covers a circle of 15 km. The largest network of the map at hand \
                    has service roads, U-turns and the parts that are not strongly connected. Learning is that of the \
                    paper's model with the central bounds. The paper needed about 8 hours on 24 cores.";
        Ok(Table::new(format!("Networks (seed {})", self.seed()), &header, rows, note))
    }

    /// The time of a step; NaN if there is none.
    fn seconds(&self, step: &str) -> Result<f64, Error> {
        let same = |record: &crate::folder::Record<'_>| record.text("seed") == self.seed() && record.text("row") == step;
        let Some(record) = self.found.results.with("table", table::TIMES).find(same) else { return Ok(f64::NAN) };
        Ok(record.maybe("seconds")?.unwrap_or(f64::NAN))
    }

    /// Whether the model, the shortest path and random weights are in the paper's order by both of its metrics.
    fn is_papers_order(&self, reading: &Reading) -> Result<bool, Error> {
        Ok(self.in_order(reading, Metric::OfForecast)?.0 && self.in_order(reading, Metric::FeatureDistance)?.0)
    }

    /// A sentence on the readings in which the order holds; empty without a study.
    pub fn how_often(&self) -> Result<String, Error> {
        let (mut hold, mut fail) = (0, Vec::new());
        for (_, reading) in self.readings()? {
            match self.is_papers_order(&reading)? {
                true => hold += 1,
                false => fail.push(reading.differences()),
            }
        }
        Ok(match (hold, &fail[..]) {
            (0, []) => String::new(),
            (hold, []) => format!("In the study it holds in all {hold} readings."),
            (hold, fail) => {
                format!("In the study it holds in {hold} of {} readings, and not with: {}.", hold + fail.len(), fail.join("; "))
            }
        })
    }

    /// What the study shows.
    pub fn words(&self) -> Result<String, Error> {
        let readings = self.readings()?;
        if readings.is_empty() {
            return Ok(String::new());
        }
        let mut by_bounds = Vec::new();
        for (_, reading) in readings.iter().filter(|row| row.0 == Axis::Bounds) {
            by_bounds.push(self.is_papers_order(reading)?);
        }
        let decide = match by_bounds.contains(&true) && by_bounds.contains(&false) {
            true => "the bounds on $\\theta$ decide whether the paper's order holds",
            false => "the bounds on $\\theta$ do not decide whether the paper's order holds",
        };
        Ok(format!("For the paper's own model {decide}. {}", self.words_on_costs()?))
    }

    /// What the costs explain, with and without bounds.
    fn words_on_costs(&self) -> Result<String, Error> {
        let (centre, free) = (Reading::CENTRE, Reading { bound: Bound::Free, ..Reading::CENTRE });
        let ratio = |reading: &Reading| {
            Ok::<f64, Error>(self.of(reading, "cost of local roads")? / self.of(reading, "cost of major roads")?)
        };
        let of_logit = |of: &str| self.found.number(self.seed(), "models", name::LOGIT, &format!("cost of {of} roads"));
        let given_ends = of_logit("local")? / of_logit("major")?;
        let detours = match ratio(&free)? > given_ends {
            true => "so the likeliest routes make detours along major roads",
            false => "which is no more than between given ends",
        };
        Ok(format!(
            "In this model trips may end anywhere, so costs must also explain how long trips are. Without bounds it expects \
             {:.2} km, and {:.2} km are driven. A km of local roads then costs {:.2} times as much as one of major roads, \
             {detours}; between given ends the ratio is {given_ends:.2} (recursive logit). With weights of -10 to 0 per km it \
             expects {:.2} km and the ratio is {:.2}. Of {} weights, {} then end at a bound without U-turns, and {} with them \
             (by seed). The bound decides how much more one kind of road may cost than another. What is learned is which \
             kinds cost anything, and the level of the rest.",
            self.of(&free, "km expected")?,
            self.of(&free, "km driven")?,
            ratio(&free)?,
            self.of(&centre, "km expected")?,
            ratio(&centre)?,
            self.features().len(),
            self.counts_at_bounds(name::BOUNDED)?,
            self.counts_at_bounds(table::WITH_U_TURNS)?,
        ))
    }
}
