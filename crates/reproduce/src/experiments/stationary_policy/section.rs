//! The section of the report on `stationary-policy`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::super::expert::DISCOUNT;
use super::{BOUNDS, DEMONSTRATIONS, HORIZONS, ICE, LONGEST, LearnedModel, WORLDS};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, mean};
use crate::work::Recipe;

/// A stationary policy suffices if it loses less than this share of the expert's value.
const SUFFICES: f64 = 0.01;

/// The results of one world, slip, model and horizon.
struct SlipPoint {
    world: &'static str,
    slip: String,
    model: LearnedModel,
    horizon: &'static str,
    states: Mean,
    divergence: Mean,
    at_horizon: Mean,
    /// By the true reward, as a share of the expert's value: the policy at each time.
    policy: Mean,
    /// What its stationary projection loses against it.
    loss: Mean,
    /// The optimal stationary policy for the learned reward.
    optimal: Mean,
    /// How far that one is ahead of the policy at each time.
    ahead: Mean,
}

impl SlipPoint {
    fn read(
        results: &Results,
        (world, slip): (&'static str, &str),
        model: LearnedModel,
        horizon: &'static str,
    ) -> Result<SlipPoint, Error> {
        let all = |column: &str| {
            let rows = results.with("world", world).filter(|row| row.text("slip") == slip);
            let rows = rows.filter(|row| row.text("model") == model.name() && row.text("horizon") == horizon);
            rows.map(|row| row.number(column)).collect::<Result<Vec<f64>, Error>>()
        };
        let (expert, policy) = (all("expert")?, all("policy")?);
        let share = |values: Vec<f64>| values.iter().zip(&expert).map(|(value, expert)| value / expert).collect::<Vec<f64>>();
        let less = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one - other).collect::<Vec<f64>>();
        Ok(SlipPoint {
            world,
            slip: slip.to_string(),
            model,
            horizon,
            states: mean(&all("states")?),
            // As `revealed policy` does, what is left below a billionth is taken for rounding.
            divergence: mean(
                &all("divergence")?.into_iter().map(|nats| if nats < 1e-9 { 0.0 } else { nats }).collect::<Vec<_>>(),
            ),
            at_horizon: mean(&all("at_horizon")?),
            policy: mean(&share(policy.clone())),
            loss: mean(&share(less(&policy, &all("stationary")?))),
            optimal: mean(&share(all("optimal")?)),
            ahead: mean(&share(less(&all("optimal")?, &policy))),
        })
    }

    /// The mean number of states, with a decimal where it needs one.
    fn states_shown(&self) -> String {
        fixed(self.states.mean, 0.0, usize::from(self.states.mean.fract() != 0.0))
    }

    fn is_same_setting(&self, other: &SlipPoint) -> bool {
        let of = |point: &SlipPoint| (point.states, point.divergence, point.policy, point.optimal);
        (self.world, &self.slip, self.model) == (other.world, &other.slip, other.model) && of(self) == of(other)
    }

    fn suffices(&self) -> bool {
        self.loss.high() < SUFFICES
    }

    /// Whether the optimal stationary policy is at least as good as the model's own policy.
    fn is_suitable(&self) -> bool {
        self.ahead.low() >= -SUFFICES
    }
}

/// All of them.
struct SlipPoints(Vec<SlipPoint>);

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let mut points: Vec<SlipPoint> = Vec::new();
    for world in WORLDS {
        for (_, slip) in recipe.cases.iter().filter_map(|case| case.split_once('/')).filter(|case| case.0 == world) {
            for (model, horizon) in LearnedModel::ALL.into_iter().flat_map(|model| HORIZONS.map(|horizon| (model, horizon))) {
                let point = SlipPoint::read(results, (world, slip), model, horizon)?;
                // Where the longest demonstration has as many states as the longer horizon, the two are one setting.
                if points.last().is_none_or(|last| !point.is_same_setting(last)) {
                    points.push(point);
                }
            }
        }
    }
    let points = SlipPoints(points);
    Ok(Section {
        title: "Open question: when does a stationary policy suffice?".to_string(),
        paper: "The MaxEnt model learns a reward for a policy that depends on time, but the learned reward is used with stationary policies. The experiments suggest \
                that learned rewards are often suitable for a stationary policy. When they are is left open (the paper's discussion)."
            .to_string(),
        ours: points.ours(),
        verdict: points.verdict().with_repeats(recipe.repeats),
        figures: points.figures(recipe.repeats),
        tables: vec![points.table()],
        settings: settings(recipe),
        numbers: points.numbers(),
    })
}

