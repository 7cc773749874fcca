//! The section of the report on `model-free-rewards`.

use revealed_draw::{Axis, BLUE, Canvas, Curve, GREEN, GREY, Interval, Marker, VERMILION, curves};

use super::super::expert;
use super::{BOUNDS, DEMONSTRATIONS, SAMPLERS, WORLDS};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Figure, Number, Section, Table, Verdict, named};
use crate::statistics::{Mean, intervals, mean, shown};
use crate::work::Recipe;

/// The learned reward counts as the exact one if it loses less than this share of what learning gains.
const SAME: f64 = 0.01;

/// The world with the longest paths.
const LONG_PATHS: &str = WORLDS[2];

/// The means of one arm with one number of rollouts.
struct ArmPoint {
    rollouts: f64,
    /// The log-likelihood that is lost against the exact reward, in nats per path.
    gap: Mean,
    /// The same as a share of what the exact reward gains over no reward.
    share: Mean,
    theta_gap: Mean,
    ile: Mean,
    ile_exact: Mean,
    /// The difference of the two, data set by data set.
    excess: Mean,
    /// How much longer the model's paths are than those of the exact model.
    longer: Mean,
    effective: Mean,
}

/// One world and one sampler, by the number of rollouts.
struct SampledArm {
    world: &'static str,
    sampler: &'static str,
    points: Vec<ArmPoint>,
}

impl SampledArm {
    fn read(recipe: &Recipe, results: &Results, world: &'static str, sampler: &'static str) -> Result<SampledArm, Error> {
        let mut points = Vec::new();
        let prefix = format!("{world}/{sampler}/");
        for n in recipe.cases.iter().filter_map(|case| case.strip_prefix(&prefix)) {
            let all = |column: &str| {
                let rows = results.with("world", world);
                let rows = rows.filter(|row| row.text("sampler") == sampler && row.text("rollouts") == n);
                rows.map(|row| row.number(column)).collect::<Result<Vec<f64>, Error>>()
            };
            let both = |one: &str, other: &str, of: fn(f64, f64) -> f64| {
                let pairs = all(one)?.into_iter().zip(all(other)?);
                Ok::<_, Error>(mean(&pairs.map(|(one, other)| of(one, other)).collect::<Vec<_>>()))
            };
            points.push(ArmPoint {
                rollouts: n.parse().unwrap_or(1.0),
                gap: mean(&all("likelihood_gap")?),
                share: both("likelihood_gap", "likelihood_unlearned", |gap, gained| gap / gained)?,
                theta_gap: mean(&all("theta_gap")?),
                ile: mean(&all("ile")?),
                ile_exact: mean(&all("ile_exact")?),
                excess: both("ile", "ile_exact", |free, exact| free - exact)?,
                longer: both("length", "length_exact", |free, exact| free - exact)?,
                effective: mean(&all("effective_sample_size")?),
            });
        }
        Ok(SampledArm { world, sampler, points })
    }

    /// A curve of one of its columns.
    fn curve(&self, of: fn(&ArmPoint) -> Mean) -> Vec<(f64, Interval)> {
        intervals(&self.points.iter().map(|point| (point.rollouts, of(point))).collect::<Vec<_>>())
    }

    /// The fewest rollouts from which on the learned reward loses less than [`SAME`] of what learning gains.
    fn enough(&self) -> Option<f64> {
        let fails = self.points.iter().rposition(|point| point.share.high().is_nan() || point.share.high() >= SAME);
        self.points.get(fails.map_or(0, |place| place + 1)).map(|point| point.rollouts)
    }

    /// Whether the loss falls from the fewest rollouts to the most by more than its uncertainty.
    fn falls(&self) -> bool {
        let ends = self.points.first().zip(self.points.last());
        ends.is_some_and(|(first, last)| last.gap.high() < first.gap.low())
    }

    fn name(&self) -> String {
        format!("{}, {} sampler", self.world, self.sampler)
    }
}

/// All worlds and samplers.
struct SampledArms(Vec<SampledArm>);

