//! Fast algorithms against slow and obvious ones.

use revealed::oracle::{RandomProblem, enumerate};
use revealed::{MdpBuilder, PathDistribution, Reward, RouteSums, Work};
use revealed_roads::matching::Trellis;

use crate::bytes::Bytes;
use crate::readers::message;
use crate::scratch::Scratch;

/// The relative difference that rounding explains, for rewards of moderate size.
const SAME: f64 = 1e-9;

/// log Z and the expected visits of the engine against the sum over all paths, with rewards of any size.
pub fn engine(_: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let mut bytes = Bytes(input);
    let mut problem = RandomProblem::new(bytes.seed());
    if bytes.byte() & 3 == 0 {
        problem.theta.iter_mut().for_each(|weight| *weight *= 1.0 + bytes.number().abs());
    }
    let reward = problem.features.reward(&problem.mdp, &problem.theta).map_err(message)?;
    let largest = (0..problem.mdp.n_transitions()).map(|row| reward.of_transition(row).abs()).fold(0.0, f64::max);
    let largest = reward.state.iter().fold(largest, |most, reward| most.max(reward.abs()));
    for (start, stop) in problem.path_sets() {
        let expected = enumerate(&problem.mdp, &reward, &start, problem.horizon, stop);
        let found = PathDistribution::from(&problem.mdp, reward.clone(), start.clone(), problem.horizon, stop);
        let (Some(expected), Ok(found)) = (&expected, &found) else {
            // Without a path, or with rewards beyond all digits, there is an error and no number.
            assert!(expected.is_none() == found.is_err() || largest > 1e12, "{found:?} where enumeration finds {expected:?}");
            continue;
        };
        // Sums of rewards are rounded to their size.
        let slack = SAME + 1e-15 * largest * problem.horizon as f64;
        let (log_z, visits) = (found.log_partition(), found.occupancy());
        let apart = (log_z - expected.log_partition).abs();
        assert!(apart <= slack * (1.0 + log_z.abs()), "log Z is {log_z} instead of {}", expected.log_partition);
        let exact = expected.occupancy(problem.mdp.discount());
        for (found, exact) in visits.state.iter().zip(&exact.state).chain(visits.transition.iter().zip(&exact.transition)) {
            assert!((found - exact).abs() <= slack * (1.0 + exact.abs()), "{found} visits instead of {exact}");
        }
    }
    Ok(())
}

/// Sums over paths of any length by elimination against a dense inverse.
pub fn elimination(_: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let mut bytes = Bytes(input);
    let n = 1 + bytes.up_to(7);
    let mut builder = MdpBuilder::new(n, 4);
    builder.start(0, 1.0);
    let mut rewards = Vec::new();
    for state in 0..n {
        for action in 0..bytes.up_to(4) {
            builder.transition(state, action, bytes.up_to(n - 1), 1.0);
            rewards.push(-3.0 * bytes.share() - 0.01);
        }
    }
    let mdp = builder.build().map_err(message)?;
    let by_row: Vec<f64> = {
        let mut by_transition = vec![0.0; mdp.n_transitions()];
        for (row, reward) in rewards.iter().enumerate() {
            if let Some(transition) = mdp.transition_of_row(row) {
                by_transition[transition] = *reward;
            }
        }
        by_transition
    };
    let reward = Reward { state: vec![0.0; n], transition: by_row.clone() };
    let mut weights = vec![vec![0.0; n]; n];
    for (transition, reward) in by_row.iter().enumerate() {
        let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| state as usize);
        weights[from][to] += (reward + mdp.log_base_weight(transition)).exp();
    }
    let sums = RouteSums::new(&mdp, &reward, &Work::default());
    let Some(exact) = inverse(&weights) else { return sums.map(drop).map_err(message) };
    let sums = match sums {
        Ok(sums) => sums,
        // A divergent sum has an inverse, too, with entries of both signs.
        Err(error) if exact.iter().flatten().any(|entry| *entry < 0.0 || *entry > 1e8) => return Err(message(error)),
        Err(error) => panic!("{error}, but the inverse is {exact:?}"),
    };
    for (from, row) in exact.iter().enumerate() {
        let found = sums.from(from).map_err(message)?;
        for (to, &exact) in row.iter().enumerate() {
            let found = found[to].exp();
            assert!((found - exact).abs() <= 1e-7 * (1.0 + exact.abs()), "G({from}, {to}) is {found} instead of {exact}");
        }
    }
    Ok(())
}