impl SlipPoints {
    fn of(&self, world: &str, model: LearnedModel, horizon: &str) -> impl Iterator<Item = &SlipPoint> {
        let matches = move |point: &&SlipPoint| point.model == model && point.horizon == horizon;
        self.0.iter().filter(matches).filter(move |point| point.world == world)
    }

    fn worst(&self, of: fn(&SlipPoint) -> f64) -> Option<&SlipPoint> {
        self.0.iter().max_by(|one, other| of(one).total_cmp(&of(other)))
    }

    fn share(&self, of: impl Fn(&SlipPoint) -> bool) -> (usize, usize) {
        (self.0.iter().filter(|point| of(point)).count(), self.0.len())
    }

    /// The points of the driest and of the most slippery world.
    fn ends(&self, model: LearnedModel) -> Option<(&SlipPoint, &SlipPoint)> {
        let mut points = self.of(WORLDS[0], model, HORIZONS[0]);
        let first = points.next()?;
        Some((first, points.last()?))
    }

    fn ours(&self) -> String {
        let (suffice, all) = self.share(SlipPoint::suffices);
        let worst = self.worst(|point| point.loss.mean).map_or(String::new(), |worst| {
            format!(
                " The largest loss is {:.1} % ({}, slip {}, {}, {} states).",
                100.0 * worst.loss.mean,
                worst.world,
                worst.slip,
                worst.model.title(),
                worst.states_shown()
            )
        });
        let luck = |model: LearnedModel| {
            let (dry, icy) = self.ends(model)?;
            let percent = |mean: Mean| format!("{:.1} %", 100.0 * mean.mean);
            Some(format!(
                "{}: the policy at each time {} and {}, the optimal stationary policy {} and {}",
                model.title(),
                percent(dry.policy),
                percent(icy.policy),
                percent(dry.optimal),
                percent(icy.optimal)
            ))
        };
        let luck: Vec<String> = [LearnedModel::Anywhere, LearnedModel::Causal].into_iter().filter_map(luck).collect();
        format!(
            "The stationary projection of the model's policy loses less than {} % of the expert's value in {suffice} of {all} settings.{worst} Chance matters more than \
             time. Shares of the expert's value on {}, deterministic and slippery: {}.",
            100.0 * SUFFICES,
            WORLDS[0],
            luck.join("; ")
        )
    }

    /// Learned rewards are often suitable: in more than half of the settings. And what decides.
    fn verdict(&self) -> Verdict {
        let ((suitable, all), (suffice, _)) = (self.share(SlipPoint::is_suitable), self.share(SlipPoint::suffices));
        let falls = self.ends(LearnedModel::Anywhere).is_some_and(|(dry, icy)| icy.policy.high() < dry.policy.low());
        let kept = self.ends(LearnedModel::Anywhere).is_some_and(|(_, icy)| icy.ahead.low() > SUFFICES);
        let luck = match (falls, kept) {
            (true, true) => {
                "On slippery ice it is the model's own policy that is not suitable, because it counts on luck; the optimal stationary policy for the same reward is."
            }
            (true, false) => "On slippery ice neither policy for the learned reward is suitable.",
            (false, _) => "Slippery ice does not matter.",
        };
        let told = format!(
            "The optimal stationary policy for the learned reward is as good as the model's own policy at each time, or better, in {suitable} of {all} settings, and the \
             model's policy hardly depends on the time in {suffice} of {all}. {luck}"
        );
        if 2 * suitable > all { Verdict::Reproduced(told) } else { Verdict::Differs(told) }
    }