pub(crate) fn section(recipe: &Recipe, results: &Results) -> Result<Section, Error> {
    let arms = WORLDS.iter().flat_map(|world| SAMPLERS.map(|sampler| (world, sampler)));
    let arms = arms.map(|(world, sampler)| SampledArm::read(recipe, results, world, sampler));
    let arms = SampledArms(arms.collect::<Result<Vec<_>, _>>()?);
    Ok(Section {
        title: "Open question: rewards learned without a model of the world".to_string(),
        paper: "The model-free importance sampling of Relative Entropy IRL can be adapted to MaxEnt IRL. It may be biased towards short demonstrations. \
                It needs to be evaluated against the exact algorithms (the paper's discussion)."
            .to_string(),
        ours: arms.ours(),
        verdict: arms.verdict().with_repeats(recipe.repeats),
        figures: arms.figures(recipe.repeats),
        tables: vec![arms.table()],
        settings: settings(recipe),
        numbers: arms.numbers(),
    })
}

impl SampledArms {
    fn last(&self, world: &str, sampler: &str) -> Option<&ArmPoint> {
        self.0.iter().find(|arm| arm.world == world && arm.sampler == sampler)?.points.last()
    }

    fn ours(&self) -> String {
        let tell = |arm: &SampledArm| {
            let [first, last] = [arm.points.first(), arm.points.last()];
            let (Some(first), Some(last)) = (first, last) else { return String::new() };
            format!(
                "{}: {:.1} % of what learning gains is lost with {} rollouts and {:.1} % with {}. Then the policy for the learned reward has an error of {} (exact: {}), and the \
                 model's paths are {} states longer than the exact model's.",
                arm.name(),
                100.0 * first.share.mean,
                first.rollouts,
                100.0 * last.share.mean,
                last.rollouts,
                last.ile,
                last.ile_exact,
                last.longer
            )
        };
        self.0.iter().map(tell).collect::<Vec<_>>().join("\n\n")
    }

    /// Whether the learned rewards come to the exact ones, and how the sampler matters.
    fn verdict(&self) -> Verdict {
        let told = |arm: &SampledArm| match arm.enough() {
            Some(n) => format!("{}: {n} rollouts suffice", arm.name()),
            None => format!("{}: no number of rollouts here suffices", arm.name()),
        };
        let each = self.0.iter().map(told).collect::<Vec<_>>().join("; ");
        let all_fall = self.0.iter().all(SampledArm::falls);
        let some_suffice = WORLDS.iter().all(|&world| self.0.iter().any(|arm| arm.world == world && arm.enough().is_some()));
        match all_fall && some_suffice {
            true => Verdict::Reproduced(format!(
                "With more samples, the learned rewards come to the exact ones in both worlds (less than {} % of the gain is lost). {each}.",
                100.0 * SAME
            )),
            false => Verdict::Differs(format!("The learned rewards do not come to the exact ones in every world. {each}.")),
        }
    }

    fn figures(&self, repeats: usize) -> Vec<Figure> {
        let caption = format!(
            "The log-likelihood of the demonstrations that a reward learned from samples loses against the exactly learned one, as a share of what the exact one gains over \
             no reward. At 1, nothing is learned. Mean and 90 % interval over {repeats} data sets."
        );
        let error = format!(
            "{}: the inverse learning error of rewards learned from samples less that of the exactly learned ones, data set by data set. Mean and 90 % interval over \
             {repeats} data sets.",
            LONG_PATHS
        );
        vec![
            Figure::new("likelihood", caption, self.likelihood_chart()),
            Figure::new("error", error, self.error_chart(LONG_PATHS)),
        ]
    }

    fn likelihood_chart(&self) -> Canvas {
        let colours = WORLDS.into_iter().zip([BLUE, GREEN, VERMILION]);
        let looks = colours.flat_map(|(_, colour)| [(colour, Marker::Circle), (colour, Marker::Triangle)]);
        let curve =
            |(arm, (colour, marker)): (&SampledArm, _)| Curve::new(arm.name(), colour, marker, arm.curve(|point| point.share));
        let lines: Vec<Curve> = self.0.iter().zip(looks).map(curve).collect();
        curves(&Axis::log("rollouts"), &Axis::log("share of the gain that is lost"), &lines)
    }

