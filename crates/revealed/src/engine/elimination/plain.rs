//! The slow, obvious versions that the elimination is checked against: sums over all paths state by state in a dense
//! matrix, and an elimination of single states in the order of least degree.

use std::collections::{BTreeMap, BTreeSet};

use super::{Elimination, EliminationSums, Limit, PairSums};
use crate::numeric::threads::Threads;
use crate::watch::Watch;
use crate::world::{Mdp, MdpBuilder};

/// Numbers of a congruence.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 24)
    }
}

/// Steps without loops of a weight near 1: a state's steps weigh less than 1 together.
fn weights(mdp: &Mdp, drawn: &mut Drawn) -> Vec<f64> {
    let mut weights = vec![0.0; mdp.n_transitions()];
    for state in 0..mdp.n_states() {
        let (steps, most) = (mdp.children(state), 0.5 + 0.45 * drawn.share());
        let n = steps.len() as f64;
        steps.for_each(|step| weights[step] = most * drawn.share() / n);
    }
    weights
}

fn world(n: usize, steps: &[Vec<usize>]) -> Mdp {
    let mut builder = MdpBuilder::new(n, n.max(1));
    builder.start(0, 1.0);
    for (state, ends) in steps.iter().enumerate() {
        ends.iter().enumerate().for_each(|(action, &to)| _ = builder.transition(state, action, to, 1.0));
        if ends.is_empty() {
            builder.terminal(state);
        }
    }
    builder.build().unwrap()
}

/// One to 40 states. Some have no step, some have a step to themselves, and not all states are connected.
fn small(drawn: &mut Drawn) -> Mdp {
    let n = 1 + drawn.below(40);
    let most = 1 + drawn.below(4);
    let ends = |drawn: &mut Drawn| (0..drawn.below(most + 1)).map(|_| drawn.below(n)).collect::<BTreeSet<usize>>();
    let steps: Vec<Vec<usize>> = (0..n).map(|_| ends(drawn).into_iter().collect()).collect();
    world(n, &steps)
}

/// The links of a square grid of two-way streets without U-turns.
fn grid(side: usize) -> Mdp {
    let mut ends = Vec::new();
    for junction in 0..side * side {
        let (x, y) = (junction % side, junction / side);
        let around =
            [(x + 1 < side, 1, 0), (y + 1 < side, side as i64, 1), (x > 0, -1, 2), (y > 0, -(side as i64), 3)].into_iter();
        ends.extend(around.filter(|(is, ..)| *is).map(|(_, by, way)| (junction, (junction as i64 + by) as usize, way)));
    }
    let mut from = vec![Vec::new(); side * side];
    ends.iter().enumerate().for_each(|(link, &(junction, ..))| from[junction].push(link));
    let onward = |&(_, to, way): &(usize, usize, usize)| {
        from[to].iter().copied().filter(|&link: &usize| ends[link].2 != (way + 2) % 4).collect()
    };
    let steps: Vec<Vec<usize>> = ends.iter().map(onward).collect();
    world(ends.len(), &steps)
}

/// A square of junctions whose streets bend up to five times. One in six is missing, and one in six leads one way only.
fn streets(side: usize, drawn: &mut Drawn) -> Mdp {
    let mut steps: Vec<Vec<usize>> = vec![Vec::new(); side * side];
    for junction in 0..side * side {
        let (right, down) = (junction % side + 1 < side, junction / side + 1 < side);
        for (_, next) in [(right, junction + 1), (down, junction + side)].into_iter().filter(|(is, _)| *is) {
            let kind = drawn.below(6);
            if kind == 0 {
                continue;
            }
            let first = steps.len();
            steps.resize(first + drawn.below(6), Vec::new());
            let street: Vec<usize> = [junction].into_iter().chain(first..steps.len()).chain([next]).collect();
            for two in street.windows(2) {
                steps[two[0]].push(two[1]);
                if kind > 1 {
                    steps[two[1]].push(two[0]);
                }
            }
        }
    }
    world(steps.len(), &steps)
}

