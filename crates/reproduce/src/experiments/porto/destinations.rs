//! Destinations of held-out trips: the model of prior, lengths and routes, and what it is compared with.

use revealed::{Ends, PathModel};
use revealed_formats::Model;
use revealed_roads::{DestinationLearning, DestinationModel, DestinationOptions, Forecaster, SEEN, evaluate_destinations};

use super::case::Case;
use super::section::{Found, with_interval};
use super::{Rows, engine};
use crate::error::Error;
use crate::report::{Cell, Table};
use crate::statistics::shown;

/// The number of test trips whose destinations are predicted.
const TRIPS: usize = 1000;
/// The number in a quick run.
const QUICK_TRIPS: usize = 100;
/// The table of raw results.
const TABLE: &str = "destinations";
/// The row of the learned destination model.
const LEARNED: &str = "destination model";
/// The predictors of the report.
const SHOWN: [Forecaster; 5] =
    [Forecaster::Together, Forecaster::ModelWithPrior, Forecaster::Prior, Forecaster::HereAndNow, Forecaster::StraightOn];

/// The row of a predictor after this share of each trip.
fn row(forecaster: Forecaster, seen: f64) -> String {
    format!("{}, {:.0} % seen", forecaster.name(), 100.0 * seen)
}

impl Case<'_, '_> {
    /// Learns the destination model with the routes of a recursive logit, and scores it on the test trips.
    pub fn destinations(&self, table: &mut Rows, model: &Model) -> Result<(), Error> {
        let reward = self.wide.features.reward(&self.wide.mdp, &model.theta).map_err(engine)?;
        let paths = PathModel::new(&self.wide.mdp, reward, self.horizon, Ends::Goal).map_err(engine)?;
        let begun = std::time::Instant::now();
        let learning = DestinationLearning { seed: self.seed, work: self.stages.work() };
        let learned = self
            .stages
            .watched(LEARNED, |watch| DestinationModel::learn(self.roads(), &paths, self.train, &learning, watch))?;
        table.stage("learning, destination model", Some(begun.elapsed().as_secs_f64()));
        let exponents = learned.exponents;
        for (quantity, value) in [
            ("exponent of the prior", exponents.prior),
            ("exponent of the route", exponents.route),
            ("exponent of the length", exponents.power),
            ("rate of the length", exponents.rate),
            ("mean length", learned.mean),
            ("straight on", learned.straight_on),
        ] {
            table.value(TABLE, LEARNED, quantity, learned.examples, value);
        }
        let most = if self.stages.is_quick() { QUICK_TRIPS } else { TRIPS };
        let options = DestinationOptions { most, seed: self.seed, work: self.stages.work(), ..DestinationOptions::default() };
        let found = self.stages.watched("destinations", |watch| {
            evaluate_destinations(self.roads(), &paths, &learned, self.test(), &options, watch)
        })?;
        for score in &found.scores {
            let row = row(score.forecaster, score.seen);
            table.summary(TABLE, &row, "error", &score.error);
            table.summary(TABLE, &row, "error of the place", &score.place);
            table.summary(TABLE, &row, "expected error", &score.expected);
            let probabilities = [("rank", score.rank), ("true km²", score.square), ("log of true km²", score.log_score)];
            for (quantity, summary) in probabilities.into_iter().filter_map(|(name, found)| Some((name, found?))) {
                table.summary(TABLE, &row, quantity, &summary);
            }
        }
        table.stage("forecasts, destinations", Some(found.seconds));
        Ok(())
    }
}

