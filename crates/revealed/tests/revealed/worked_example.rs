//! The paper's four-state chain, "A Worked Example" and "A Worked Example Revisited", symbol by symbol.
//!
//! s_1 → s_2 → s_3 → s_4 by a single action, s_4 terminal, L = 4. Tables are written in the rows and columns
//! of the print; where the print is wrong, it stands beside what is right.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::{Answer, Scaled, algorithm1, alpha, beta_padded, beta_quadratic, enumerate, padded};
use revealed::{FeaturesBuilder, Marginals, Mdp, MdpBuilder, Reward, Stop};

const L: usize = 4;
const S1: usize = 0;
const START: [(usize, f64); 1] = [(S1, 1.0)];
const DISCOUNTS: [f64; 3] = [1.0, 0.9, 0.5];
const DRAWS: u64 = 20;

struct Chain {
    mdp: Mdp,
    reward: Reward,
    /// R(s_i) at `[i - 1]`, and so on.
    r_s: [f64; 4],
    r_sa: [f64; 3],
    r_sas: [f64; 3],
    gamma: f64,
}

impl Chain {
    fn new(gamma: f64, seed: u64) -> Chain {
        let mut builder = MdpBuilder::new(4, 1);
        builder.discount(gamma).start(S1, 1.0).terminal(3);
        builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 3, 1.0);
        let mdp = builder.build().unwrap();

        let mut features = FeaturesBuilder::new(10);
        for i in 0..4 {
            features.state(i, i, 1.0);
        }
        for i in 0..3 {
            features.state_action(i, 0, 4 + i, 1.0).transition(i, 7 + i, 1.0);
        }
        let theta = generic_numbers(seed);
        let reward = features.build(&mdp).unwrap().reward(&mdp, &theta).unwrap();
        let [r_s, r_sa, r_sas] = [&theta[..4], &theta[4..7], &theta[7..]];
        let (r_s, r_sa, r_sas) = (r_s.try_into().unwrap(), r_sa.try_into().unwrap(), r_sas.try_into().unwrap());
        Chain { mdp, reward, r_s, r_sa, r_sas, gamma }
    }

    /// γ^k R(s_i).
    fn r(&self, k: i32, i: usize) -> f64 {
        self.gamma.powi(k) * self.r_s[i - 1]
    }

    /// γ^k R(s_i, a) + γ^k R(s_i, a, s_{i+1}).
    fn r_out(&self, k: i32, i: usize) -> f64 {
        self.gamma.powi(k) * self.r_sa[i - 1] + self.gamma.powi(k) * self.r_sas[i - 1]
    }

    /// e^{γ^k R(s_i)}.
    fn e(&self, k: i32, i: usize) -> f64 {
        self.r(k, i).exp()
    }

    /// e^{γ^k R(s_i, a) + γ^k R(s_i, a, s_{i+1})}.
    fn e_out(&self, k: i32, i: usize) -> f64 {
        self.r_out(k, i).exp()
    }

    /// e^{γ^k R(s_i) + γ^k R(s_i, a) + γ^k R(s_i, a, s_{i+1})}.
    fn e_both(&self, k: i32, i: usize) -> f64 {
        (self.r(k, i) + self.r_out(k, i)).exp()
    }

    /// The weights of the paths τ_1 … τ_4, which end in s_1 … s_4 (eq:example-partition).
    fn path_weights(&self) -> [f64; 4] {
        let to_1 = self.e(0, 1);
        let to_2 = to_1 * (self.r_out(0, 1) + self.r(1, 2)).exp();
        let to_3 = to_2 * (self.r_out(1, 2) + self.r(2, 3)).exp();
        let to_4 = to_3 * (self.r_out(2, 3) + self.r(3, 4)).exp();
        [to_1, to_2, to_3, to_4]
    }

    fn partition(&self) -> f64 {
        self.path_weights().iter().sum()
    }
}

/// Neither zero nor alike, so that no two symbols can be confused.
fn generic_numbers(seed: u64) -> Vec<f64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut number = |_| rng.random_range(0.2..1.5) * if rng.random_bool(0.5) { 1.0 } else { -1.0 };
    (0..10).map(&mut number).collect()
}

fn for_each_chain(check: impl Fn(&Chain)) {
    for gamma in DISCOUNTS {
        for seed in 0..DRAWS {
            check(&Chain::new(gamma, seed));
        }
    }
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-13 * expected.abs()
}

