//! Ziebart's Algorithm 1 of 2008 and of 2010: by hand, against a naive version, and against the paper's appendix.

use revealed::oracle::{RandomProblem, enumerate};
use revealed::{Mdp, MdpBuilder, PathDistribution, Reward, Stop, Terminals, Ziebart, ZiebartPass, ZiebartVersion, worlds};

use crate::helpers::all_close;

use Terminals::{End, Loop};
use ZiebartVersion::{Y2008, Y2010};

fn run(mdp: &Mdp, weights: &[f64], horizon: usize, version: ZiebartVersion, terminals: Terminals) -> ZiebartPass {
    let reward = Reward::of_states(weights.iter().map(|weight| weight.ln()).collect());
    Ziebart { version, terminals }.visits(mdp, &reward, horizon).unwrap()
}

/// Asserts Z_s, P(a|s) in the order of (s, a), and D_s.
#[track_caller]
fn is(pass: &ZiebartPass, z: &[f64], p: &[f64], d: &[f64]) {
    all_close(&pass.log_partition.iter().map(|log| log.exp()).collect::<Vec<_>>(), z, 1e-12, "Z");
    all_close(&pass.action_probability, p, 1e-12, "P");
    all_close(&pass.visits, d, 1e-12, "D");
}

/// Two states and no end. Action 0 leads from 0 to either, half and half, and from 1 to 0; action 1 leads to 1.
fn two_states() -> Mdp {
    let mut builder = MdpBuilder::new(2, 2);
    builder.start(0, 1.0).transition(0, 0, 0, 0.5).transition(0, 0, 1, 0.5).transition(0, 1, 1, 1.0);
    builder.transition(1, 0, 0, 1.0).transition(1, 1, 1, 1.0);
    builder.build().unwrap()
}

/// θ = (log 2, 0), N = 3:
///
/// ```text
/// Z                 0,a0                 0,a1        s0    1,a0  1,a1  s1
/// start                                              1                 1
/// 1                 2(1/2 + 1/2) = 2     2·1 = 2     4     1     1     2
/// 2                 2(4/2 + 2/2) = 6     2·2 = 4     10    4     2     6
/// 3                 2(10/2 + 6/2) = 16   2·6 = 12    28    10    6     16
/// P                 16/28 = 4/7          3/7               5/8   3/8
/// ```
///
/// D_1 = (1, 0). As printed, D_{i,t+1} = Σ_a Σ_k D_{k,t} P(a|i) P(k|a,i):
/// D_{0,2} = 1 · 4/7 · 1/2 = 2/7, D_{1,2} = 1 · 5/8 = 5/8 (their sum is not 1: the indices are transposed);
/// D_{0,3} = 2/7 · 2/7 + 5/8 · (2/7 + 3/7) = 207/392, D_{1,3} = 2/7 · 5/8 + 5/8 · 3/8 = 185/448.
#[test]
fn two_states_in_2008_by_hand() {
    let pass = run(&two_states(), &[2.0, 1.0], 3, Y2008, Loop);
    let d = [1.0 + 2.0 / 7.0 + 207.0 / 392.0, 5.0 / 8.0 + 185.0 / 448.0];
    is(&pass, &[28.0, 16.0], &[4.0 / 7.0, 3.0 / 7.0, 5.0 / 8.0, 3.0 / 8.0], &d);
    assert_eq!(pass, run(&two_states(), &[2.0, 1.0], 3, Y2008, End), "there is no terminal state to treat");
}

/// The same. Without a terminal state a path may end anywhere, so 1 is added everywhere:
///
/// ```text
/// Z                 0,a0                 0,a1        s0    1,a0  1,a1  s1
/// start                                              1                 1
/// 1                 2                    2           5     1     1     3
/// 2                 2(5/2 + 3/2) = 8     2·3 = 6     15    5     3     9
/// 3                 2(15/2 + 9/2) = 24   2·9 = 18    43    15    9     25
/// P                 24/43                18/43             15/25 9/25
/// ```
///
/// D_2 = (24/43 · 1/2, 24/43 · 1/2 + 18/43) = (12/43, 30/43);
/// D_3 = (12/43 · 12/43 + 30/43 · 15/25, 12/43 · 30/43 + 30/43 · 9/25) = (918, 824.4) / 43².
#[test]
fn two_states_in_2010_by_hand() {
    let pass = run(&two_states(), &[2.0, 1.0], 3, Y2010, End);
    let d = [1.0 + 12.0 / 43.0 + 918.0 / 1849.0, 30.0 / 43.0 + 824.4 / 1849.0];
    is(&pass, &[43.0, 25.0], &[24.0 / 43.0, 18.0 / 43.0, 0.6, 0.36], &d);
}