/// G = I + W + W² + …: paths through no state, then those through the first state, too, and so on (Kleene 1956).
fn dense(mdp: &Mdp, weights: &[f64]) -> Vec<Vec<f64>> {
    let n = mdp.n_states();
    let mut paths = vec![vec![0.0; n]; n];
    mdp.from().iter().zip(mdp.to()).zip(weights).for_each(|((&i, &j), weight)| paths[i as usize][j as usize] += weight);
    for k in 0..n {
        let through = paths[k].clone();
        let loops = 1.0 / (1.0 - through[k]);
        for row in &mut paths {
            let there = row[k] * loops;
            row.iter_mut().zip(&through).for_each(|(sum, onward)| *sum += there * onward);
        }
    }
    (0..n).for_each(|i| paths[i][i] += 1.0);
    paths
}

/// The elimination of one state after another, without fronts: the arcs to and from states that come later.
struct Plain {
    order: Vec<usize>,
    /// For each state: a later one, the weight of the arc to it, and that of the arc from it.
    arcs: Vec<Vec<(usize, f64, f64)>>,
    loops: Vec<f64>,
}

impl Plain {
    fn new(mdp: &Mdp, weights: &[f64]) -> Plain {
        let n = mdp.n_states();
        // For each state and neighbour, the weight there and back.
        let mut around: Vec<BTreeMap<usize, [f64; 2]>> = vec![BTreeMap::new(); n];
        let mut loops = vec![0.0; n];
        for ((&i, &j), &weight) in mdp.from().iter().zip(mdp.to()).zip(weights) {
            let (i, j) = (i as usize, j as usize);
            if i == j {
                loops[i] += weight;
            } else {
                around[i].entry(j).or_default()[0] += weight;
                around[j].entry(i).or_default()[1] += weight;
            }
        }
        let mut waiting: BTreeSet<(usize, usize)> = (0..n).map(|state| (around[state].len(), state)).collect();
        let (mut order, mut arcs) = (Vec::new(), vec![Vec::new(); n]);
        while let Some((_, v)) = waiting.pop_first() {
            loops[v] = 1.0 / (1.0 - loops[v]);
            let others: Vec<(usize, [f64; 2])> = std::mem::take(&mut around[v]).into_iter().collect();
            for &(a, [_, to_v]) in &others {
                waiting.remove(&(around[a].len(), a));
                around[a].remove(&v);
                for &(b, [from_v, _]) in &others {
                    let weight = to_v * loops[v] * from_v;
                    if a == b {
                        loops[a] += weight;
                    } else {
                        around[a].entry(b).or_default()[0] += weight;
                    }
                }
            }
            // The way back is the other's way there.
            for &(a, _) in &others {
                for &(b, _) in others.iter().filter(|(b, _)| *b != a) {
                    let back = around[b].get(&a).map_or(0.0, |weights| weights[0]);
                    around[a].entry(b).or_default()[1] = back;
                }
            }
            others.iter().for_each(|&(a, _)| _ = waiting.insert((around[a].len(), a)));
            arcs[v] = others.into_iter().map(|(other, [to, from])| (other, to, from)).collect();
            order.push(v);
        }
        Plain { order, arcs, loops }
    }

    /// G from a state to every other, or from every other to it.
    fn sums(&self, state: usize, away: bool) -> Vec<f64> {
        let mut sums = vec![0.0; self.loops.len()];
        sums[state] = 1.0;
        let ways = |&(other, to, from): &(usize, f64, f64)| if away { (other, to, from) } else { (other, from, to) };
        for &v in &self.order {
            let here = sums[v] * self.loops[v];
            self.arcs[v].iter().map(ways).for_each(|(other, onward, _)| sums[other] += here * onward);
        }
        for &v in self.order.iter().rev() {
            let above: f64 = self.arcs[v].iter().map(ways).map(|(other, _, back)| sums[other] * back).sum();
            sums[v] = (sums[v] + above) * self.loops[v];
        }
        sums
    }
}

