//! The section of the report on `reference-policy`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::super::expert;
use super::{HELD_OUT, ReferenceKind, WORLDS, longest};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, mean};
use crate::work::Recipe;

/// The results of one world and one reference policy with one number of demonstrations.
struct ReferencePoint {
    demonstrations: f64,
    held_out: Mean,
    /// The log-likelihood of a fresh episode above that of maximum entropy, data set by data set.
    ahead: Mean,
    ile: Mean,
    /// Of the reward and the reference policy together.
    ile_whole: Mean,
}

/// One world and one reference policy, by the number of demonstrations.
struct ReferenceCurve {
    world: &'static str,
    reference: ReferenceKind,
    points: Vec<ReferencePoint>,
}

impl ReferenceCurve {
    fn read(recipe: &Recipe, results: &Results, world: &'static str, reference: ReferenceKind) -> Result<Self, Error> {
        let mut points = Vec::new();
        for (_, n) in recipe.cases.iter().filter_map(|case| case.split_once('/')).filter(|case| case.0 == world) {
            let all = |reference: ReferenceKind, column: &str| {
                let rows = results.with("world", world);
                let rows = rows.filter(|row| row.text("demonstrations") == n && row.text("reference") == reference.name());
                rows.map(|row| row.number(column)).collect::<Result<Vec<f64>, Error>>()
            };
            let held_out = all(reference, "held_out")?;
            let plain = all(ReferenceKind::None, "held_out")?;
            let ahead: Vec<f64> = held_out.iter().zip(&plain).map(|(one, other)| one - other).collect();
            points.push(ReferencePoint {
                demonstrations: n.parse().unwrap_or(1.0),
                held_out: mean(&held_out),
                ahead: mean(&ahead),
                ile: mean(&all(reference, "ile")?),
                ile_whole: mean(&all(reference, "ile_with_reference")?),
            });
        }
        Ok(ReferenceCurve { world, reference, points })
    }

    fn first(&self) -> Mean {
        self.points.first().map_or(Mean::NONE, |point| point.ahead)
    }

    fn last(&self) -> Mean {
        self.points.last().map_or(Mean::NONE, |point| point.ahead)
    }

    fn curve(&self, of: fn(&ReferencePoint) -> Mean) -> Vec<(f64, Interval)> {
        intervals(&self.points.iter().map(|point| (point.demonstrations, of(point))).collect::<Vec<_>>())
    }
}

/// All worlds and reference policies.
struct ReferenceCurves(Vec<ReferenceCurve>);

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let all = WORLDS.iter().flat_map(|world| ReferenceKind::ALL.map(|reference| (world, reference)));
    let all = all.map(|(world, reference)| ReferenceCurve::read(recipe, results, world, reference));
    let all = ReferenceCurves(all.collect::<Result<Vec<_>, _>>()?);
    Ok(Section {
        title: "Open question: a reference policy that knows something".to_string(),
        paper: "In principle, one can choose an alternative reference distribution to encode any other prior preference. This needs to be explored and \
                evaluated against the exact algorithms (the paper's discussion)."
            .to_string(),
        ours: all.ours(),
        verdict: all.verdict().with_repeats(recipe.repeats),
        figures: all.figures(recipe.repeats),
        tables: vec![all.held_out_table(), all.error_table()],
        settings: settings(recipe),
        numbers: all.numbers(),
    })
}

impl ReferenceCurves {
    fn of(&self, world: &str, reference: ReferenceKind) -> Option<&ReferenceCurve> {
        self.0.iter().find(|curve| curve.world == world && curve.reference == reference)
    }

    /// The lead over maximum entropy with the fewest and with the most demonstrations.
    fn ends(&self, world: &str, reference: ReferenceKind) -> [Mean; 2] {
        self.of(world, reference).map_or([Mean::NONE; 2], |curve| [curve.first(), curve.last()])
    }

    fn ours(&self) -> String {
        let each = |world: &&str| {
            let [[first, last], [wrong_first, wrong_last]] =
                [ReferenceKind::Habit, ReferenceKind::Wrong].map(|reference| self.ends(world, reference));
            format!(
                "{world}: a reference policy that acts as the expert in every second step is ahead of maximum entropy by {first} nats per fresh episode with the \
                 fewest demonstrations, and by {last} with the most. A wrong one: {wrong_first} and {wrong_last}."
            )
        };
        WORLDS.iter().map(each).collect::<Vec<_>>().join(" ")
    }