/// Action 0 leads from 0 to 1 and from 1 to the terminal state 2; action 1 leads from 0 to 2 or nowhere, half and half.
fn chain() -> Mdp {
    let mut builder = MdpBuilder::new(3, 2);
    builder.start(0, 1.0).terminal(2).transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0);
    builder.transition(0, 1, 0, 0.5).transition(0, 1, 2, 0.5);
    builder.build().unwrap()
}

/// e^θ = (2, 3, 5), N = 3. The terminal state leads to itself under both actions, so Z_2 = 2 · 5 · Z_2:
///
/// ```text
/// Z        0,a0          0,a1                    s0     s1             s2
/// start                                          1      1              1
/// 1        2·1 = 2       2(1/2 + 1/2) = 2        4      3·1 = 3        10
/// 2        2·3 = 6       2(4/2 + 10/2) = 14      20     3·10 = 30      100
/// 3        2·30 = 60     2(20/2 + 100/2) = 120   180    3·100 = 300    1000
/// P        1/3           2/3                            1
/// ```
///
/// As printed, D_{0,t+1} = D_{0,t} · 2/3 · 1/2 + (what is in 1 and 2), D_{1,t+1} = D_{2,t}, D_{2,t+1} = D_{2,t}: from
/// D_1 = (1, 0, 0) nothing ever leaves state 0, and D = 1 + 1/3 + 1/9.
#[test]
fn a_chain_in_2008_by_hand() {
    let pass = run(&chain(), &[2.0, 3.0, 5.0], 3, Y2008, Loop);
    is(&pass, &[180.0, 300.0, 1000.0], &[1.0 / 3.0, 2.0 / 3.0, 1.0], &[13.0 / 9.0, 0.0, 0.0]);
    // Without actions in state 2, Z_2 = 0 from the first iteration on, Z = (4, 3, 0), (6 + 4, 0, 0), (0 + 10, 0, 0); in
    // state 1 P = 0/0 is uniform, over one action. D_0 = 1 + 1/2 + 1/4.
    is(&run(&chain(), &[2.0, 3.0, 5.0], 3, Y2008, End), &[10.0, 0.0, 0.0], &[0.0, 1.0, 1.0], &[1.75, 0.0, 0.0]);
}

/// ```text
/// Z        0,a0          0,a1                   s0     s1         s2
/// start                                         0      0          1
/// 1        2·0 = 0       2(0 + 1/2) = 1         1      3·1 = 3    0 + 1 = 1
/// 2        2·3 = 6       2(1/2 + 1/2) = 2       8      3          1
/// 3        2·3 = 6       2(8/2 + 1/2) = 9       15     3          1
/// P        2/5           3/5                           1
/// ```
///
/// D_1 = (1, 0, 0), D_2 = (3/10, 2/5, 3/10), D_3 = (9/100, 3/10 · 2/5, 9/100 + 2/5): what is in state 2 ends there.
#[test]
fn a_chain_in_2010_by_hand() {
    let pass = run(&chain(), &[2.0, 3.0, 5.0], 3, Y2010, End);
    is(&pass, &[15.0, 3.0, 1.0], &[0.4, 0.6, 1.0], &[1.39, 0.52, 0.79]);
    // With loops, Z_2 = 2 · 5 · Z_2 + 1 = 11, 111, 1111; Z_1 = 3, 33, 333; Z_0 = 0 + 1, 6 + 12, 66 + 129.
    // q = 129/195 · 1/2 = 43/130, and 1110/1111 of what is in state 2 stays there.
    let (q, on) = (43.0 / 130.0, 22.0 / 65.0);
    let d = [1.0 + q + q * q, on + q * on, q + q * q + on + q * 1110.0 / 1111.0];
    let loops = run(&chain(), &[2.0, 3.0, 5.0], 3, Y2010, Loop);
    is(&loops, &[195.0, 333.0, 1111.0], &[66.0 / 195.0, 129.0 / 195.0, 1.0], &d);
}

