//! The study of readings: the paper's model and its baselines under other values of what the paper leaves open.

use std::collections::BTreeMap;

use revealed::{Demonstrations, Ends, Horizon, Likelihood, MaxEnt, Method, PathModel, Reward};
use revealed_formats::{Model, Problem};
use revealed_roads::{Comparison, Judge, RoadType, Roads, Summary, baselines};

use super::case::{ZIEBART_ITERATIONS, name};
use super::division::Division;
use super::metric::Metric;
use super::reading::{Dataset, Reading};
use super::stages::{Stages, learn_watched};
use super::{LONGEST, Rows, engine};
use crate::error::Error;

/// The number of test trips by which each reading is judged.
const TRIPS: usize = 600;
/// The number for readings with a discount, whose routes are searched for one after another.
const DISCOUNTED_TRIPS: usize = 120;
/// The numbers in a quick run.
const QUICK_TRIPS: usize = 100;

/// The tables of raw results.
pub(super) mod table {
    /// Forecasts of all test trips by the network with U-turns, as `routes` has them without U-turns.
    pub const WITH_U_TURNS: &str = "routes with U-turns";
    pub const STUDY: &str = "study";
    pub const NETWORKS: &str = "networks";
    pub const THETA: &str = "theta";
    pub const TIMES: &str = "times";
}

/// The study for one seed.
pub(super) struct Study<'a, 'w> {
    pub stages: &'a Stages<'a, 'w>,
    pub seed: u64,
}

/// The comparison of each trip's forecast with the driven route; `None` if there is no forecast.
type Compared = Vec<Option<Comparison>>;

impl Study<'_, '_> {
    /// The rows of the paper's table on the network with U-turns: for all test trips, and for some where routes are
    /// bounded by the horizon and drive in circles. Such searches are slow where every node is a junction.
    pub fn paper_rows(&self, table: &mut Rows) -> Result<(), Error> {
        let division = Division::new(self.stages, Dataset::U_TURNS, self.seed)?;
        let problem = division.problem(&Reading::CENTRE)?;
        let judge = Judge::new(&division.roads, &problem, &division.test, self.stages.work());
        let some = division.some(self.most());
        let fewer = Judge::new(&division.roads, &problem, &some, self.stages.work());
        let (features, demos) = (&problem.features, division.demonstrations(&problem)?);
        let model = self.learn(&Reading::CENTRE, &problem, &demos)?;
        table.stage(&format!("learning with U-turns, {}", name::BOUNDED), model.seconds);
        keep_theta(table, table::WITH_U_TURNS, &problem, &model);
        let ziebart = self.ziebart(table, &problem, &demos)?;
        let random = baselines::random_weights(features.n_features(), self.seed);
        let mut rewards = fixed(&division.roads).to_vec();
        for (name, theta) in [(name::BOUNDED, &model.theta), (name::ZIEBART, &ziebart.theta), (name::RANDOM, &random)] {
            rewards.push((name, features.reward(&problem.mdp, theta).map_err(engine)?, true));
        }
        for (name, reward, bounded) in rewards {
            let judge = if [name::ZIEBART, name::RANDOM].contains(&name) { &fewer } else { &judge };
            let model = PathModel::new(&problem.mdp, reward, LONGEST, Ends::Anywhere).map_err(engine)?;
            let judged = self.stages.watched(name, |watch| judge.routes(name, &model, bounded, watch))?;
            table.score(table::WITH_U_TURNS, name, &judged);
            table.stage(&format!("forecasts with U-turns, {name}"), Some(judged.score.seconds));
        }
        Ok(())
    }

    /// Every reading on some of the test trips, and the largest network on all of them.
    pub fn readings(&self, table: &mut Rows) -> Result<(), Error> {
        let all = Reading::all(self.stages.is_quick());
        for dataset in Dataset::ALL {
            let readings: Vec<Reading> = all.iter().map(|row| row.1).filter(|one| one.dataset == dataset).collect();
            let is_largest = dataset == Dataset::LARGEST;
            if readings.is_empty() && (!is_largest || self.stages.is_quick()) {
                continue;
            }
            let division = Division::new(self.stages, dataset, self.seed)?;
            count(table, &division);
            let readings = if is_largest { vec![Reading { dataset, ..Reading::CENTRE }] } else { readings };
            self.of_dataset(table, &division, &readings, if is_largest { usize::MAX } else { self.most() })?;
        }
        Ok(())
    }

    /// The number of test trips by which a reading is judged.
    fn most(&self) -> usize {
        if self.stages.is_quick() { QUICK_TRIPS } else { TRIPS }
    }