impl Found<'_> {
    /// The scores of one division of the trips, the comparison on all of them, and the exponents.
    pub fn destination_tables(&self) -> Result<Vec<Table>, Error> {
        Ok(vec![self.destination_scores()?, self.destinations_by_seed()?, self.destination_exponents()?])
    }

    fn destination_scores(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for seen in SEEN {
            for forecaster in SHOWN {
                let name = row(forecaster, seen);
                let cell = |quantity: &str| {
                    Ok::<Cell, Error>(with_interval(self.value(&self.seeds[0], TABLE, &name, quantity)?).into())
                };
                let mut cells: Vec<Cell> = vec![format!("{:.0} %", 100.0 * seen).into(), forecaster.name().into()];
                for quantity in
                    ["rank", "error", "error of the place", "mean error of the place", "mean true km²", "mean log of true km²"]
                {
                    cells.push(cell(quantity)?);
                }
                rows.push(cells);
            }
        }
        Ok(Table::new(
            format!(
                "Destinations after a part of each trip (seed {}). The paper describes them and has no numbers",
                self.seeds[0]
            ),
            &[
                "seen",
                "forecast",
                "rank of the true segment",
                "error of the likeliest segment (m)",
                "error of the place (m)",
                "its mean (m)",
                "probability of the true km², mean",
                "its logarithm, mean",
            ],
            rows,
            "Medians with 90 % intervals, and means. The place has the smallest expected distance from the end. The model \
             is the recursive logit with more features. \"Model with prior\" is the paper's ratio $S/Z$ times the \
             distribution of the ends of training trips. \"Model, prior, length\" also knows how long trips are. \
             \"Straight on\" goes on by a multiple of the straight line so far, which is learned from training trips. No \
             forecast knows which share of the trip was seen.",
        ))
    }

    fn destinations_by_seed(&self) -> Result<Table, Error> {
        let compared = [
            ("error of the place", Forecaster::Together),
            ("error of the place", Forecaster::ModelWithPrior),
            ("error of the place", Forecaster::HereAndNow),
            ("error of the place", Forecaster::StraightOn),
            ("rank", Forecaster::Together),
            ("rank", Forecaster::ModelWithPrior),
        ];
        let mut rows = Vec::new();
        for seen in SEEN {
            for (quantity, forecaster) in compared {
                let mut cells: Vec<Cell> =
                    vec![format!("{:.0} %", 100.0 * seen).into(), quantity.into(), forecaster.name().into()];
                for seed in &self.seeds {
                    cells.push(with_interval(self.value(seed, TABLE, &row(forecaster, seen), quantity)?).into());
                }
                rows.push(cells);
            }
        }
        let seeds: Vec<String> = self.seeds.iter().map(|seed| format!("seed {seed}")).collect();
        let header: Vec<&str> = ["seen", "quantity", "forecast"].into_iter().chain(seeds.iter().map(String::as_str)).collect();
        Ok(Table::new(
            "Destinations on each division of the trips: medians, with 90 % intervals of the median",
            &header,
            rows,
            format!(
                "Metres from the forecast place to the end of the trip, and the rank of the true segment, of at most {TRIPS} \
                 test trips drawn at random."
            ),
        ))
    }

    fn destination_exponents(&self) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for (name, quantity) in [
            ("$a$, of the prior $p(G)$", "exponent of the prior"),
            ("$b$, of the ratio $S(G)/Z(G)$", "exponent of the route"),
            ("$c$, of the length $L/m$", "exponent of the length"),
            ("$d$, the rate of $L/m$", "rate of the length"),
            ("$m$, the mean length (m)", "mean length"),
            ("straight on, as a multiple", "straight on"),
        ] {
            let mut cells: Vec<Cell> = vec![name.into()];
            for seed in &self.seeds {
                let found = self.value(seed, TABLE, LEARNED, quantity)?;
                cells.push(found.map_or(String::new(), |found| shown(found.0)).into());
            }
            rows.push(cells);
        }
        let seeds: Vec<String> = self.seeds.iter().map(|seed| format!("seed {seed}")).collect();
        let header: Vec<&str> = std::iter::once("number").chain(seeds.iter().map(String::as_str)).collect();
        Ok(Table::new(
            "The destination model $P(G) \\propto p(G)^a (S(G)/Z(G))^b (L/m)^c e^{d L/m}$",
            &header,
            rows,
            "$L$ is the length so far and the shortest way to $G$. The numbers maximise the likelihood of the ends of some \
             training trips that are cut at a random share of their length, with the prior of the other training trips.",
        ))
    }

    /// What the comparison says, with its numbers.
    pub fn destination_words(&self) -> Result<String, Error> {
        let (mut nearer, mut likelier, mut compared) = (0, 0, 0);
        let mut examples = Vec::new();
        for seen in [0.3, 0.5, 0.7] {
            for (place, seed) in self.seeds.iter().enumerate() {
                let of = |forecaster: Forecaster, quantity: &str| {
                    let found = self.value(seed, TABLE, &row(forecaster, seen), quantity)?;
                    Ok::<f64, Error>(found.map_or(f64::NAN, |found| found.0))
                };
                let metres = of(Forecaster::Together, "error of the place")?;
                let here = of(Forecaster::HereAndNow, "error of the place")?;
                let ranks = [of(Forecaster::Together, "rank")?, of(Forecaster::ModelWithPrior, "rank")?];
                compared += 1;
                nearer += usize::from(metres < here);
                likelier += usize::from(ranks[0] < ranks[1]);
                if place == 0 {
                    let [metres, here, ours, papers] = [metres, here, ranks[0], ranks[1]].map(shown);
                    examples.push(format!(
                        "after {:.0} % of a trip {metres} m against {here} m, and rank {ours} against {papers}",
                        100.0 * seen
                    ));
                }
            }
        }
        Ok(format!(
            "Destinations: a model of where trips end, how long they are and how they begin is compared with the current \
             position by the median error in metres, and with the paper's ratio with a prior by the median rank of the \
             true segment. It is nearer than the current position in {nearer} of {compared} comparisons (after 30, 50 and \
             70 % of a trip, on each division), and its rank is better in {likelier} of {compared}. On the first division: \
             {}.",
            examples.join("; ")
        ))
    }
}