    fn figures(&self, repeats: usize) -> Vec<Figure> {
        let divergence = format!(
            "{}, horizon of the longest demonstration: the divergence of the stationary projection from the model, by how slippery the world is. Mean and 90 % \
             interval over {repeats} data sets.",
            WORLDS[0]
        );
        let loss = format!(
            "Paths that end anywhere (the paper's), horizon of the longest demonstration: what the stationary projection loses, as a share of the expert's value. Mean and \
             90 % interval over {repeats} data sets."
        );
        let value = format!(
            "{}, horizon of the longest demonstration: the values of policies by the true reward, as shares of the expert's. Mean and 90 % interval over {repeats} data sets.",
            WORLDS[0]
        );
        vec![
            Figure::new("value", value, self.value_chart(WORLDS[0], HORIZONS[0])),
            Figure::new("divergence", divergence, self.divergence_chart(WORLDS[0], HORIZONS[0])),
            Figure::new("loss", loss, self.loss_chart(LearnedModel::Anywhere, HORIZONS[0])),
        ]
    }

    fn divergence_chart(&self, world: &str, horizon: &str) -> Canvas {
        let looks = [(BLUE, Marker::Circle), (VERMILION, Marker::Square), (GREEN, Marker::Triangle)];
        let curve = |(model, (colour, marker)): (LearnedModel, _)| {
            Curve::new(model.title(), colour, marker, by_slip(self.of(world, model, horizon), |point| point.divergence))
        };
        let lines: Vec<Curve> = LearnedModel::ALL.into_iter().zip(looks).map(curve).collect();
        curves(&Axis::linear("slip: 0 deterministic, 1 Gymnasium's"), &Axis::linear("divergence, nats per path"), &lines)
    }

    fn value_chart(&self, world: &str, horizon: &str) -> Canvas {
        let line = |name: &str, model, colour, marker, of: fn(&SlipPoint) -> Mean| {
            Curve::new(name, colour, marker, by_slip(self.of(world, model, horizon), of))
        };
        let lines = [
            line("MaxEnt, policy at each time", LearnedModel::Anywhere, VERMILION, Marker::Square, |point| point.policy),
            line("MaxEnt, optimal stationary policy", LearnedModel::Anywhere, BLUE, Marker::Circle, |point| point.optimal),
            line("causal, policy at each time", LearnedModel::Causal, GREEN, Marker::Triangle, |point| point.policy),
            line("causal, optimal stationary policy", LearnedModel::Causal, GREY, Marker::Circle, |point| point.optimal),
        ];
        curves(&Axis::linear("slip: 0 deterministic, 1 Gymnasium's"), &Axis::linear("share of the expert's value"), &lines)
    }

    fn loss_chart(&self, model: LearnedModel, horizon: &str) -> Canvas {
        let looks = [(BLUE, Marker::Circle), (VERMILION, Marker::Square), (GREEN, Marker::Triangle)];
        let curve = |(world, (colour, marker)): (&str, _)| {
            Curve::new(world, colour, marker, by_slip(self.of(world, model, horizon), |point| point.loss))
        };
        let lines: Vec<Curve> = WORLDS.into_iter().zip(looks).map(curve).collect();
        curves(
            &Axis::linear("slip: 0 deterministic, 1 Gymnasium's"),
            &Axis::linear("loss, share of the expert's value"),
            &lines,
        )
    }