/// (I − W)⁻¹ by Gauss and Jordan with pivots; `None` if it is nearly singular.
fn inverse(weights: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = weights.len();
    let unit = |row: usize, column: usize| f64::from(u8::from(row == column));
    let mut left: Vec<Vec<f64>> =
        (0..n).map(|row| (0..n).map(|column| unit(row, column) - weights[row][column]).collect()).collect();
    let mut right: Vec<Vec<f64>> = (0..n).map(|row| (0..n).map(|column| unit(row, column)).collect()).collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| left[*a][column].abs().total_cmp(&left[*b][column].abs()))?;
        if left[pivot][column].abs() < 1e-6 {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = 1.0 / left[column][column];
        left[column].iter_mut().chain(&mut right[column]).for_each(|entry| *entry *= scale);
        for row in (0..n).filter(|&row| row != column) {
            let factor = left[row][column];
            for k in 0..n {
                left[row][k] -= factor * left[column][k];
                right[row][k] -= factor * right[column][k];
            }
        }
    }
    Some(right)
}

/// The trellis of map matching against all of its paths.
pub fn viterbi(_: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let mut bytes = Bytes(input);
    let mut numbers = |count: usize| -> Vec<f64> {
        (0..count).map(|_| if bytes.byte() < 40 { f64::NEG_INFINITY } else { -8.0 * bytes.share() }).collect()
    };
    let sizes: Vec<usize> = numbers(5).iter().map(|number| 1 + (number.abs().min(100.0) as usize) % 4).collect();
    let first: Vec<f64> = numbers(sizes[0]).iter().map(|number| number.max(-50.0)).collect();
    let (mut trellis, mut layers) = (Trellis::new(first.clone()), vec![(first, Vec::new())]);
    for pair in sizes.windows(2) {
        let emissions: Vec<f64> = numbers(pair[1]).iter().map(|number| number.max(-50.0)).collect();
        let steps = numbers(pair[0] * pair[1]);
        if layers.last().is_some_and(|(last, _)| last.len() == pair[0])
            && trellis.push(trellis.n_layers(), emissions.clone(), steps.clone())
        {
            layers.push((emissions, steps));
        } else {
            break;
        }
    }
    let paths = all_paths(&layers);
    let best = paths.iter().map(|path| path.1).fold(f64::NEG_INFINITY, f64::max);
    let (path, log_probability) = trellis.best_path();
    assert!((log_probability - best).abs() < 1e-9, "the best path has {log_probability} instead of {best}");
    let total: f64 = paths.iter().map(|path| (path.1 - best).exp()).sum();
    for (layer, posterior) in trellis.posteriors(&path).iter().enumerate() {
        let through = paths.iter().filter(|one| one.0[layer] == path[layer]);
        let exact = through.map(|path| (path.1 - best).exp()).sum::<f64>() / total;
        assert!((posterior - exact).abs() < 1e-9, "a posterior is {posterior} instead of {exact}");
    }
    Ok(())
}

/// Every path with its log probability.
fn all_paths(layers: &[(Vec<f64>, Vec<f64>)]) -> Vec<(Vec<usize>, f64)> {
    let mut paths: Vec<(Vec<usize>, f64)> = layers[0].0.iter().enumerate().map(|(one, p)| (vec![one], *p)).collect();
    for (emissions, steps) in &layers[1..] {
        let n = emissions.len();
        let longer = |(path, p): &(Vec<usize>, f64)| {
            let from = path[path.len() - 1];
            let step = |to: usize| ([&path[..], &[to]].concat(), p + steps[from * n + to] + emissions[to]);
            (0..n).map(step).collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(longer).collect();
    }
    paths
}