/// `table[s][column]` is printed by states; messages are stored by columns.
fn assert_table<const COLUMNS: usize, const ROWS: usize>(
    name: &str,
    found: [&[Scaled]; COLUMNS],
    table: [[f64; COLUMNS]; ROWS],
) {
    for (row, printed) in table.iter().enumerate() {
        for (column, &expected) in printed.iter().enumerate() {
            let value = found[column][row].to_f64();
            assert!(is_near(value, expected), "{name}, row s_{}, column {}: {value} is not {expected}", row + 1, column + 1);
        }
    }
    assert!(found.iter().all(|column| column.len() == ROWS), "{name} has other states than printed");
}

#[test]
fn forward_message() {
    for_each_chain(|c| {
        let a = alpha(&c.mdp, &c.reward, &START, L);
        let value = |l: usize, i: usize| a[l - 1][i - 1].to_f64();
        assert_table(
            "α_l",
            [&a[0], &a[1], &a[2], &a[3]],
            [
                [c.e(0, 1), 0.0, 0.0, 0.0],
                [0.0, value(1, 1) * (c.r_out(0, 1) + c.r(1, 2)).exp(), 0.0, 0.0],
                [0.0, 0.0, value(2, 2) * (c.r_out(1, 2) + c.r(2, 3)).exp(), 0.0],
                [0.0, 0.0, 0.0, value(3, 3) * (c.r_out(2, 3) + c.r(3, 4)).exp()],
            ],
        );
    });
}

#[test]
fn backward_messages_of_lengths_one_to_three() {
    for_each_chain(|c| {
        let beta = beta_quadratic(&c.mdp, &c.reward, L, Stop::Anywhere);
        let b = |l: usize, t: usize, i: usize| beta[l - 1][t - 1][i - 1].to_f64();

        assert_eq!(beta[0].len(), 1);
        assert_table("β_{1,t}", [&beta[0][0]], [[c.e(0, 1)], [c.e(0, 2)], [c.e(0, 3)], [c.e(0, 4)]]);

        assert_eq!(beta[1].len(), 2);
        assert_table(
            "β_{2,t}",
            [&beta[1][1], &beta[1][0]],
            [
                [c.e_both(0, 1) * b(2, 1, 2), c.e(1, 1)],
                [c.e_both(0, 2) * b(2, 1, 3), c.e(1, 2)],
                [c.e_both(0, 3) * b(2, 1, 4), c.e(1, 3)],
                [0.0, c.e(1, 4)],
            ],
        );

        assert_eq!(beta[2].len(), 3);
        assert_table(
            "β_{3,t}",
            [&beta[2][2], &beta[2][1], &beta[2][0]],
            [
                [c.e_both(0, 1) * b(3, 2, 2), c.e_both(1, 1) * b(3, 1, 2), c.e(2, 1)],
                [c.e_both(0, 2) * b(3, 2, 3), c.e_both(1, 2) * b(3, 1, 3), c.e(2, 2)],
                [0.0, c.e_both(1, 3) * b(3, 1, 4), c.e(2, 3)],
                [0.0, 0.0, c.e(2, 4)],
            ],
        );
    });
}

#[test]
fn backward_message_of_length_four() {
    for_each_chain(|c| {
        let beta = beta_quadratic(&c.mdp, &c.reward, L, Stop::Anywhere);
        let b = |t: usize, i: usize| beta[3][t - 1][i - 1].to_f64();
        assert_eq!(beta[3].len(), 4);
        assert_table(
            "β_{4,t}",
            [&beta[3][3], &beta[3][2], &beta[3][1], &beta[3][0]],
            [
                [c.e_both(0, 1) * b(3, 2), c.e_both(1, 1) * b(2, 2), c.e_both(2, 1) * b(1, 2), c.e(3, 1)],
                [0.0, c.e_both(1, 2) * b(2, 3), c.e_both(2, 2) * b(1, 3), c.e(3, 2)],
                [0.0, 0.0, c.e_both(2, 3) * b(1, 4), c.e(3, 3)],
                [0.0, 0.0, 0.0, c.e(3, 4)],
            ],
        );
    });
}

