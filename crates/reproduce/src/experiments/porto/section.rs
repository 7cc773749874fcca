//! The section of the report on Porto.

use std::path::Path;

use super::case::name;
use super::pictures::Pictures;
use super::stages::{FOLDER, slug};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Cell, Number, Section, Table, Verdict};
use crate::statistics::shown;
use crate::work::Recipe;

/// The paper's table: distance match (%) and feature distance (km).
const PAPER: [(&str, &str, [f64; 2]); 4] = [
    (name::PAPER, "64.3 (62.4 – 66.1)", [64.3, 0.840]),
    (name::SHORTEST, "50.5 (48.9 – 51.7)", [50.5, 0.995]),
    (name::ZIEBART, "31.4 (30.4 – 32.4)", [31.4, 178.0]),
    (name::RANDOM, "27.1 (26.4 – 28.0)", [27.1, 220.0]),
];

pub(crate) fn section(recipe: &Recipe, results: &Results, folder: &Path) -> Result<Section, Error> {
    let of = Found { results, seeds: seeds(results) };
    let mut tables = vec![of.routes()?, of.models()?];
    tables.extend(of.destination_tables()?);
    tables.extend([of.trips()?, of.stages()?]);
    let mut numbers = Vec::new();
    for predictor in name::ALL {
        let paper = PAPER.iter().find(|row| row.0 == predictor);
        for (place, quantity) in ["distance match", "feature distance"].into_iter().enumerate() {
            let name = format!("{}-{}", slug(predictor), quantity.replace(' ', "-"));
            numbers.push(Number::new(name, paper.map(|row| row.2[place]), of.mean_median(predictor, quantity)?));
        }
    }
    Ok(Section {
        title: "Forecasts of taxi drivers' routes".to_string(),
        paper: "On 19,359 taxi trips of Porto the learned model forecasts routes better than the shortest path does, \
                and both are far better than Ziebart's algorithm of 2008 and random weights."
            .to_string(),
        ours: format!("{} {}", of.words()?, of.destination_words()?),
        verdict: of.verdict()?,
        figures: Pictures::figures(&folder.join(FOLDER))?,
        tables,
        settings: vec![
            ("raw files".to_string(), recipe.cases.join(", ")),
            (
                "features".to_string(),
                "the paper's 14: lanes, road type, speed limit and toll, each times the length".to_string(),
            ),
            (
                "more features".to_string(),
                "time, segments, turns to the left and right and back, angles of turns, signals, crossings".to_string(),
            ),
            (
                "paths".to_string(),
                "5 to 400 states, acyclic; 70 % are training paths, and no trip or identical route is in both parts"
                    .to_string(),
            ),
            (
                "start of whole trips".to_string(),
                "the first states of the training trips, plus the weight of one more trip uniformly over all states"
                    .to_string(),
            ),
        ],
        numbers,
    })
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

    fn mean_median(&self, row: &str, quantity: &str) -> Result<f64, Error> {
        let mut sum = 0.0;
        for seed in &self.seeds {
            sum += self.value(seed, "routes", row, quantity)?.map_or(f64::NAN, |found| found.0);
        }
        Ok(sum / self.seeds.len() as f64)
    }

    fn routes(&self) -> Result<Table, Error> {
        let mut header = vec!["forecast".to_string(), "paper: distance match (%)".to_string()];
        header.extend(self.seeds.iter().map(|seed| format!("distance match (%), seed {seed}")));
        header.push("paper: feature distance (km)".to_string());
        header.extend(self.seeds.iter().map(|seed| format!("feature distance (km), seed {seed}")));
        header.push("driven route that was forecast (%)".to_string());
        header.push("whole route right (%)".to_string());
        let mut rows = Vec::new();
        for predictor in name::ALL {
            let paper = PAPER.iter().find(|row| row.0 == predictor);
            let mut row: Vec<Cell> = vec![predictor.into(), paper.map_or("", |row| row.1).into()];
            for seed in &self.seeds {
                row.push(with_interval(self.value(seed, "routes", predictor, "distance match")?).into());
            }
            row.push(paper.map_or(String::new(), |row| shown(row.2[1])).into());
            for seed in &self.seeds {
                row.push(with_interval(self.value(seed, "routes", predictor, "feature distance")?).into());
            }
            row.push(with_interval(self.value(&self.seeds[0], "routes", predictor, "covered")?).into());
            let identical = self.value(&self.seeds[0], "routes", predictor, "identical")?;
            row.push(identical.map_or(String::new(), |found| shown(found.0)).into());
            rows.push(row);
        }
        Ok(Table {
            caption: "Forecasts of held-out routes: medians, with 90 % intervals of the median".to_string(),
            header,
            rows,
            note: "The paper's numbers are for a larger network and other trips, so only the order can be compared. \
                   Its 27 to 31 % for routes with many detours are closer to the share of the driven route that was \
                   forecast than to the distance match that it defines. \"Costs only\" keeps every weight at 0 or below, \
                   so that no loop has a positive reward."
                .to_string(),
        })
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
        Ok(Table {
            caption: format!(
                "The recursive logits (seed {}); the numbers of states are those of held-out trips",
                self.seeds[0]
            ),
            header: header.map(str::to_string).to_vec(),
            rows,
            note: "A model with features of length alone expects more states than are driven: its paths have small \
                   loops, which cost almost nothing."
                .to_string(),
        })
    }

    fn trips(&self) -> Result<Table, Error> {
        let rows = self.results.with("table", "trips").chain(self.results.with("table", "paths"));
        let rows = rows.filter(|row| row.text("seed") == self.seeds[0]);
        let rows = rows.map(|row| vec![row.text("row").into(), row.text("n").into()]).collect();
        Ok(Table {
            caption: "Trips that were used, and trips that were skipped".to_string(),
            header: vec!["trips".to_string(), "how many".to_string()],
            rows,
            note: "A trip is counted under the first filter that applies. The paper's filters are: missing data, under \
                   two minutes, cyclic, out of the area, not converged."
                .to_string(),
        })
    }

    fn stages(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for record in self.results.with("table", "stages").filter(|row| row.text("seed") == self.seeds[0]) {
            let seconds = record.maybe("seconds")?.map_or(String::new(), |seconds| format!("{seconds:.1}"));
            rows.push(vec![record.text("row").into(), seconds.into()]);
        }
        Ok(Table {
            caption: format!("Time of the stages in seconds (seed {}); import and matching are done once", self.seeds[0]),
            header: vec!["stage".to_string(), "seconds".to_string()],
            rows,
            note: "The paper needed about 8 hours for training and 60 for evaluation on 24 cores, for 19,359 trips on \
                   a network of 292,604 states."
                .to_string(),
        })
    }

    fn words(&self) -> Result<String, Error> {
        let of = |predictor: &str| self.mean_median(predictor, "distance match");
        let mut words = format!(
            "The median distance match of forecasts between the given ends of a trip is {} % for the recursive logit, and \
             {} % with features of turns, time and signals. It is {} % for the fastest path and {} % for the shortest path. For \
             the paper's model of whole trips it is {} %, with costs only {} %, and with more features {} %.",
            shown(of(name::LOGIT)?),
            shown(of(name::WIDE)?),
            shown(of(name::FASTEST)?),
            shown(of(name::SHORTEST)?),
            shown(of(name::PAPER)?),
            shown(of(name::COSTS)?),
            shown(of(name::PAPER_WIDE)?)
        );
        if of(name::PAPER)? < of(name::SHORTEST)? {
            words.push_str(
                " In the paper's model trips may end anywhere, so its weights must also explain the length of a trip: costs \
                 must be so low that the sum over all paths is barely finite. Only the differences between types of \
                 roads then keep paths out of dense local streets. These differences are several times larger than \
                 for routes between given ends. The likeliest routes therefore make detours along main roads, or go in \
                 circles where a loop has a positive reward. The maps of costs and of trips show this.",
            );
        }
        Ok(words)
    }

    fn verdict(&self) -> Result<Verdict, Error> {
        let of = |predictor: &str| self.mean_median(predictor, "distance match");
        let [route, paper, shortest] = [of(name::LOGIT)?, of(name::PAPER)?, of(name::SHORTEST)?];
        let worse = of(name::ZIEBART)?.max(of(name::RANDOM)?);
        let in_order = |learned: f64| learned > shortest && shortest > worse;
        Ok(match (in_order(paper), in_order(route)) {
            (true, _) => Verdict::Reproduced(
                "The learned model is better than the shortest path, which is better than Ziebart 2008 and random weights."
                    .to_string(),
            ),
            (false, true) => Verdict::Differs(
                "The paper's order is reproduced with the model of routes between given ends (recursive logit). It is not \
                 reproduced with the paper's own model of whole trips, which is worse than the shortest path on this \
                 network."
                    .to_string(),
            ),
            _ => Verdict::Differs("The order of the paper's table is not reproduced.".to_string()),
        })
    }
}

pub(super) fn with_interval(found: Option<WithInterval>) -> String {
    match found {
        None => String::new(),
        Some((value, None)) => shown(value),
        Some((value, Some((low, high)))) => format!("{} ({} – {})", shown(value), shown(low), shown(high)),
    }
}
