//! The paper's four-state chain, "A Worked Example" and its revisit: every entry of its tables as printed, and as
//! computed.
//!
//! s1 → s2 → s3 → s4 by a single action, s4 terminal, L = 4. The printed tables are symbolic; here they
//! are evaluated with numbers.

use revealed::oracle::{alpha, beta_padded, beta_quadratic};
use revealed::{Error, Mdp, MdpBuilder, PathDistribution, Reward, Stop};

/// The horizon L.
pub(crate) const LENGTH: usize = 4;
pub(crate) const GAMMA: f64 = 0.9;
/// All different and not zero, so that no two symbols can be confused.
pub(crate) const R_S: [f64; 4] = [0.5, -0.4, 0.8, 1.2];
pub(crate) const R_SA: [f64; 3] = [-0.3, 0.6, 0.25];
pub(crate) const R_SAS: [f64; 3] = [0.4, -0.7, 0.35];

/// An entry of a table.
pub(crate) struct Entry {
    pub table: &'static str,
    pub row: String,
    pub column: String,
    /// As printed.
    pub formula: String,
    /// The value of the printed formula. Other entries that it refers to are taken as printed.
    pub printed: f64,
    /// The right value: by the paper's definitions for messages, by the engine for Z and marginals.
    pub right: f64,
}

/// A formula with its value.
struct Term(String, f64);

/// e to the power of γ^k times these rewards of s_i: R(s_i), R(s_i, a) and R(s_i, a, s_{i+1}).
fn power(k: usize) -> (&'static str, f64) {
    (["", "γ ", "γ² ", "γ³ "][k], GAMMA.powi(k as i32))
}

fn of_state(k: usize, i: usize) -> Term {
    let (gamma, factor) = power(k);
    Term(format!("{gamma}R(s{i})"), factor * R_S[i - 1])
}

fn of_step(k: usize, i: usize) -> Term {
    let ((gamma, factor), next) = (power(k), i + 1);
    Term(format!("{gamma}R(s{i},a) + {gamma}R(s{i},a,s{next})"), factor * R_SA[i - 1] + factor * R_SAS[i - 1])
}

fn exp(terms: &[Term]) -> Term {
    let words: Vec<&str> = terms.iter().map(|term| term.0.as_str()).collect();
    Term(format!("exp({})", words.join(" + ")), terms.iter().map(|term| term.1).sum::<f64>().exp())
}

fn times(left: Term, right: Term) -> Term {
    Term(format!("{} {}", left.0, right.0), left.1 * right.1)
}

fn plus(left: Term, right: Term) -> Term {
    Term(format!("{} + {}", left.0, right.0), left.1 + right.1)
}

/// e^{R(s_i) + R(s_i,a) + R(s_i,a,s_{i+1}) β}, as printed in the first columns.
fn beta_in_the_exponent(i: usize, beta: Term) -> Term {
    let words = format!("exp(R(s{i}) + R(s{i},a) + R(s{i},a,s{}) {})", i + 1, beta.0);
    Term(words, (R_S[i - 1] + R_SA[i - 1] + R_SAS[i - 1] * beta.1).exp())
}

fn mdp() -> Result<Mdp, Error> {
    let mut builder = MdpBuilder::new(4, 1);
    builder.discount(GAMMA).start(0, 1.0).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 3, 1.0);
    builder.build()
}

/// Every entry of every table.
pub(crate) fn entries() -> Result<Vec<Entry>, Error> {
    let mdp = mdp()?;
    let transition = R_SA.iter().zip(R_SAS).map(|(sa, sas)| sa + sas).collect();
    let reward = Reward { state: R_S.to_vec(), transition };
    let mut entries = forward(&mdp, &reward);
    entries.extend(backward(&mdp, &reward));
    entries.extend(padded(&mdp, &reward));
    entries.extend(sums(&mdp, reward)?);
    Ok(entries)
}

/// α_l(s).
fn forward(mdp: &Mdp, reward: &Reward) -> Vec<Entry> {
    let right = alpha(mdp, reward, mdp.start(), LENGTH);
    let weights = path_weights();
    let mut entries = Vec::new();
    for i in 1..=4 {
        for l in 1..=LENGTH {
            let Term(formula, printed) = match (l == i, i) {
                (false, _) => Term("0".to_string(), 0.0),
                (true, 1) => exp(&[of_state(0, 1)]),
                (true, _) => {
                    let before = Term(format!("α_{}(s{})", l - 1, i - 1), weights[i - 2]);
                    times(before, exp(&[of_step(i - 2, i - 1), of_state(i - 1, i)]))
                }
            };
            let right = right[l - 1][i - 1].to_f64();
            entries.push(Entry { table: "α_l(s)", row: format!("s{i}"), column: format!("l={l}"), formula, printed, right });
        }
    }
    entries
}