/// Erratum 3: β_{4,4}(s_1) is printed with β_{4,3}(s_2) inside the exponent. It is the weight of τ_4.
#[test]
fn erratum_beta_inside_the_exponent() {
    for_each_chain(|c| {
        let beta = beta_quadratic(&c.mdp, &c.reward, L, Stop::Anywhere);
        let next = beta[3][2][1].to_f64();
        let printed = (c.r(0, 1) + c.r_sa[0] + c.r_sas[0] * next).exp();
        let right = c.path_weights()[3];
        assert!(is_near(beta[3][3][0].to_f64(), right));
        assert_differs(printed, right);
    });
}

/// Erratum 23: the product that the intuition calls p(τ_1) is the weight of τ_4, and not a probability. It lacks 1/Z.
#[test]
fn erratum_the_weight_of_the_intuition_is_not_a_probability() {
    for_each_chain(|c| {
        let prefix = c.e(0, 1) * (c.r_out(0, 1) + c.r(1, 2)).exp();
        let suffix = c.e(2, 3) * (c.r_out(2, 3) + c.r(3, 4)).exp();
        let printed = prefix * c.e_out(1, 2) * suffix;
        assert!(is_near(printed, c.path_weights()[3]));
        let right = enumerate(&c.mdp, &c.reward, &START, L, Stop::Anywhere).unwrap().marginals[3].state[3];
        assert!(is_near(printed / c.partition(), right));
        assert_differs(printed, right);
    });
}

/// The printed definition of β_{l,t} sums e^{R(τ)} over suffixes; the recurrence gives e^{γ^{l-t} R(τ)}, and
/// only that makes marginals. Shown on the suffix (s_3, s_4) of τ_4.
#[test]
fn erratum_definition_of_beta_forgets_the_offset() {
    for_each_chain(|c| {
        let found = beta_quadratic(&c.mdp, &c.reward, L, Stop::Anywhere)[3][1][2].to_f64();
        let reward_of_suffix = c.r(0, 3) + c.r_out(0, 3) + c.r(1, 4);
        let (printed, right) = (reward_of_suffix.exp(), (c.gamma.powi(2) * reward_of_suffix).exp());
        assert!(is_near(found, right), "{found} is not {right}");
        assert_eq!(is_near(found, printed), c.gamma == 1.0);
        let tau_4 = c.path_weights()[3];
        let prefix_and_middle = c.path_weights()[1] * c.e_out(1, 2);
        assert!(is_near(prefix_and_middle * found, tau_4));
    });
}

fn assert_differs(printed: f64, right: f64) {
    assert!((printed - right).abs() > 1e-3 * right.abs(), "the print is not wrong here: {printed}, {right}");
}

#[test]
fn padded_backward_message() {
    for_each_chain(|c| {
        let beta = beta_padded(&c.mdp, &c.reward, L, Stop::Anywhere);
        let b = |t: usize, i: usize| beta[t - 1][i - 1].to_f64();
        let row = |i: usize| {
            [
                c.e_both(0, i) * b(3, i + 1) + c.e(0, i),
                c.e_both(1, i) * b(2, i + 1) + c.e(1, i),
                c.e_both(2, i) * b(1, i + 1) + c.e(2, i),
                c.e(3, i),
            ]
        };
        assert_eq!(beta.len(), 4);
        assert_table(
            "β_t",
            [&beta[3], &beta[2], &beta[1], &beta[0]],
            [row(1), row(2), row(3), [c.e(0, 4), c.e(1, 4), c.e(2, 4), c.e(3, 4)], [1.0; 4]],
        );
    });
}

/// Erratum 3, padded: the row of s_4 is printed as 1, 1, 1, the row of s_3 multiplies by that 1, and the
/// first column has β inside the exponent. Everything else of that table is right.
#[test]
fn erratum_padded_backward_message() {
    for_each_chain(|c| {
        let beta = beta_padded(&c.mdp, &c.reward, L, Stop::Anywhere);
        let b = |t: usize, i: usize| beta[t - 1][i - 1].to_f64();
        for t in 2..=4 {
            assert_differs(1.0, b(t, 4));
        }
        assert_differs(c.e_both(0, 3) + c.e(0, 3), b(4, 3));
        assert_differs(c.e_both(1, 3) + c.e(1, 3), b(3, 3));
        for i in 1..=2 {
            let printed = (c.r(0, i) + c.r_sa[i - 1] + c.r_sas[i - 1] * b(3, i + 1)).exp() + c.e(0, i);
            assert_differs(printed, b(4, i));
        }
    });
}