    fn of_dataset(&self, table: &mut Rows, division: &Division, readings: &[Reading], most: usize) -> Result<(), Error> {
        let problem = division.problem(&Reading::CENTRE)?;
        let trips = division.some(most);
        let judge = Judge::new(&division.roads, &problem, &trips, self.stages.work());
        let random = baselines::random_weights(problem.features.n_features(), self.seed);
        let random = problem.features.reward(&problem.mdp, &random).map_err(engine)?;
        let mut found = BTreeMap::new();
        // Random weights drive in circles, and searching for these takes long: not for all trips.
        let random = Some((name::RANDOM, random, true)).filter(|_| most < usize::MAX);
        for (name, reward, bounded) in fixed(&division.roads).into_iter().chain(random) {
            found.insert(name, self.forecasts(&judge, &problem, name, reward, bounded)?.0);
        }
        for reading in readings {
            self.reading(table, division, reading, (&judge, &found))?;
        }
        Ok(())
    }

    /// Learns the model of a reading, and compares it with the baselines on the same trips.
    fn reading(
        &self,
        table: &mut Rows,
        division: &Division,
        reading: &Reading,
        (judge, baselines): (&Judge<'_>, &BTreeMap<&'static str, Compared>),
    ) -> Result<(), Error> {
        let problem = division.problem(reading)?;
        let demos = division.demonstrations(&problem)?;
        let model = self.learn(reading, &problem, &demos)?;
        let reward = problem.features.reward(&problem.mdp, &model.theta).map_err(engine)?;
        let row = reading.to_string();
        keep_theta(table, &row, &problem, &model);
        table.time(&format!("learning; {row}"), model.seconds);
        if let Some(log_likelihood) = model.log_likelihood {
            table.value(table::STUDY, &row, "log-likelihood", demos.len(), log_likelihood);
        }
        for (road_type, cost) in costs_per_km(&division.roads, &reward) {
            table.value(table::STUDY, &row, &format!("cost of {road_type} roads"), 0, cost);
        }
        if let Some([expected, driven]) = self.lengths(reading, &problem, &demos, &model)? {
            table.value(table::STUDY, &row, "km expected", demos.len(), expected);
            table.value(table::STUDY, &row, "km driven", demos.len(), driven);
        }
        let every = if reading.discount < 1.0 { judge.trips.len().div_ceil(DISCOUNTED_TRIPS).max(1) } else { 1 };
        let trips: Vec<_> = judge.trips.iter().step_by(every).cloned().collect();
        let fewer = Judge::new(judge.roads, &problem, &trips, judge.work);
        let (found, seconds) = self.forecasts(&fewer, &problem, name::BOUNDED, reward, true)?;
        table.time(&format!("forecasts; {row}"), seconds);
        let shortest: Compared = baselines[name::SHORTEST].iter().step_by(every).copied().collect();
        for metric in Metric::ALL {
            summarise(table, &row, "model", metric, &found);
            for (name, all) in baselines {
                summarise(table, &row, name, metric, &all.iter().step_by(every).copied().collect());
            }
            let pairs = found.iter().zip(&shortest).filter_map(|(one, other)| Some((one.as_ref()?, other.as_ref()?)));
            let gains: Vec<f64> = pairs.map(|(one, other)| metric.of(one) - metric.of(other)).collect();
            table.summary(table::STUDY, &row, &format!("model minus shortest path, {}", metric.name()), &Summary::of(&gains));
        }
        Ok(())
    }

    /// The mean length of a path in km, as the model expects it and as it was driven. Not with a discount, which makes
    /// features smaller than lengths.
    fn lengths(
        &self,
        reading: &Reading,
        problem: &Problem,
        demos: &Demonstrations,
        model: &Model,
    ) -> Result<Option<[f64; 2]>, Error> {
        if reading.discount < 1.0 {
            return Ok(None);
        }
        let options = self.stages.options(Ends::Anywhere, Horizon::AtMost(LONGEST));
        let mut likelihood = Likelihood::new(&problem.mdp, &problem.features, demos, &options).map_err(engine)?;
        let at = |likelihood: &mut Likelihood<'_>, theta: &[f64]| likelihood.evaluate(theta).map_err(engine);
        let gradient = at(&mut likelihood, &model.theta)?.gradient;
        let observed = likelihood.observed();
        // Every metre has a toll or none.
        let of_toll = |feature: &usize| ["toll", "no_toll"].contains(&problem.features.name(*feature).as_str());
        let sum = |values: &[f64]| (0..values.len()).filter(of_toll).map(|feature| values[feature]).sum::<f64>() / 1000.0;
        let driven = sum(observed);
        Ok(Some([driven - sum(&gradient), driven]))
    }

    fn learn(&self, reading: &Reading, problem: &Problem, demos: &Demonstrations) -> Result<Model, Error> {
        let options = self.stages.options(Ends::Anywhere, Horizon::AtMost(LONGEST));
        let settings = MaxEnt { options, bounds: reading.bound.bounds(), max_iterations: 1000, ..MaxEnt::default() };
        let file = format!("{}-{}", reading.file(), self.seed);
        learn_watched(self.stages, (name::BOUNDED, &file), &settings, problem, demos)
    }