/// β_{l,t}(s) for l = 1..4. One entry is wrong: β_{4,4}(s1).
fn backward(mdp: &Mdp, reward: &Reward) -> Vec<Entry> {
    const NAMES: [&str; 4] = ["β_{1,t}(s)", "β_{2,t}(s)", "β_{3,t}(s)", "β_{4,t}(s)"];
    let right = beta_quadratic(mdp, reward, LENGTH, Stop::Anywhere);
    let mut entries = Vec::new();
    for l in 1..=LENGTH {
        let mut printed = vec![[0.0; 5]; l + 1];
        for t in 1..=l {
            for i in 1..=4 {
                let next = || Term(format!("β_{{{l},{}}}(s{})", t - 1, i + 1), printed[t - 1][i + 1 - 1]);
                let term = match t {
                    1 => exp(&[of_state(l - 1, i)]),
                    _ if i + t > 5 => Term("0".to_string(), 0.0),
                    4 => beta_in_the_exponent(i, next()),
                    _ => times(exp(&[of_state(l - t, i), of_step(l - t, i)]), next()),
                };
                printed[t][i - 1] = term.1;
                let (row, column, right) = (format!("s{i}"), format!("t={t}"), right[l - 1][t - 1][i - 1].to_f64());
                entries.push(Entry { table: NAMES[l - 1], row, column, formula: term.0, printed: term.1, right });
            }
        }
    }
    entries
}

/// β_t(s) of the padded chain, s_a last. The first column has β in the exponent, and the reward of the
/// terminal s4 is missing.
fn padded(mdp: &Mdp, reward: &Reward) -> Vec<Entry> {
    let right = beta_padded(mdp, reward, LENGTH, Stop::Anywhere);
    let mut entries = Vec::new();
    let mut printed = [[0.0; 5]; LENGTH + 1];
    for t in 1..=LENGTH {
        for i in 1..=5 {
            let k = LENGTH - t;
            let next = || Term(format!("β_{}(s{})", t - 1, i + 1), printed[t - 1][i]);
            let term = match (t, i) {
                (_, 5) => Term("1".to_string(), 1.0),
                (1, _) => exp(&[of_state(k, i)]),
                (_, 4) => Term("1".to_string(), 1.0),
                (3 | 4, 3) => plus(exp(&[of_state(k, i), of_step(k, i)]), exp(&[of_state(k, i)])),
                (4, _) => plus(beta_in_the_exponent(i, next()), exp(&[of_state(k, i)])),
                _ => plus(times(exp(&[of_state(k, i), of_step(k, i)]), next()), exp(&[of_state(k, i)])),
            };
            printed[t][i - 1] = term.1;
            let row = if i == 5 { "s_a".to_string() } else { format!("s{i}") };
            let (column, right) = (format!("t={t}"), right[t - 1][i - 1].to_f64());
            entries.push(Entry { table: "β_t(s), padded", row, column, formula: term.0, printed: term.1, right });
        }
    }
    entries
}

/// The weights of the paths that end in s1 … s4, as eq:example-partition prints them.
fn path_weights() -> [f64; 4] {
    let step = |i: usize| exp(&[of_step(i - 1, i), of_state(i, i + 1)]).1;
    let first = exp(&[of_state(0, 1)]).1;
    let (second, third) = (first * step(1), first * step(1) * step(2));
    [first, second, third, third * step(3)]
}

/// Z and the marginals, with every (…) of the print filled in.
fn sums(mdp: &Mdp, reward: Reward) -> Result<Vec<Entry>, Error> {
    let mut paths = PathDistribution::new(mdp, reward, LENGTH, Stop::Anywhere)?;
    let weights = path_weights();
    let z: f64 = weights.iter().sum();
    let mut entries = vec![Entry {
        table: "Z(Θ)",
        row: "Z".to_string(),
        column: "value".to_string(),
        formula: "the sum of the weights of the four paths".to_string(),
        printed: z,
        right: paths.log_partition().exp(),
    }];
    let e = |k, i| exp(&[of_state(k, i)]).1;
    let out = |k, i| exp(&[of_step(k, i)]).1;
    // The continuations after s_i, nested as in the first section and as in the second.
    let after_3 = out(2, 3) * e(3, 4);
    let after_2 = out(1, 2) * (e(2, 3) + e(2, 3) * out(2, 3) * e(3, 4));
    let after_1 = out(0, 1) * (e(1, 2) + e(1, 2) * out(1, 2) * e(2, 3) + e(1, 2) * out(1, 2) * e(2, 3) * out(2, 3) * e(3, 4));
    let nested_2 = out(1, 2) * e(2, 3) * (after_3 + 1.0);
    let nested_1 = out(0, 1) * e(1, 2) * (nested_2 + 1.0);
    let sections = [("marginals", [after_1, after_2, after_3, 0.0]), ("marginals, padded", [nested_1, nested_2, after_3, 0.0])];
    for (table, after) in sections {
        for t in 1..=LENGTH {
            let right = paths.marginals(t)?;
            let next = t + 1;
            let mut push = |row: String, printed: f64, right: f64| {
                let formula = "as printed, (…) filled in".to_string();
                entries.push(Entry { table, row, column: "value".to_string(), formula, printed, right });
            };
            push(format!("p_{t}(s{t})"), weights[t - 1] * (after[t - 1] + 1.0) / z, right.state[t - 1]);
            if t < LENGTH {
                let printed = weights[t - 1] * after[t - 1] / z;
                push(format!("p_{t}(s{t},a)"), printed, right.choice[t - 1]);
                push(format!("p_{t}(s{t},a,s{next})"), printed, right.transition[t - 1]);
            }
        }
    }
    Ok(entries)
}