#[test]
fn padded_beta_is_the_sum_of_all_lengths() {
    for_each_chain(|c| {
        let all = beta_quadratic(&c.mdp, &c.reward, L, Stop::Anywhere);
        let padded = beta_padded(&c.mdp, &c.reward, L, Stop::Anywhere);
        for t in 1..=L {
            for s in 0..4 {
                let offset = L - t;
                let sum: Scaled = (1..=t).map(|own| all[offset + own - 1][own - 1][s]).sum();
                assert!(is_near(padded[t - 1][s].to_f64(), sum.to_f64()), "t = {t}, s_{}", s + 1);
            }
        }
    });
}

fn all_answers(c: &Chain) -> [Answer; 3] {
    [enumerate, algorithm1, padded].map(|oracle| oracle(&c.mdp, &c.reward, &START, L, Stop::Anywhere).unwrap())
}

#[test]
fn partition() {
    for_each_chain(|c| {
        for answer in all_answers(c) {
            assert!(is_near(answer.log_partition.exp(), c.partition()));
        }
    });
}

/// The marginals as the first section writes them, with every (…) filled in.
fn printed_marginals(c: &Chain) -> [[f64; 4]; 2] {
    let z = c.partition();
    let [to_1, to_2, to_3, to_4] = c.path_weights();
    let (step_2, step_3) = (c.e_out(1, 2), c.e_out(2, 3));
    let after_1 =
        c.e_out(0, 1) * (c.e(1, 2) + c.e(1, 2) * step_2 * c.e(2, 3) + c.e(1, 2) * step_2 * c.e(2, 3) * step_3 * c.e(3, 4));
    let after_2 = step_2 * (c.e(2, 3) + c.e(2, 3) * step_3 * c.e(3, 4));
    let after_3 = step_3 * c.e(3, 4);
    let states = [to_1 * (1.0 + after_1) / z, to_2 * (1.0 + after_2) / z, to_3 * (1.0 + after_3) / z, to_4 / z];
    let choices = [to_1 * after_1 / z, to_2 * after_2 / z, to_3 * after_3 / z, 0.0];
    [states, choices]
}

/// The marginals as the second section writes them: the same sums, nested.
fn printed_padded_marginals(c: &Chain) -> [[f64; 4]; 2] {
    let z = c.partition();
    let [to_1, to_2, to_3, to_4] = c.path_weights();
    let after_3 = c.e_out(2, 3) * c.e(3, 4);
    let after_2 = c.e_out(1, 2) * c.e(2, 3) * (after_3 + 1.0);
    let after_1 = c.e_out(0, 1) * c.e(1, 2) * (after_2 + 1.0);
    let with_e3_outside = c.e_out(1, 2) * (c.e(2, 3) * after_3 + c.e(2, 3)) + 1.0;
    let states = [to_1 * (after_1 + 1.0) / z, to_2 * with_e3_outside / z, to_3 * (after_3 + 1.0) / z, to_4 / z];
    let choices = [to_1 * after_1 / z, to_2 * after_2 / z, to_3 * after_3 / z, 0.0];
    [states, choices]
}

#[test]
fn marginals() {
    for_each_chain(|c| {
        for [states, choices] in [printed_marginals(c), printed_padded_marginals(c)] {
            for answer in all_answers(c) {
                assert_eq!(answer.marginals.len(), L);
                for (t, found) in answer.marginals.iter().enumerate() {
                    assert_only(&found.state, t, states[t]);
                    assert_only(&found.choice, t, choices[t]);
                    assert_only(&found.transition, t, choices[t]);
                }
            }
        }
    });
}

/// "All t, s, a, s' combinations that are not shown are equal to 0."
fn assert_only(found: &[f64], place: usize, expected: f64) {
    for (index, &value) in found.iter().enumerate() {
        let expected = if index == place { expected } else { 0.0 };
        assert!(is_near(value, expected), "t = {}, place {index}: {value} is not {expected}", place + 1);
    }
}

/// The marginals sum as the columns of eq:example-partition do.
#[test]
fn marginals_count_the_columns_of_the_partition() {
    for_each_chain(|c| {
        let weights = c.path_weights();
        let Answer { marginals, .. } = algorithm1(&c.mdp, &c.reward, &START, L, Stop::Anywhere).unwrap();
        for (t, Marginals { state, .. }) in marginals.iter().enumerate() {
            let column: f64 = weights[t..].iter().sum();
            assert!(is_near(state[t], column / c.partition()));
        }
    });
}
