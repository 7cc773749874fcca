//! The section of the report on Porto.

use std::path::Path;

use super::case::name;
use super::metric::Metric;
use super::pictures::Pictures;
use super::reading::Reading;
use super::stages::{FOLDER, slug};
use super::study::table;
use super::study_tables::StudyTables;
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Cell, Number, Section, Table, Verdict};
use crate::statistics::{shown, with_range};
use crate::work::Recipe;

/// A row of the paper's table.
pub(super) struct PaperRow {
    /// Our name of the predictor.
    pub name: &'static str,
    /// The distance match (%) and the feature distance (km).
    pub values: [f64; 2],
    /// Both with their intervals.
    texts: [&'static str; 2],
}

/// The paper's table.
pub(super) const PAPER: [PaperRow; 4] = [
    PaperRow { name: name::BOUNDED, values: [64.3, 0.840], texts: ["64.3 (62.4 – 66.1)", "0.840 (0.797 – 0.858)"] },
    PaperRow { name: name::SHORTEST, values: [50.5, 0.995], texts: ["50.5 (48.9 – 51.7)", "0.995 (0.963 – 1.02)"] },
    PaperRow { name: name::ZIEBART, values: [31.4, 178.0], texts: ["31.4 (30.4 – 32.4)", "178 (177 – 179)"] },
    PaperRow { name: name::RANDOM, values: [27.1, 220.0], texts: ["27.1 (26.4 – 28.0)", "220 (219 – 221)"] },
];

/// The networks on which all test trips are forecast: a name, the table of raw results, and the predictors.
pub(super) const NETWORKS: [(&str, &str, &[&str]); 2] =
    [("with U-turns", table::WITH_U_TURNS, &name::WITH_U_TURNS), ("without U-turns", "routes", &name::ALL)];

pub(crate) fn section(recipe: &Recipe, results: &Results, folder: &Path) -> Result<Section, Error> {
    let of = Found { results, seeds: seeds(results) };
    let study = StudyTables { found: &of };
    let mut tables = Vec::new();
    for (title, routes, predictors) in NETWORKS {
        for metric in [Metric::OfForecast, Metric::FeatureDistance] {
            tables.push(of.routes((title, routes), predictors, metric)?.of_paper("tab:porto-results"));
        }
    }
    tables.push(of.means()?);
    tables.extend(study.all()?);
    tables.push(of.models()?);
    tables.extend(of.destination_tables()?);
    tables.extend([of.trips()?, of.stages()?]);
    Ok(Section {
        title: "Forecasts of taxi drivers' routes".to_string(),
        paper: "On 19,359 taxi trips of Porto the learned model forecasts routes better than the shortest path does, \
                and both are far better than Ziebart's algorithm of 2008 and random weights."
            .to_string(),
        ours: [of.words()?, study.words()?, of.destination_words()?].join("\n\n"),
        verdict: of.verdict(&study.how_often()?)?,
        figures: Pictures::figures(&folder.join(FOLDER))?,
        tables,
        settings: settings(recipe),
        numbers: numbers(&of, &study)?,
    })
}

fn numbers(of: &Found<'_>, study: &StudyTables<'_>) -> Result<Vec<Number>, Error> {
    let mut numbers = Vec::new();
    for (_, routes, predictors) in NETWORKS {
        let end = if routes == table::WITH_U_TURNS { "-u-turns" } else { "" };
        for predictor in predictors {
            let paper = PAPER.iter().find(|row| row.name == *predictor);
            for metric in Metric::ALL {
                let name = format!("{}-{}{end}", slug(predictor), metric.name().replace(' ', "-"));
                let paper = paper.and_then(|row| row.of(metric));
                numbers.push(Number::new(name, paper, of.over_seeds(routes, predictor, metric.name())?));
            }
        }
    }
    let [by_medians, by_means] = of.over_fastest()?;
    numbers.push(Number::new("over-fastest-by-medians", None, by_medians));
    numbers.push(Number::new("over-fastest-by-means", None, by_means));
    for (end, row) in [("", name::BOUNDED), ("-u-turns", table::WITH_U_TURNS)] {
        let count = study.at_bounds(&of.seeds[0], row)?;
        numbers.push(Number::new(format!("weights-at-a-bound{end}"), None, count as f64));
    }
    Ok(numbers)
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    // Each case has the name of a part, and the files.
    let files = recipe.cases.first().and_then(|case| case.split_once(": ")).map_or("", |case| case.1);
    let named = [
        ("raw files", files.to_string()),
        ("features", "the paper's 14: lanes, road type, speed limit and toll, each times the length".to_string()),
        (
            "more features",
            "time, segments, turns to the left and right and back, angles of turns, signals, crossings".to_string(),
        ),
        (
            "paths",
            "5 to 400 states, acyclic; 70 % are training paths, and no trip or identical route is in both parts".to_string(),
        ),
        ("the paper's model, central reading", Reading::CENTRE.to_string()),
        (
            "start of whole trips, other models of the paper's kind",
            "the first states of the training trips, plus the weight of one more trip uniformly over all states".to_string(),
        ),
    ];
    named.map(|(name, value)| (name.to_string(), value)).to_vec()
}

fn seeds(results: &Results) -> Vec<String> {
    let mut seeds: Vec<String> = Vec::new();
    for row in results.rows() {
        if !seeds.iter().any(|seed| seed == row.text("seed")) {
            seeds.push(row.text("seed").to_string());
        }
    }
    seeds
}

impl PaperRow {
    /// The paper's value; `None` for the share of the driven route, which it does not define.
    pub fn of(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::OfForecast => Some(self.values[0]),
            Metric::OfDriven => None,
            Metric::FeatureDistance => Some(self.values[1]),
        }
    }
}