    fn table(&self) -> Table {
        let percent = |share: Mean| fixed(100.0 * share.mean, 100.0 * share.half_width, 2);
        let row = |point: &SlipPoint| {
            vec![
                point.world.into(),
                point.slip.clone().into(),
                point.model.title().into(),
                point.states_shown().into(),
                fixed(point.divergence.mean, point.divergence.half_width, 4).into(),
                percent(point.at_horizon).into(),
                percent(point.policy).into(),
                percent(point.loss).into(),
                percent(point.optimal).into(),
            ]
        };
        Table::new(
            "What a stationary policy loses",
            &[
                "world",
                "slip",
                "model",
                "horizon",
                "divergence",
                "ended by the horizon (%)",
                "policy at each time (%)",
                "loss of its projection (%)",
                "optimal stationary policy (%)",
            ],
            self.0.iter().map(row).collect(),
            "Mean ± half of the 90 % interval; the numbers are those of `revealed policy`. Values are by the true reward, executed with the world's own probabilities, as \
             shares of the expert's value. The divergence is in nats per path. The last column is the optimal stationary policy for the learned reward, planned on the paper's scale (a terminal \
             state keeps paying). Without a horizon the model's policy is stationary, and nothing is lost.",
        )
    }

    fn numbers(&self) -> Vec<Number> {
        let (suffice, all) = self.share(SlipPoint::suffices);
        let (suitable, _) = self.share(SlipPoint::is_suitable);
        let mut numbers = vec![
            Number::new("settings", None, all as f64),
            Number::new("suffices", None, suffice as f64),
            Number::new("suitable", None, suitable as f64),
        ];
        for world in WORLDS {
            for point in self.of(world, LearnedModel::Anywhere, HORIZONS[0]) {
                numbers.push(point.loss.number(format!("loss_{world}_{}", point.slip), None));
                numbers.push(point.divergence.number(format!("divergence_{world}_{}", point.slip), None));
                numbers.push(point.policy.number(format!("policy_{world}_{}", point.slip), None));
                numbers.push(point.optimal.number(format!("optimal_{world}_{}", point.slip), None));
            }
        }
        numbers
    }
}

fn by_slip<'a>(points: impl Iterator<Item = &'a SlipPoint>, of: fn(&SlipPoint) -> Mean) -> Vec<(f64, Interval)> {
    intervals(&points.map(|point| (point.slip.parse().unwrap_or(0.0), of(point))).collect::<Vec<_>>())
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        ("data sets", format!("{} for each world and slip, of {DEMONSTRATIONS} episodes of the expert each", recipe.repeats)),
        (
            "slip",
            "of a lake: the probabilities lie between those of dry ice (0) and of Gymnasium's slippery ice (1); of the chain: the other action happens with probability 0.2 \
             times the slip"
                .to_string(),
        ),
        (
            "random lakes",
            format!("6 by 6 cells, each ice with probability {ICE}; the n-th data set of each slip has the n-th lake"),
        ),
        (
            "how the settings were chosen",
            "bounds of ±1 and values of episodes that end were tried first: then the learned policies were close to random. The two horizons coincide on the chain and \
             on the most slippery lakes, and are then one setting"
                .to_string(),
        ),
        ("horizon", format!("the states of the longest demonstration (the default), and {LONGEST}")),
        ("bounds", format!("$\\theta$ in [{}, {}]", BOUNDS.0, BOUNDS.1)),
        ("values", format!("discount {DISCOUNT}; executed until a terminal state or the horizon; the optimal policy is planned with the paper's scale")),
    ])
}

/// A value and half of its interval with the same number of decimals, so that a column of shares from 0 to 100 stays
/// narrow. An interval of less than these decimals is left out, and so is that of one repeat, which is no number.
fn fixed(mean: f64, half_width: f64, decimals: usize) -> String {
    let smallest = 0.5 * 10f64.powi(-(decimals as i32));
    // Without a minus before a zero.
    let mean = if mean.abs() < smallest { 0.0 } else { mean };
    match half_width >= smallest {
        true => format!("{mean:.decimals$} ± {half_width:.decimals$}"),
        false => format!("{mean:.decimals$}"),
    }
}