/// T[s][a][s'] with the terminal states' loops written out, and the sums as printed, in plain f64.
fn naive(mdp: &Mdp, reward: &[f64], horizon: usize, version: ZiebartVersion, terminals: Terminals) -> (Vec<f64>, Vec<f64>) {
    let n = mdp.n_states();
    let row = |s: usize, a: usize| -> Option<Vec<f64>> {
        let mut row = vec![0.0; n];
        if mdp.is_terminal(s) {
            row[s] = 1.0;
            return (terminals == Loop).then_some(row);
        }
        mdp.outcomes(mdp.choice(s, a)?).for_each(|edge| row[mdp.to()[edge] as usize] = mdp.probability()[edge]);
        Some(row)
    };
    let rows: Vec<Vec<Vec<f64>>> = (0..n).map(|s| (0..mdp.n_actions()).filter_map(|a| row(s, a)).collect()).collect();
    let no_terminal = !(0..n).any(|s| mdp.is_terminal(s));
    let indicator = |s: usize| if version == Y2010 && (no_terminal || mdp.is_terminal(s)) { 1.0 } else { 0.0 };
    let mut z: Vec<f64> = (0..n).map(|s| if version == Y2008 { 1.0 } else { indicator(s) }).collect();
    let mut of_action: Vec<Vec<f64>> = Vec::new();
    for _ in 0..horizon {
        let sum = |row: &Vec<f64>| -> f64 { row.iter().zip(&z).map(|(p, z)| p * z).sum() };
        of_action = (0..n).map(|s| rows[s].iter().map(|row| reward[s].exp() * sum(row)).collect()).collect();
        z = (0..n).map(|s| of_action[s].iter().sum::<f64>() + indicator(s)).collect();
    }
    let p = |s: usize, a: usize| if z[s] == 0.0 { 1.0 / rows[s].len() as f64 } else { of_action[s][a] / z[s] };
    let mut d = vec![0.0; n];
    mdp.start().iter().for_each(|&(s, p)| d[s] = p);
    let mut visits = d.clone();
    for _ in 1..horizon {
        let mut next = vec![0.0; n];
        for (i, actions) in rows.iter().enumerate() {
            for (a, row) in actions.iter().enumerate() {
                for (k, transition) in row.iter().enumerate() {
                    let (from, to) = if version == Y2008 { (k, i) } else { (i, k) };
                    next[to] += d[from] * p(i, a) * transition;
                }
            }
        }
        d = next;
        visits.iter_mut().zip(&d).for_each(|(visits, d)| *visits += d);
    }
    (z, visits)
}

