use std::convert::Infallible;
use std::ops::ControlFlow::{Break, Continue};

use super::problems::{Random, cases, crf, rosenbrock};
use super::*;

const INF: f64 = f64::INFINITY;

fn search<'a>(start: &'a [f64], lower: &'a [f64], upper: &'a [f64]) -> SearchSettings<'a> {
    SearchSettings {
        start,
        lower,
        upper,
        memory: MEMORY,
        gradient_tolerance: 1e-8,
        max_iterations: 1000,
        max_evaluations: 5000,
    }
}

fn run(mut objective: impl FnMut(&[f64], &mut [f64]) -> f64, search: &SearchSettings) -> Optimum {
    minimize(|x, g| Ok::<_, Infallible>(objective(x, g)), search, |_| Continue(())).unwrap()
}

/// Without bounds.
fn run_free(objective: impl FnMut(&[f64], &mut [f64]) -> f64, start: &[f64]) -> Optimum {
    let (lower, upper) = (vec![-INF; start.len()], vec![INF; start.len()]);
    run(objective, &search(start, &lower, &upper))
}

/// Prints the comparison with SciPy: `cargo test -p revealed needs_no_more_evaluations_than_scipy -- --nocapture`.
#[test]
fn needs_no_more_evaluations_than_scipy() {
    println!("{:28}memory  ours: evaluations, |g|, f       SciPy: evaluations, |g|", "");
    for case in cases() {
        for (memory, (evaluations, norm)) in [10, 30].into_iter().zip(case.scipy) {
            let search =
                SearchSettings { memory, gradient_tolerance: case.tolerance, ..search(&case.start, &case.lower, &case.upper) };
            let ours = run(&case.objective, &search);
            let (name, value) = (case.name, ours.value);
            println!(
                "{name:28}{memory:6}{:8}  {:7.1e}  {value:.9e}{evaluations:10}  {norm:.1e}",
                ours.evaluations, ours.gradient_norm
            );
            assert_eq!(ours.stop, Stopped::Gradient, "{name}");
            assert!(ours.evaluations <= 2 * evaluations, "{name}: {} evaluations", ours.evaluations);
        }
    }
}

#[test]
fn memory_saves_evaluations_on_badly_conditioned_problems() {
    let (lower, upper) = ([-INF; 14], [INF; 14]);
    let evaluations =
        |memory| run(crf(14, 2.5, 0.0), &SearchSettings { memory, ..search(&[0.0; 14], &lower, &upper) }).evaluations;
    assert!(3 * evaluations(MEMORY) < evaluations(10));
}

#[test]
fn evaluates_no_point_twice_and_none_outside_the_bounds() {
    // With a tolerance of zero, the search goes back and forth at the end.
    for (case, gradient_tolerance) in cases().iter().flat_map(|case| [(case, case.tolerance), (case, 0.0)]) {
        let mut met: Vec<Vec<f64>> = Vec::new();
        let search = SearchSettings { gradient_tolerance, ..search(&case.start, &case.lower, &case.upper) };
        let watched = |x: &[f64], g: &mut [f64]| {
            assert!(x.iter().zip(search.lower).zip(search.upper).all(|((x, lower), upper)| lower <= x && x <= upper));
            assert!(!met.iter().any(|known| known == x), "{}", case.name);
            met.push(x.to_vec());
            (case.objective)(x, g)
        };
        let optimum = run(watched, &search);
        assert_eq!(optimum.evaluations, met.len());
    }
}

#[test]
fn returns_the_error_of_the_objective() {
    for fatal in [1, 2, 20] {
        let mut calls = 0;
        let failing = |x: &[f64], g: &mut [f64]| {
            calls += 1;
            if calls == fatal { Err(calls) } else { Ok(rosenbrock(x, g)) }
        };
        let result = minimize(failing, &search(&[-1.2, 1.0], &[-INF; 2], &[INF; 2]), |_| Continue(()));
        assert_eq!(result.unwrap_err(), fatal);
        assert_eq!(calls, fatal);
    }
}

