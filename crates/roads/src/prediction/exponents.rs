//! How much each part of a destination model counts: a conditional logit.

use revealed::Work;

use super::beginning::{Beginning, FACTORS};
use super::in_order::in_order;
use crate::error::Error;

/// The largest number of Newton steps.
const MOST_STEPS: usize = 50;
/// The search ends when no exponent changes by more than this.
const SMALL: f64 = 1e-8;

/// The exponents of the factors: P(G) ∝ p(G)^prior · (S(G)/Z(G))^route · (L/m)^power · e^{rate · L/m}, where p is the
/// prior, S/Z the paper's ratio, L the length of the whole trip if it ends in G, and m the mean length of known trips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponents {
    /// Of the prior.
    pub prior: f64,
    /// Of the route model's likelihood of the beginning.
    pub route: f64,
    /// Of the length of the whole trip.
    pub power: f64,
    /// The change of the logarithm for each mean length. It is negative if long trips are rare.
    pub rate: f64,
}

impl Exponents {
    /// The paper's posterior: the prior and the route model count as they are, and lengths do not count.
    pub const PAPER: Exponents = Exponents { prior: 1.0, route: 1.0, power: 0.0, rate: 0.0 };

    pub(crate) fn array(self) -> [f64; FACTORS] {
        [self.prior, self.route, self.power, self.rate]
    }

    fn of([prior, route, power, rate]: [f64; FACTORS]) -> Exponents {
        Exponents { prior, route, power, rate }
    }
}

/// A beginning whose end is known.
pub(crate) struct Example<'a> {
    pub beginning: Beginning<'a>,
    /// The true destination.
    pub goal: usize,
}

/// The log-likelihood, its gradient, and minus its Hessian.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Derivatives {
    pub value: f64,
    pub gradient: [f64; FACTORS],
    pub curvature: [[f64; FACTORS]; FACTORS],
}