#[test]
fn random_problems_equal_the_naive_version() {
    let mut tried = 0;
    for problem in (0..200).map(RandomProblem::new).filter(|problem| problem.mdp.reference().is_none()) {
        let mdp = &problem.mdp;
        let reward: Vec<f64> = (0..mdp.n_states()).map(|s| ((s * 7 + 3) % 5) as f64 / 2.0 - 1.0).collect();
        for (version, terminals) in [(Y2008, Loop), (Y2008, End), (Y2010, Loop), (Y2010, End)] {
            let (z, visits) = naive(mdp, &reward, problem.horizon, version, terminals);
            let state = Reward::of_states(reward.clone());
            let pass = Ziebart { version, terminals }.visits(mdp, &state, problem.horizon).unwrap();
            all_close(&pass.visits, &visits, 1e-12, "visits");
            let found: Vec<f64> = pass.log_partition.iter().map(|log| log.exp() / 1e3).collect();
            all_close(&found, &z.iter().map(|z| z / 1e3).collect::<Vec<_>>(), 1e-12, "Z");
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

/// n states; from each that is not terminal, each of two actions leads to all with the same probability.
fn uniform(n: usize, terminal: Option<usize>) -> Mdp {
    let mut builder = MdpBuilder::new(n, 2);
    for state in 0..n {
        builder.start(state, 1.0 / n as f64);
        for (action, to) in (0..2).flat_map(|action| (0..n).map(move |to| (action, to))) {
            if Some(state) != terminal {
                builder.transition(state, action, to, 1.0 / n as f64);
            }
        }
    }
    terminal.map(|state| builder.terminal(state));
    builder.build().unwrap()
}

fn exact(mdp: &Mdp, weights: &[f64], horizon: usize, stop: Stop) -> Vec<f64> {
    let reward = Reward::of_states(weights.iter().map(|weight| weight.ln()).collect());
    PathDistribution::new(mdp, reward, horizon, stop).unwrap().occupancy().state.clone()
}

const UNEVEN: [f64; 3] = [1.0, 4.0, 0.5];

/// thm:zb08: the visits are N/|S| whatever the reward; the exact ones are not.
#[test]
fn the_appendix_contradicts_2008() {
    let mdp = uniform(3, None);
    for weights in [[1.0; 3], UNEVEN, [9.0, 0.1, 2.0]] {
        all_close(&run(&mdp, &weights, 5, Y2008, Loop).visits, &[5.0 / 3.0; 3], 1e-12, "2008");
    }
    let [even, uneven] = [[1.0; 3], UNEVEN].map(|weights| exact(&mdp, &weights, 5, Stop::Horizon));
    all_close(&even, &[5.0 / 3.0; 3], 1e-12, "even");
    // p_t(s) is e^{R(s)} / Σ e^R at each time, since all states lead alike.
    all_close(&uneven, &UNEVEN.map(|weight| 5.0 * weight / 5.5), 1e-12, "uneven");
}

/// The proposition after it. The proof takes Σ_a P(a|s) = 1, which holds where nothing is added to Z_s: in all states
/// but the terminal ones. So D_{s,t} = (2/3)^{t-1} / 3 with one terminal state of three, whatever the reward. Without a
/// terminal state, where paths may end anywhere, the visits may become fewer with the reward, but are the same in all
/// states.
#[test]
fn the_appendix_contradicts_2010() {
    let mdp = uniform(3, Some(2));
    let each: f64 = (0..5).map(|step| (2.0f64 / 3.0).powi(step) / 3.0).sum();
    for weights in [[1.0; 3], UNEVEN, [9.0, 0.1, 2.0]] {
        all_close(&run(&mdp, &weights, 5, Y2010, End).visits, &[each; 3], 1e-12, "2010");
    }
    let [even, uneven] = [[1.0; 3], UNEVEN].map(|weights| exact(&mdp, &weights, 5, Stop::Terminal));
    assert!((even[0] - even[1]).abs() < 1e-12 && uneven[1] > 3.9 * uneven[0], "{even:?} {uneven:?}");

    let endless = uniform(3, None);
    let [even, uneven] = [[1.0; 3], UNEVEN].map(|weights| run(&endless, &weights, 5, Y2010, End).visits);
    all_close(&even, &[even[0]; 3], 1e-12, "even");
    all_close(&uneven, &[uneven[0]; 3], 1e-12, "uneven");
    let right = exact(&endless, &UNEVEN, 5, Stop::Anywhere);
    assert!((right[1] / right[0] - 4.0).abs() < 1e-12 && uneven[0] != even[0], "{right:?}");
}

/// Where 2010 is right: certain transitions, no cycles, one start and one terminal state, and time enough. Every path
/// pays for the terminal state once, so that leaving its reward out changes nothing.
#[test]
fn in_2010_paths_without_cycles_to_one_end_are_exact() {
    let mut builder = MdpBuilder::new(6, 3);
    builder.start(0, 1.0).terminal(5);
    for (from, action, to) in
        [(0, 0, 1), (0, 1, 2), (0, 2, 4), (1, 0, 2), (1, 1, 3), (2, 0, 3), (2, 1, 5), (3, 0, 4), (3, 1, 5)]
    {
        builder.transition(from, action, to, 1.0);
    }
    builder.transition(4, 0, 5, 1.0).transition(4, 1, 5, 1.0);
    let mdp = builder.build().unwrap();
    let weights = [0.5, 2.0, 3.0, 0.7, 1.5, 4.0];
    let reward = Reward::of_states(weights.iter().map(|weight: &f64| weight.ln()).collect());
    let all = enumerate(&mdp, &reward, mdp.start(), 6, Stop::Terminal).unwrap();
    all_close(&run(&mdp, &weights, 6, Y2010, End).visits, &all.occupancy(1.0).state, 1e-12, "visits");
    // With too short a horizon it is not.
    let short = enumerate(&mdp, &reward, mdp.start(), 4, Stop::Terminal).unwrap();
    let pass = run(&mdp, &weights, 4, Y2010, End);
    assert!(pass.visits.iter().zip(&short.occupancy(1.0).state).any(|(a, b)| (a - b).abs() > 0.01));
}

/// Rewards in metres, as on roads: Z is about e^{-800000}. One more metre everywhere multiplies every Z by the same
/// factor.
#[test]
fn rewards_in_metres_stay_in_range() {
    let mdp = worlds::road_like(20_000, 40_660, 1).unwrap().mdp;
    let reward = |extra: f64| Reward::of_states((0..20_000).map(|s| -2000.0 - f64::from(s % 7) * 100.0 - extra).collect());
    let algorithm = Ziebart::new(Y2008);
    let pass = algorithm.visits(&mdp, &reward(0.0), 400).unwrap();
    assert!(pass.log_partition.iter().all(|log| (-1e6..-7e5).contains(log)));
    for state in 0..mdp.n_states() {
        let sum: f64 = mdp.choices(state).map(|choice| pass.action_probability[choice]).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }
    let more = algorithm.visits(&mdp, &reward(1.0), 400).unwrap();
    for (a, b) in pass.log_partition.iter().zip(&more.log_partition) {
        assert!((a - b - 400.0).abs() < 1e-6, "{a} {b}");
    }
    for (a, b) in pass.visits.iter().zip(&more.visits) {
        assert!((a - b).abs() < 1e-9 * a.max(1.0), "{a} {b}");
    }
    assert!(Ziebart::new(Y2010).visits(&mdp, &reward(0.0), 400).unwrap().visits.iter().all(|visits| visits.is_finite()));
}