#[test]
fn treats_a_value_that_is_not_finite_as_a_step_too_long() {
    for poison in [f64::NAN, INF] {
        // Minimum at 1 - 1e-4; from 0.5 every first step leaves the domain x < 1.
        let value = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0 / (1.0 - x[0]) - 1e4;
            if x[0] < 1.0 { -(1.0 - x[0]).ln() - 1e4 * x[0] } else { poison }
        };
        let optimum = run_free(value, &[0.5]);
        assert!((optimum.x[0] - (1.0 - 1e-4)).abs() < 1e-10, "{optimum:?}");
        let gradient = |x: &[f64], g: &mut [f64]| {
            g[0] = if x[0] < 3.0 { 2.0 * (x[0] - 2.5) } else { poison };
            (x[0] - 2.5).powi(2)
        };
        let optimum = run_free(gradient, &[-40.0]);
        assert_eq!((optimum.stop, optimum.x[0]), (Stopped::Gradient, 2.5));
        let wall = run_free(|x, g| (g[0] = if x[0] <= 1.0 { -1.0 } else { poison }, -x[0]).1, &[0.5]);
        assert!(wall.stop == Stopped::NoProgress && (wall.x[0] - 1.0).abs() < 1e-9 && wall.gradient == [-1.0], "{wall:?}");
    }
}

#[test]
fn reports_a_start_that_is_not_finite() {
    let optimum = run_free(|_, _| f64::NAN, &[1.0, 2.0]);
    assert_eq!((optimum.stop, optimum.evaluations, optimum.iterations), (Stopped::StartNotFinite, 1, 0));
    assert_eq!(optimum.x, [1.0, 2.0]);
}

#[test]
fn clips_the_start_and_keeps_fixed_parameters() {
    let sphere = |x: &[f64], g: &mut [f64]| {
        g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - 1.0));
        x.iter().map(|x| (x - 1.0).powi(2)).sum()
    };
    let optimum = run(sphere, &search(&[9.0, -9.0, 0.0], &[2.0, -INF, 0.5], &[3.0, -2.0, 0.5]));
    assert_eq!((optimum.stop, &optimum.x[..]), (Stopped::Gradient, &[2.0, -2.0, 0.5][..]));
    assert_eq!((optimum.gradient_norm, &optimum.gradient[..]), (0.0, &[2.0, -6.0, -1.0][..]));

    let all_fixed = run(sphere, &search(&[7.0, 7.0], &[2.0, 3.0], &[2.0, 3.0]));
    assert_eq!((all_fixed.stop, all_fixed.iterations, all_fixed.evaluations), (Stopped::Gradient, 0, 1));
    assert_eq!((&all_fixed.x[..], all_fixed.value), (&[2.0, 3.0][..], 5.0));

    let one = run_free(sphere, &[-3.0]);
    assert_eq!((one.stop, one.x[0]), (Stopped::Gradient, 1.0));
    assert_eq!(run_free(sphere, &[]).stop, Stopped::Gradient);
}

#[test]
fn uses_the_gradient_where_the_value_is_flat() {
    let (lower, upper) = ([-INF; 14], [INF; 14]);
    let search = SearchSettings { gradient_tolerance: 1e-11, ..search(&[0.0; 14], &lower, &upper) };
    for offset in [0.0, 1e3, 1e6] {
        let optimum = run(crf(14, 2.0, offset), &search);
        assert_eq!(optimum.stop, Stopped::Gradient, "offset {offset}: {optimum:?}");
    }
    // The value falls to zero, but its error is as large as that of a difference of large numbers.
    for seed in 0..20 {
        let (mut random, objective) = (Random(seed), crf(14, 2.0, -5.592242410420));
        let optimum = run(|x, g| objective(x, g) + 1e-13 * random.symmetric(), &search);
        assert_eq!(optimum.stop, Stopped::Gradient, "{optimum:?}");
    }
}

#[test]
fn gives_up_where_rounding_hides_any_progress() {
    for case in cases() {
        let search =
            SearchSettings { gradient_tolerance: 0.0, max_iterations: 10_000, ..search(&case.start, &case.lower, &case.upper) };
        let optimum = run(&case.objective, &search);
        assert!(matches!(optimum.stop, Stopped::NoProgress | Stopped::Gradient), "{}: {:?}", case.name, optimum.stop);
        assert!(optimum.gradient_norm < 1e-12, "{}: {optimum:?}", case.name);
        assert!(optimum.evaluations < 600, "{}: {} evaluations", case.name, optimum.evaluations);
    }
    let wrong_sign = run_free(|x, g| (g[0] = -2.0 * x[0], x[0] * x[0]).1, &[0.5]);
    assert_eq!((wrong_sign.stop, wrong_sign.x[0]), (Stopped::NoProgress, 0.5));
    let mut random = Random(5);
    let objective = crf(14, 2.0, 0.0);
    let mut noisy = |x: &[f64], g: &mut [f64]| {
        let value = objective(x, g);
        g.iter_mut().for_each(|g| *g += 1e-7 * random.symmetric());
        value
    };
    let optimum = run_free(&mut noisy, &[0.0; 14]);
    assert!(optimum.stop == Stopped::NoProgress && optimum.gradient_norm < 1e-6, "{optimum:?}");
}