    /// The worlds for which something holds, in words.
    fn worlds(&self, holds: impl Fn(&str) -> bool) -> (usize, String) {
        let worlds: Vec<&str> = WORLDS.into_iter().filter(|world| holds(world)).collect();
        (worlds.len(), if worlds.is_empty() { "no world".to_string() } else { worlds.join(" and ") })
    }

    /// Whether knowledge helps and wrong knowledge harms; what becomes of both with more demonstrations; and whether the
    /// reward alone is worse than that of maximum entropy.
    fn verdict(&self) -> Verdict {
        let habit = |world: &str| self.ends(world, ReferenceKind::Habit);
        let wrong = |world: &str| self.ends(world, ReferenceKind::Wrong);
        let last = |world: &str, reference| self.of(world, reference).and_then(|curve| curve.points.last());
        let (helped, helps) = self.worlds(|world| habit(world)[0].low() > 0.0);
        let (harmed, harms) = self.worlds(|world| wrong(world)[0].high() < 0.0);
        let (_, fades) = self.worlds(|world| habit(world)[1].high() < habit(world)[0].low());
        let (_, stays) = self.worlds(|world| habit(world)[1].low() > 0.0);
        let (_, recovers) = self.worlds(|world| wrong(world)[1].low() > wrong(world)[0].high());
        let (_, worse) = self.worlds(|world| {
            let both = last(world, ReferenceKind::Habit).zip(last(world, ReferenceKind::None));
            both.is_some_and(|(habit, plain)| habit.ile.low() > plain.ile.high())
        });
        let told = format!(
            "With the fewest demonstrations, a reference policy that knows the expert helps in {helps}, and a wrong one harms in {harms}. With the most, the help is \
             smaller in {fades} and remains in {stays}; the harm is smaller in {recovers}. The learned reward alone, without its reference policy, is then worse than that \
             of maximum entropy in {worse}."
        );
        let encodes = helped == WORLDS.len() && harmed == WORLDS.len();
        if encodes { Verdict::Reproduced(told) } else { Verdict::Differs(told) }
    }

    fn figures(&self, repeats: usize) -> Vec<Figure> {
        let caption = |world: &str| {
            format!(
                "{world}: how much likelier fresh episodes are than under maximum entropy, by what the reference policy knows. Mean and 90 % interval over \
                 {repeats} data sets."
            )
        };
        let error = format!(
            "{}: the inverse learning error of the learned reward alone, and of the reward together with the reference policy. Mean and 90 % interval over \
             {repeats} data sets.",
            WORLDS[0]
        );
        vec![
            Figure::new("lake", caption(WORLDS[0]), self.lead_chart(WORLDS[0])),
            Figure::new("chain", caption(WORLDS[1]), self.lead_chart(WORLDS[1])),
            Figure::new("error", error, self.error_chart(WORLDS[0])),
        ]
    }

    fn lead_chart(&self, world: &str) -> Canvas {
        let looks = [
            (ReferenceKind::None, GREY, Marker::Dashes),
            (ReferenceKind::Uniform, GREY, Marker::Circle),
            (ReferenceKind::Hint, GREEN, Marker::Triangle),
            (ReferenceKind::Habit, BLUE, Marker::Circle),
            (ReferenceKind::Wrong, VERMILION, Marker::Square),
        ];
        let curve = |(reference, colour, marker): (ReferenceKind, _, _)| {
            let found = self.of(world, reference)?;
            Some(Curve::new(reference.title(), colour, marker, found.curve(|point| point.ahead)))
        };
        let lines: Vec<Curve> = looks.into_iter().filter_map(curve).collect();
        curves(&Axis::log("demonstrations"), &Axis::linear("ahead of maximum entropy, nats per fresh episode"), &lines)
    }