    fn ziebart(&self, table: &mut Rows, problem: &Problem, demos: &Demonstrations) -> Result<Model, Error> {
        let options = self.stages.options(Ends::Anywhere, Horizon::AtMost(LONGEST));
        let method = Method::Ziebart2008;
        let settings = MaxEnt { method, options, max_iterations: ZIEBART_ITERATIONS, ..MaxEnt::default() };
        let file = format!("reading-u-turns-ziebart-{}", self.seed);
        let model = learn_watched(self.stages, (name::ZIEBART, &file), &settings, problem, demos)?;
        table.stage(&format!("learning with U-turns, {}", name::ZIEBART), model.seconds);
        Ok(model)
    }

    fn forecasts(
        &self,
        judge: &Judge<'_>,
        problem: &Problem,
        name: &'static str,
        reward: Reward,
        bounded: bool,
    ) -> Result<(Compared, Option<f64>), Error> {
        let model = PathModel::new(&problem.mdp, reward, LONGEST, Ends::Anywhere).map_err(engine)?;
        let judged = self.stages.watched(name, |watch| judge.routes(name, &model, bounded, watch))?;
        let pairs = judged.predictions.routes.iter().zip(judge.trips);
        let compared = pairs.map(|(route, trip)| route.as_ref().ok().map(|route| judge.metrics().compare(route, &trip.states)));
        Ok((compared.collect(), Some(judged.score.seconds)))
    }
}

/// The baselines whose rewards are fixed, and whether their routes are bounded by the horizon.
fn fixed(roads: &Roads) -> [(&'static str, Reward, bool); 3] {
    [
        (name::SHORTEST, baselines::shortest(roads), false),
        (name::FEWEST, Reward::of_states(vec![-1.0; roads.n_states()]), false),
        (name::FASTEST, baselines::fastest(roads), false),
    ]
}

fn keep_theta(table: &mut Rows, row: &str, problem: &Problem, model: &Model) {
    for (feature, theta) in model.theta.iter().enumerate() {
        table.value(table::THETA, row, &problem.features.name(feature), 0, *theta);
    }
}

fn summarise(table: &mut Rows, row: &str, predictor: &str, metric: Metric, found: &Compared) {
    let values: Vec<f64> = found.iter().flatten().map(|one| metric.of(one)).collect();
    table.summary(table::STUDY, row, &format!("{predictor}, {}", metric.name()), &Summary::of(&values));
}

/// The size of a network and of its paths.
fn count(table: &mut Rows, division: &Division) {
    let (roads, row) = (&division.roads, division.dataset.to_string());
    let turns: usize = (0..roads.n_states()).map(|state| roads.turns_of(state).len()).sum();
    let matched = division.counts.iter().find(|row| row.0 == "matched").map_or(0, |row| row.1);
    let states: Vec<f64> = division.train.iter().chain(&division.test).map(|path| path.states.len() as f64).collect();
    let counts = [
        ("states", roads.n_states()),
        ("turns", turns),
        ("matched", matched),
        ("learned from", division.train.len()),
        ("judged by", division.test.len()),
    ];
    for (quantity, value) in counts {
        table.value(table::NETWORKS, &row, quantity, value, value as f64);
    }
    let used: std::collections::BTreeSet<usize> = roads.features.of_segments.iter().map(|value| value.1).collect();
    let unused = roads.features.names.len() - used.len();
    table.value(table::NETWORKS, &row, "features without roads", unused, unused as f64);
    table.value(table::NETWORKS, &row, "km", 0, roads.lengths().iter().sum::<f64>() / 1000.0);
    table.value(table::NETWORKS, &row, "states of a path", states.len(), Summary::of(&states).median);
    table.time(&format!("matching; {row}"), division.seconds[1]);
}

/// The cost of a km of the roads of each type, a mean weighted by length. Types without roads are left out.
pub(super) fn costs_per_km(roads: &Roads, reward: &Reward) -> Vec<(&'static str, f64)> {
    let types = [(RoadType::Local, "local"), (RoadType::Major, "major"), (RoadType::Highway, "highway")];
    let type_of = |state: usize| roads.segments_of(state).next().map(|segment| roads.network.way_of(segment).road_type);
    let mean = |road_type: RoadType| {
        let states = || (0..roads.n_states()).filter(move |&state| type_of(state) == Some(road_type));
        let metres: f64 = states().map(|state| roads.length(state)).sum();
        (metres > 0.0).then(|| -states().map(|state| reward.state[state]).sum::<f64>() / metres * 1000.0)
    };
    types.into_iter().filter_map(|(road_type, name)| mean(road_type).map(|cost| (name, cost))).collect()
}