/// Compares log G of pairs and the uses of steps with those that rows and columns of G give. Returns the bits.
fn compare(mdp: &Mdp, weights: &[f64], pairs: &[([usize; 2], f64)], sums: impl Fn(usize, bool) -> Vec<f64>, most: f64) {
    let limit = Limit::of_uses(usize::MAX);
    let network = Elimination::new(mdp, &limit, &Watch::none()).unwrap();
    let found = |threads: usize| {
        let work = || {
            let sums = EliminationSums::new(&network, weights).unwrap_or_else(|_| panic!("the sums are finite"));
            PairSums::new(&network, &sums, weights, pairs, &limit).unwrap()
        };
        Threads::new(Some(threads)).unwrap().run(work)
    };
    let one = found(1);
    let n = mdp.n_states();
    let mut expected = vec![0.0; weights.len()];
    for (&([from, to], share), log_sum) in pairs.iter().zip(&one.log_sum) {
        let (ahead, behind) = (sums(from, true), sums(to, false));
        let sum = ahead[to];
        let Some(log_sum) = log_sum else {
            assert_eq!(sum, 0.0, "{from} to {to} of {n}");
            continue;
        };
        let wrong = (log_sum - sum.ln()).abs();
        assert!(wrong <= most * (1.0 + sum.ln().abs()), "{from} to {to} of {n}: {log_sum}, expected {}", sum.ln());
        for (step, (&i, &j)) in mdp.from().iter().zip(mdp.to()).enumerate() {
            expected[step] += share * (ahead[i as usize] / sum) * weights[step] * behind[j as usize];
        }
    }
    for (step, (&uses, expected)) in one.uses.iter().zip(expected).enumerate() {
        assert!((uses - expected).abs() <= most * expected, "step {step} of {n}: {uses}, expected {expected}");
    }
    for threads in [2, 3] {
        let several = found(threads);
        assert!(several.log_sum == one.log_sum && several.uses == one.uses, "{threads} threads change bits");
    }
}

fn pairs(n: usize, count: usize, drawn: &mut Drawn) -> Vec<([usize; 2], f64)> {
    (0..count).map(|_| ([drawn.below(n), drawn.below(n)], 0.1 + drawn.share())).collect()
}

#[test]
fn a_thousand_small_problems_equal_the_dense_inverse() {
    let mut drawn = Drawn(1);
    for _ in 0..1000 {
        let mdp = small(&mut drawn);
        let (n, weights) = (mdp.n_states(), weights(&mdp, &mut drawn));
        let all = dense(&mdp, &weights);
        // It is the inverse of I − W.
        for i in 0..n {
            let mut row = all[i].clone();
            for (step, (&from, &to)) in mdp.from().iter().zip(mdp.to()).enumerate() {
                row[to as usize] -= all[i][from as usize] * weights[step];
            }
            row[i] -= 1.0;
            assert!(row.iter().all(|rest| rest.abs() < 1e-12));
        }
        let sums = |state: usize, away: bool| match away {
            true => all[state].clone(),
            false => all.iter().map(|row| row[state]).collect(),
        };
        compare(&mdp, &weights, &pairs(n, 12, &mut drawn), sums, 1e-12);
    }
}

#[test]
fn cities_equal_the_elimination_of_single_states() {
    let mut drawn = Drawn(2);
    for mdp in [grid(36), streets(55, &mut drawn)] {
        let weights: Vec<f64> = weights(&mdp, &mut drawn).iter().map(|weight| 0.05 + 0.5 * weight).collect();
        let plain = Plain::new(&mdp, &weights);
        let far = pairs(mdp.n_states(), 60, &mut drawn);
        // Trips that are too long for the smallest f64 are left out.
        let near: Vec<([usize; 2], f64)> =
            far.into_iter().filter(|([from, to], _)| plain.sums(*from, true)[*to] > 1e-200).collect();
        assert!(near.len() > 20, "{} pairs", near.len());
        compare(&mdp, &weights, &near, |state, away| plain.sums(state, away), 1e-10);
    }
}