    fn error_chart(&self, world: &str) -> Canvas {
        let line = |name: &str, reference, colour, marker, of: fn(&ReferencePoint) -> Mean| {
            self.of(world, reference).map(|found| Curve::new(name, colour, marker, found.curve(of)))
        };
        let lines = [
            line("maximum entropy", ReferenceKind::None, GREY, Marker::Circle, |point| point.ile),
            line("expert in every second step", ReferenceKind::Habit, VERMILION, Marker::Square, |point| point.ile),
            line("the same, with its reference policy", ReferenceKind::Habit, BLUE, Marker::Triangle, |point| point.ile_whole),
        ];
        let lines: Vec<Curve> = lines.into_iter().flatten().collect();
        curves(&Axis::log("demonstrations"), &Axis::linear("inverse learning error"), &lines)
    }

    fn held_out_table(&self) -> Table {
        let mut rows = Vec::new();
        for world in WORLDS {
            let Some(plain) = self.of(world, ReferenceKind::None) else { continue };
            for (place, point) in plain.points.iter().enumerate() {
                let mut row = vec![world.into(), point.demonstrations.to_string().into(), point.held_out.to_string().into()];
                for reference in &ReferenceKind::ALL[1..] {
                    let other = self.of(world, *reference).and_then(|curve| curve.points.get(place));
                    row.push(other.map_or(String::new(), |point| point.ahead.to_string()).into());
                }
                rows.push(row);
            }
        }
        Table::new(
            "The log-likelihood of fresh episodes, in nats per episode",
            &["world", "demonstrations", "maximum entropy", "uniform", "expert 20 %", "expert 50 %", "worst 50 %"],
            rows,
            "Mean ± half of the 90 % interval. The last four columns are differences from maximum entropy, data set by data set: positive is better. The columns \
             name the reference policy: the share of steps in which it acts as the expert, or takes the worst action; otherwise any action is equally likely.",
        )
    }

    fn error_table(&self) -> Table {
        let mut rows = Vec::new();
        for curve in &self.0 {
            for point in &curve.points {
                let whole =
                    if curve.reference == ReferenceKind::None { "the same".to_string() } else { point.ile_whole.to_string() };
                rows.push(vec![
                    curve.world.into(),
                    curve.reference.title().into(),
                    point.demonstrations.to_string().into(),
                    point.ile.to_string().into(),
                    whole.into(),
                ]);
            }
        }
        Table::new(
            "The inverse learning error with a reference policy",
            &["world", "reference policy", "demonstrations", "of the reward", "of the reward and the reference policy"],
            rows,
            "Mean ± half of the 90 % interval. The reward is learned relative to the reference policy $\\pi_0$: what $\\pi_0$ explains, the reward need not. The last \
             column plans with $R + \\log(\\pi_0 / u)$, where $u$ is the uniform policy. Maximum entropy is the same quantity as in the section on reward recovery, \
             but with a fixed horizon, with a prior instead of bounds, and on other data sets.",
        )
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        for curve in self.0.iter().filter(|curve| curve.reference != ReferenceKind::None) {
            let name = |what: &str| format!("{what}_{}_{}", curve.world, curve.reference.name());
            numbers.push(curve.first().number(name("ahead_first"), None));
            numbers.push(curve.last().number(name("ahead_last"), None));
            if let Some(last) = curve.points.last() {
                numbers.push(last.ile.number(name("ile_last"), None));
                numbers.push(last.ile_whole.number(name("ile_whole_last"), None));
            }
        }
        numbers
    }
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        ("data sets", format!("{} for each number of demonstrations; every model learns from the same ones", recipe.repeats)),
        (
            "how the settings were chosen",
            "bounds of ±1 and of ±10 without a prior were tried first: then the help of the reference did not fade, or one demonstration misled it. The conclusion \
             depends on the prior"
                .to_string(),
        ),
        ("fresh episodes", format!("{HELD_OUT} of the expert for each data set")),
        (
            "prior",
            "a standard normal distribution of every weight (l2 = 1 / number of demonstrations) and no bounds: without demonstrations, a model is its reference distribution"
                .to_string(),
        ),
        (
            "paths",
            format!(
                "end anywhere; of up to {} states on {} and {} on {}",
                longest(WORLDS[0]),
                WORLDS[0],
                longest(WORLDS[1]),
                WORLDS[1]
            ),
        ),
        (
            "features",
            format!(
                "one per state on {}, so that no reward is equal to a reference policy; one per state and action on {}, so that some is",
                WORLDS[0], WORLDS[1]
            ),
        ),
        ("inverse learning error", expert::SCALE.to_string()),
    ])
}