#[test]
fn ends_where_there_is_no_optimum() {
    let objectives: [fn(f64) -> (f64, f64); 4] =
        [|x| (-x, -1.0), |x| (-x * x, -2.0 * x), |x| (-x.exp(), -x.exp()), |x| (-x.powi(4), -4.0 * x.powi(3))];
    for objective in objectives {
        for start in [0.1, 3.0] {
            let value = |x: &[f64], g: &mut [f64]| {
                let (f, slope) = objective(x[0]);
                g[0] = slope;
                f
            };
            let optimum = run_free(value, &[start]);
            assert_eq!(optimum.stop, Stopped::Diverged);
            assert!(optimum.x[0].is_finite() && optimum.value.is_finite() && optimum.evaluations < 100, "{optimum:?}");
        }
    }
    // So flat that there may be an optimum further on: the budget ends the search.
    let optimum = run_free(|x, g| (g[0] = -1e-7, -1e-7 * x[0]).1, &[0.0]);
    assert!(matches!(optimum.stop, Stopped::MaxEvaluations | Stopped::MaxIterations), "{optimum:?}");
}

#[test]
fn keeps_to_its_budgets_and_returns_the_best_point() {
    let (start, lower, upper) = ([-1.2, 1.0], [-INF; 2], [INF; 2]);
    for budget in 0..40 {
        let mut lowest = INF;
        let mut watched = |x: &[f64], g: &mut [f64]| {
            let value = rosenbrock(x, g);
            lowest = value.min(lowest);
            value
        };
        let by_evaluations = run(&mut watched, &SearchSettings { max_evaluations: budget, ..search(&start, &lower, &upper) });
        assert_eq!((by_evaluations.stop, by_evaluations.evaluations), (Stopped::MaxEvaluations, budget.max(1)));
        assert_eq!(by_evaluations.value, lowest);
        lowest = INF;
        let mut watched = |x: &[f64], g: &mut [f64]| {
            let value = rosenbrock(x, g);
            lowest = value.min(lowest);
            value
        };
        let by_iterations = run(&mut watched, &SearchSettings { max_iterations: budget, ..search(&start, &lower, &upper) });
        assert_eq!((by_iterations.stop, by_iterations.iterations), (Stopped::MaxIterations, budget));
        assert_eq!(by_iterations.value, lowest);
    }
    // basin has its own limit of 1000 iterations.
    let (lower, upper) = ([-INF; 14], [INF; 14]);
    let long =
        SearchSettings { memory: 1, max_iterations: 1200, gradient_tolerance: 0.0, ..search(&[0.0; 14], &lower, &upper) };
    assert_eq!(run(crf(14, 3.0, 0.0), &long).stop, Stopped::MaxIterations);
}

#[test]
fn reports_every_iteration_and_stops_when_asked() {
    let (mut count, mut lowest) = (0, INF);
    let watch = |iteration: &Iteration| {
        count += 1;
        lowest = iteration.value.min(lowest);
        let mut gradient = [0.0; 2];
        assert_eq!(iteration.number, count);
        assert!(iteration.evaluations > count);
        assert_eq!(iteration.value, rosenbrock(iteration.x, &mut gradient));
        assert_eq!(iteration.gradient_norm, gradient[0].abs().max(gradient[1].abs()));
        if count == 7 { Break(()) } else { Continue(()) }
    };
    let search = search(&[-1.2, 1.0], &[-INF; 2], &[INF; 2]);
    let optimum = minimize(|x, g| Ok::<_, Infallible>(rosenbrock(x, g)), &search, watch).unwrap();
    assert_eq!((optimum.stop, optimum.iterations, count), (Stopped::Interrupted, 7, 7));
    assert!(optimum.value <= lowest);
}

#[test]
fn displays_why_it_stopped() {
    assert!(Stopped::Gradient.converged());
    assert!(!Stopped::NoProgress.converged());
    assert_eq!(Stopped::Gradient.to_string(), "converged: the gradient is within the tolerance");
    assert_eq!(Stopped::MaxIterations.to_string(), "not converged: the largest number of iterations is reached");
}