/// The paper's value with its interval. The rows of its model with other bounds have the same one.
fn of_paper(predictor: &str, metric: Metric) -> &'static str {
    let predictor = if [name::PAPER, name::COSTS].contains(&predictor) { name::BOUNDED } else { predictor };
    let row = PAPER.iter().find(|row| row.name == predictor);
    row.map_or("", |row| row.texts[usize::from(metric == Metric::FeatureDistance)])
}

/// A value, and its interval if it has one.
pub(super) type WithInterval = (f64, Option<(f64, f64)>);

pub(super) struct Found<'a> {
    pub results: &'a Results,
    pub seeds: Vec<String>,
}

impl Found<'_> {
    /// The value of a quantity with its interval, for one seed.
    pub fn value(&self, seed: &str, table: &str, row: &str, quantity: &str) -> Result<Option<WithInterval>, Error> {
        let same = |record: &crate::folder::Record<'_>| {
            record.text("seed") == seed && record.text("row") == row && record.text("quantity") == quantity
        };
        let Some(record) = self.results.with("table", table).find(same) else { return Ok(None) };
        let interval = record.maybe("low")?.zip(record.maybe("high")?);
        Ok(record.maybe("value")?.map(|value| (value, interval)))
    }

    /// The value of a quantity for one seed; NaN if there is none.
    pub fn number(&self, seed: &str, table: &str, row: &str, quantity: &str) -> Result<f64, Error> {
        Ok(self.value(seed, table, row, quantity)?.map_or(f64::NAN, |found| found.0))
    }

    /// The mean of a quantity over seeds; NaN if a seed lacks it.
    pub fn over_seeds(&self, table: &str, row: &str, quantity: &str) -> Result<f64, Error> {
        let mut sum = 0.0;
        for seed in &self.seeds {
            sum += self.number(seed, table, row, quantity)?;
        }
        Ok(sum / self.seeds.len() as f64)
    }

    fn routes(&self, (title, routes): (&str, &str), predictors: &[&str], metric: Metric) -> Result<Table, Error> {
        let seeds: Vec<String> = self.seeds.iter().map(|seed| format!("seed {seed}")).collect();
        let header: Vec<&str> = ["forecast", "paper"].into_iter().chain(seeds.iter().map(String::as_str)).collect();
        let mut rows = Vec::new();
        for predictor in predictors {
            let mut row: Vec<Cell> = vec![(*predictor).into(), of_paper(predictor, metric).into()];
            for seed in &self.seeds {
                row.push(with_interval(self.value(seed, routes, predictor, metric.name())?).into());
            }
            rows.push(row);
        }
        let caption = format!("Forecasts of held-out routes, network {title}: {}", metric.title());
        let count = |predictor: &str| self.trips_of(routes, predictor, metric);
        let fewer = match count(name::RANDOM) == count(name::SHORTEST) {
            true => String::new(),
            false => format!(
                " Ziebart 2008 and random weights are judged by {} of the {} trips, evenly spaced (seed {}).",
                count(name::RANDOM),
                count(name::SHORTEST),
                self.seeds[0]
            ),
        };
        let note =
            format!("Medians, with 90 % intervals of the median. The paper has a larger network and other trips.{fewer}");
        Ok(Table::new(caption, &header, rows, note))
    }

    /// The number of trips by which a predictor was judged, for the first seed.
    fn trips_of(&self, routes: &str, predictor: &str, metric: Metric) -> String {
        let same =
            |record: &crate::folder::Record<'_>| record.text("row") == predictor && record.text("quantity") == metric.name();
        self.results.with("table", routes).find(same).map_or(String::new(), |record| record.text("n").to_string())
    }

    /// Medians beside means, of both readings of the distance match.
    fn means(&self) -> Result<Table, Error> {
        let quantities = ["distance match", "mean distance match", "covered", "mean covered", "identical"];
        let mut rows = Vec::new();
        for predictor in name::ALL {
            let mut row: Vec<Cell> = vec![predictor.into()];
            for quantity in quantities {
                row.push(format!("{:.1}", self.over_seeds("routes", predictor, quantity)?).into());
            }
            rows.push(row);
        }
        let header = [
            "forecast",
            "share of the forecast: median (%)",
            "mean (%)",
            "share of the driven route: median (%)",
            "mean (%)",
            "whole route right (%)",
        ];
        let [by_medians, by_means] = self.over_fastest()?;
        let note = format!(
            "The recursive logit with more features is better than the fastest path by {by_medians:.1} points of the \
             forecast by medians, and by {by_means:.1} by means."
        );
        Ok(Table::new("Medians and means, network without U-turns, averaged over seeds", &header, rows, note))
    }

    /// How much better the recursive logit with more features is than the fastest path, in points of the share of the
    /// forecast: by medians and by means.
    fn over_fastest(&self) -> Result<[f64; 2], Error> {
        let gain = |quantity: &str| {
            let of = |predictor: &str| self.over_seeds("routes", predictor, quantity);
            Ok::<f64, Error>(of(name::WIDE)? - of(name::FASTEST)?)
        };
        Ok([gain("distance match")?, gain("mean distance match")?])
    }

    fn models(&self) -> Result<Table, Error> {
        let quantities = ["log-likelihood", "log-likelihood of trips held out", "states expected", "states driven"];
        let mut rows = Vec::new();
        for model in [name::LOGIT, name::WIDE] {
            let mut row: Vec<Cell> = vec![model.into()];
            for quantity in quantities {
                row.push(with_interval(self.value(&self.seeds[0], "models", model, quantity)?).into());
            }
            rows.push(row);
        }
        let header = [
            "model of routes between given ends",
            "log-likelihood of a trip",
            "of a held-out trip",
            "states of a path, expected",
            "states of a trip, driven",
        ];
        let caption =
            format!("The recursive logits (seed {}); the numbers of states are those of held-out trips", self.seeds[0]);
        let note = "A model with features of length alone expects more states than are driven: its paths have small \
                    loops, which cost almost nothing.";
        Ok(Table::new(caption, &header, rows, note))
    }

    fn trips(&self) -> Result<Table, Error> {
        let rows = self.results.with("table", "trips").chain(self.results.with("table", "paths"));
        let rows = rows.filter(|row| row.text("seed") == self.seeds[0]);
        let rows = rows.map(|row| vec![row.text("row").into(), row.text("n").into()]).collect();
        let caption = "Trips that were used, and trips that were skipped (network without U-turns)";
        let note = "A trip is counted under the first filter that applies. The paper's filters are: missing data, under \
                    two minutes, cyclic, out of the area, not converged.";
        Ok(Table::new(caption, &["trips", "how many"], rows, note))
    }

    fn stages(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for record in self.results.with("table", "stages").filter(|row| row.text("seed") == self.seeds[0]) {
            let seconds = record.maybe("seconds")?.map_or(String::new(), |seconds| format!("{seconds:.1}"));
            rows.push(vec![record.text("row").into(), seconds.into()]);
        }
        let caption = format!("Time of the stages in seconds (seed {}); import and matching are done once", self.seeds[0]);
        let note = "The paper needed about 8 hours for training and 60 for evaluation on 24 cores, for 19,359 trips on \
                    a network of 292,604 states.";
        Ok(Table::new(caption, &["stage", "seconds"], rows, note))
    }

    fn words(&self) -> Result<String, Error> {
        let of = |predictor: &str, quantity: &str| self.over_seeds("routes", predictor, quantity);
        let [by_medians, by_means] = self.over_fastest()?;
        Ok(format!(
            "Between the given ends of a trip, a median of {:.1} % of the forecast of the recursive logit with features of \
             turns, time and signals was driven, and it forecasts {:.1} % of the driven route. Of the fastest path \
             {:.1} % was driven, of the shortest {:.1} %. The advantage over the fastest path is {by_medians:.1} points \
             by medians and {by_means:.1} by means.",
            of(name::WIDE, "distance match")?,
            of(name::WIDE, "covered")?,
            of(name::FASTEST, "distance match")?,
            of(name::SHORTEST, "distance match")?,
        ))
    }

    /// Whether a model is better than the shortest path, and that better than Ziebart 2008 and random weights, for
    /// every seed, in the share of the forecast and in the feature distance: by medians, or by means (`of` is "mean ").
    fn in_order(&self, routes: &str, model: &str, of: &str) -> Result<bool, Error> {
        for seed in &self.seeds {
            for metric in [Metric::OfForecast, Metric::FeatureDistance] {
                let of = |predictor: &str| self.number(seed, routes, predictor, &format!("{of}{}", metric.name()));
                let [learned, shortest] = [of(model)?, of(name::SHORTEST)?];
                for worse in [of(name::ZIEBART)?, of(name::RANDOM)?] {
                    if !metric.in_order(&[learned, shortest, worse]) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The verdict. `how_often` is a sentence on the readings of the study in which the order holds.
    fn verdict(&self, how_often: &str) -> Result<Verdict, Error> {
        let (mut holds, mut by_means) = (Vec::new(), true);
        for (title, routes, _) in NETWORKS {
            if self.in_order(routes, name::BOUNDED, "")? {
                holds.push(title);
                by_means &= self.in_order(routes, name::BOUNDED, "mean ")?;
            }
        }
        let by = if by_means { "by medians and by means" } else { "by medians, but not by means" };
        let free = match [name::PAPER, name::COSTS].map(|model| self.in_order("routes", model, "")) {
            [Ok(false), Ok(false)] => "It does not hold without a lower bound.",
            [Ok(true), Ok(true)] => "It holds without a lower bound as well.",
            [Err(error), _] | [_, Err(error)] => return Err(error),
            _ => "Without a lower bound it depends on the upper one.",
        };
        let seeds = match self.seeds.len() {
            1 => "one seed".to_string(),
            several => format!("each of {several} seeds"),
        };
        Ok(match holds[..] {
            [] => Verdict::Differs(format!(
                "The paper's order (learned model, shortest path, then Ziebart 2008 and random weights) does not hold with \
                 the paper's own model for {seeds} with the settings: {}.",
                Reading::CENTRE
            )),
            _ => Verdict::Reproduced(format!(
                "With weights of -10 to 0 per km and a uniform start, the paper's own model is better than the shortest \
                 path, and that is better than Ziebart 2008 and random weights. This holds in distance match and in \
                 feature distance for {seeds}, {by}, on the network {}. {free} The paper does not print its \
                 bounds, and these were chosen because the order holds with them. {how_often}",
                holds.join(" and ")
            )),
        })
    }
}

/// A value with its interval, if it has one.
pub(super) fn with_interval(found: Option<WithInterval>) -> String {
    match found {
        None => String::new(),
        Some((value, None)) => shown(value),
        Some((value, Some(interval))) => with_range(value, interval),
    }
}