    fn error_chart(&self, world: &str) -> Canvas {
        let looks = [(BLUE, Marker::Circle), (GREEN, Marker::Triangle)];
        let arms = || self.0.iter().filter(|arm| arm.world == world);
        let curve = |(arm, (colour, marker)): (&SampledArm, _)| {
            Curve::new(format!("{} sampler", arm.sampler), colour, marker, arm.curve(|point| point.excess))
        };
        let mut lines: Vec<Curve> = arms().zip(looks).map(curve).collect();
        let zero = |arm: &SampledArm| arm.points.iter().map(|point| (point.rollouts, Interval::exactly(0.0))).collect();
        lines.extend(arms().next().map(|arm| Curve::new("exact", GREY, Marker::Dashes, zero(arm))));
        curves(&Axis::log("rollouts"), &Axis::linear("inverse learning error above exact"), &lines)
    }

    fn table(&self) -> Table {
        let mut rows = Vec::new();
        for (arm, point) in self.0.iter().flat_map(|arm| arm.points.iter().map(move |point| (arm, point))) {
            rows.push(vec![
                arm.world.into(),
                arm.sampler.into(),
                point.rollouts.to_string().into(),
                shown(point.effective.mean).into(),
                point.gap.to_string().into(),
                format!("{:.2} %", 100.0 * point.share.mean).into(),
                point.theta_gap.to_string().into(),
                point.longer.to_string().into(),
                point.ile.to_string().into(),
                point.excess.to_string().into(),
            ]);
        }
        Table::new(
            "Rewards learned from samples against exactly learned ones",
            &[
                "world",
                "sampler",
                "rollouts",
                "effective sample size",
                "lost log-likelihood",
                "share of the gain",
                "distance of $\\theta$",
                "longer paths",
                "error",
                "error above exact",
            ],
            rows,
            format!(
                "Mean ± half of the 90 % interval. The lost log-likelihood is in nats per demonstration, by exact inference for both rewards; its share is that of \
                 what the exact reward gains over $\\theta = 0$. The distance of $\\theta$ is the root mean square over the weights. Longer paths: the mean number of \
                 states of the learned model less that of the exact one. The error is the inverse learning error. Its exact value is the same quantity as in the \
                 section on reward recovery, for {DEMONSTRATIONS} demonstrations. The paper has no numbers for this."
            ),
        )
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        for arm in &self.0 {
            let name = |what: &str| format!("{what}_{}_{}", arm.world, arm.sampler);
            if let Some(last) = self.last(arm.world, arm.sampler) {
                numbers.push(last.gap.number(name("gap"), None));
                numbers.push(last.ile_exact.number(name("ile_exact"), None));
                numbers.push(last.share.number(name("share"), None));
                numbers.push(last.excess.number(name("excess"), None));
                numbers.push(last.longer.number(name("longer"), None));
            }
            numbers.extend(arm.enough().map(|n| Number::new(name("enough"), None, n)));
        }
        numbers
    }
}

fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    named([
        ("data sets", format!("{} for each number of rollouts, of {DEMONSTRATIONS} demonstrations of the expert each", recipe.repeats)),
        ("bounds", format!("$\\theta$ in [{}, {}] for both methods", BOUNDS.0, BOUNDS.1)),
        ("paths", "end anywhere; the number at the end of a world's name is the largest number of states".to_string()),
        (
            "how the settings were chosen",
            "the lake with the shortest paths was added after the learned rewards had not come to the exact ones on that with the longest".to_string(),
        ),
        ("uniform sampler", "every action of a state equally often".to_string()),
        (
            "cloned sampler",
            "actions as often as in the demonstrations, each counted once more than it occurs; the weights contain its probabilities".to_string(),
        ),
        ("inverse learning error", expert::SCALE.to_string()),
    ])
}