/// The exponents with the largest log-likelihood of the true destinations. A normal prior with variance 1 around
/// [`Exponents::PAPER`] counts as much as one example does, so that few examples change little. The function is
/// concave: Newton's steps, halved where they go too far, find its maximum.
pub(crate) fn fit(examples: &[Example<'_>], work: &Work) -> Result<Exponents, Error> {
    let mut at = Exponents::PAPER.array();
    let mut here = total(examples, at, work)?;
    for _ in 0..MOST_STEPS {
        let Some(step) = solve(here.curvature, here.gradient) else { break };
        let mut size = 1.0;
        let (next, there) = loop {
            let next = std::array::from_fn(|k| at[k] + size * step[k]);
            let there = total(examples, next, work)?;
            if there.value >= here.value || size < 1e-6 {
                break (next, there);
            }
            size *= 0.5;
        };
        if there.value < here.value {
            break;
        }
        (at, here) = (next, there);
        if step.iter().all(|step| (step * size).abs() < SMALL) {
            break;
        }
    }
    Ok(Exponents::of(at))
}

/// The penalised log-likelihood of all examples. The sum is taken in their order.
pub(crate) fn total(examples: &[Example<'_>], at: [f64; FACTORS], work: &Work) -> Result<Derivatives, Error> {
    let parts = in_order(examples.len(), work, || Ok(()), |(), place| Ok(of_example(&examples[place], at)))?;
    let start = Exponents::PAPER.array();
    let away: [f64; FACTORS] = std::array::from_fn(|k| at[k] - start[k]);
    let penalty = Derivatives {
        value: -0.5 * away.iter().map(|away| away * away).sum::<f64>(),
        gradient: away.map(|away| -away),
        curvature: std::array::from_fn(|row| std::array::from_fn(|column| f64::from(u8::from(row == column)))),
    };
    Ok(parts.iter().fold(penalty, |sum, part| Derivatives {
        value: sum.value + part.value,
        gradient: std::array::from_fn(|k| sum.gradient[k] + part.gradient[k]),
        curvature: std::array::from_fn(|r| std::array::from_fn(|c| sum.curvature[r][c] + part.curvature[r][c])),
    }))
}

/// ln P(goal), the factors minus their expectation, and their covariance.
fn of_example(Example { beginning, goal }: &Example<'_>, at: [f64; FACTORS]) -> Derivatives {
    let nothing = Derivatives { value: 0.0, gradient: [0.0; FACTORS], curvature: [[0.0; FACTORS]; FACTORS] };
    let log_weight = |factors: &[f64; FACTORS]| (0..FACTORS).map(|k| at[k] * factors[k]).sum::<f64>();
    let Some(truth) = beginning.factors(*goal) else { return nothing };
    // Factors and weights are relative to those of the truth.
    let origin = log_weight(&truth);
    let (mut most, mut sum, mut first, mut second) = (0.0, 0.0, [0.0; FACTORS], [[0.0; FACTORS]; FACTORS]);
    for factors in (0..beginning.log_ratio.len()).filter_map(|goal| beginning.factors(goal)) {
        let log = log_weight(&factors) - origin;
        if log > most {
            let shrink = f64::exp(most - log);
            sum *= shrink;
            first.iter_mut().for_each(|value| *value *= shrink);
            second.iter_mut().flatten().for_each(|value| *value *= shrink);
            most = log;
        }
        let weight = f64::exp(log - most);
        let from: [f64; FACTORS] = std::array::from_fn(|k| factors[k] - truth[k]);
        sum += weight;
        for row in 0..FACTORS {
            first[row] += weight * from[row];
            (0..=row).for_each(|column| second[row][column] += weight * from[row] * from[column]);
        }
    }
    let mean = first.map(|value| value / sum);
    let covariance = |row: usize, column: usize| second[row.max(column)][row.min(column)] / sum - mean[row] * mean[column];
    Derivatives {
        value: -most - sum.ln(),
        gradient: mean.map(|mean| -mean),
        curvature: std::array::from_fn(|row| std::array::from_fn(|column| covariance(row, column))),
    }
}

/// Solves A x = b for a symmetric positive definite A, by Cholesky's decomposition; `None` if it is not.
fn solve(matrix: [[f64; FACTORS]; FACTORS], mut b: [f64; FACTORS]) -> Option<[f64; FACTORS]> {
    let mut lower = [[0.0; FACTORS]; FACTORS];
    for row in 0..FACTORS {
        for column in 0..=row {
            let inner: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = matrix[row][column] - inner;
            lower[row][column] = if row == column { rest.sqrt() } else { rest / lower[column][column] };
        }
        if !(lower[row][row] > 0.0 && lower[row][row].is_finite()) {
            return None;
        }
    }
    for row in 0..FACTORS {
        let inner: f64 = (0..row).map(|k| lower[row][k] * b[k]).sum();
        b[row] = (b[row] - inner) / lower[row][row];
    }
    for row in (0..FACTORS).rev() {
        let inner: f64 = (row + 1..FACTORS).map(|k| lower[k][row] * b[k]).sum();
        b[row] = (b[row] - inner) / lower[row][row];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use revealed::Work;

    use super::{Beginning, Example, Exponents, FACTORS, fit, total};

    const PRIOR: [[f64; 5]; 2] = [[-1.0, -2.0, -1.5, -3.0, -0.5], [-2.0, -1.0, -1.0, -2.5, -1.5]];

    /// Beginnings with made-up numbers. The fourth destination of every third one cannot be reached.
    fn examples() -> Vec<Example<'static>> {
        let one = |k: usize| {
            let number = |goal: usize, factor: usize| ((k * 7 + goal * 13 + factor * 5) % 11) as f64;
            let ratio = |goal: usize| if goal == 3 && k.is_multiple_of(3) { f64::NEG_INFINITY } else { -0.3 * number(goal, 1) };
            Example {
                beginning: Beginning {
                    log_prior: &PRIOR[k % 2],
                    log_ratio: (0..5).map(ratio).collect(),
                    rest: (0..5).map(|goal| 100.0 * number(goal, 2) as f32).collect(),
                    driven: 50.0 * number(0, 3) + 10.0,
                    mean: 600.0,
                },
                goal: k % 3,
            }
        };
        (0..12).map(one).collect()
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let (examples, at, step) = (examples(), [0.8, 1.2, -0.4, -0.6], 1e-5);
        let here = total(&examples, at, &Work::on(1)).unwrap();
        // The value is the logarithm of the posterior, and of the normal prior up to a constant.
        let [prior, route, power, rate] = at;
        let exponents = Exponents { prior, route, power, rate };
        let log = |example: &Example<'_>| example.beginning.posterior(exponents)[example.goal].ln();
        let penalty = (0.04 + 0.04 + 0.16 + 0.36) / 2.0;
        assert!((here.value - (examples.iter().map(log).sum::<f64>() - penalty)).abs() < 1e-9);
        for k in 0..FACTORS {
            let there = |sign: f64| {
                let mut there = at;
                there[k] += sign * step;
                total(&examples, there, &Work::on(1)).unwrap()
            };
            let (up, down) = (there(1.0), there(-1.0));
            assert!((here.gradient[k] - (up.value - down.value) / (2.0 * step)).abs() < 1e-6, "{k}");
            for other in 0..FACTORS {
                let slope = (up.gradient[other] - down.gradient[other]) / (2.0 * step);
                assert!((here.curvature[k][other] + slope).abs() < 1e-6, "{k} {other}");
            }
        }
    }

    #[test]
    fn the_fit_is_the_maximum_on_any_number_of_threads() {
        let examples = examples();
        let found = fit(&examples, &Work::on(1)).unwrap();
        assert_eq!(found, fit(&examples, &Work::on(3)).unwrap());
        let best = total(&examples, found.array(), &Work::on(1)).unwrap();
        assert!(best.gradient.iter().all(|slope| slope.abs() < 1e-6), "{best:?}");
        assert!(best.value > total(&examples, Exponents::PAPER.array(), &Work::on(1)).unwrap().value + 0.1);
        assert_eq!(fit(&[], &Work::on(1)).unwrap(), Exponents::PAPER);
    }
}
