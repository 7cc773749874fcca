//! Fits to a few samples by hand: without an optimum, along flat directions, at bounds, and with bad input.

use revealed::{
    Baseline, Bounds, Ends, Error, ModelFree, Policy, SampleColumns, Samples, Warning, Work, rollouts, samples_from_rollouts,
};

use crate::helpers::refusal;
use crate::model_free::{chain, distance};

/// One-feature samples at these places.
fn at(places: &[&[f64]]) -> SampleColumns {
    let (n_features, n) = (places[0].len(), places.len());
    SampleColumns { n_features, features: places.concat(), log_policy: vec![-1.0; n], ..SampleColumns::default() }
}

#[test]
fn demonstrations_outside_the_samples_have_no_optimum() {
    let square = Samples::new(&at(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]]), Baseline::One).unwrap();
    let triangle = Samples::new(&at(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]]), Baseline::One).unwrap();
    let fit = |samples: &Samples, observed: &[f64]| ModelFree::default().fit(samples, observed).unwrap();
    for (samples, mean, words) in [
        (&square, [0.5, 1.5], "no sample has more than 1: its weight would go to +infinity"),
        (&square, [0.0, 0.5], "no sample has less than 0: its weight would go to -infinity"),
        // Each within its range, but not together: outside the hypotenuse, and at it.
        (&triangle, [0.7, 0.7], "outside the convex hull of the samples"),
        (&triangle, [0.5, 0.5], "outside the convex hull of the samples"),
    ] {
        let found = fit(samples, &mean);
        assert!(!found.converged && found.stopped_because.contains(words), "{mean:?}: {found:#?}");
        for settings in [
            ModelFree { bounds: Bounds::Same(-5.0, 5.0), ..ModelFree::default() },
            ModelFree { l2: 0.01, ..ModelFree::default() },
        ] {
            let held = settings.fit(samples, &mean).unwrap();
            assert!(held.converged, "{mean:?}: {}", held.stopped_because);
            let beyond = mean[1] > 1.0 || mean == [0.7, 0.7];
            assert_eq!(held.warnings.contains(&Warning::Outside), beyond, "{mean:?}: {:?}", held.warnings);
        }
    }
    for (samples, mean) in [(&square, [0.9, 0.1]), (&triangle, [0.3, 0.3])] {
        let found = fit(samples, &mean);
        assert!(found.converged && distance(&found.estimate.expectation, &mean) < 1e-7, "{}", found.stopped_because);
        assert!(!found.warnings.contains(&Warning::Outside), "{:?}", found.warnings);
    }
    let held = ModelFree { bounds: Bounds::Same(-5.0, 5.0), ..ModelFree::default() }.fit(&square, &[0.5, 1.5]).unwrap();
    assert_eq!((held.theta[1], held.at_bounds, held.standard_error.unwrap()[1]), (5.0, vec![1], 0.0));
    assert!(held.warnings.iter().any(|warning| matches!(warning, Warning::Uncovered { feature: 1, .. })));
}

/// Two features that always sum to 2: one direction of θ changes nothing, and θ̂ is the point nearest to where it
/// began.
#[test]
fn flat_directions_are_counted_and_have_no_error() {
    let samples = Samples::new(&at(&[&[0.0, 2.0], &[2.0, 0.0], &[1.0, 1.0], &[1.0, 1.0]]), Baseline::One).unwrap();
    let fit = ModelFree::default().fit(&samples, &[1.5, 0.5]).unwrap();
    assert!(fit.converged && fit.flat_directions == 1, "{fit:?}");
    assert!((fit.theta[0] + fit.theta[1]).abs() < 1e-9, "{:?}", fit.theta);
    let error = fit.standard_error.unwrap();
    assert!((error[0] - error[1]).abs() < 1e-9 && error[0] > 0.0, "{error:?}");
    let one = Samples::new(&at(&[&[0.0], &[2.0], &[1.0], &[1.0]]), Baseline::One).unwrap();
    let alone = ModelFree::default().fit(&one, &[1.5]).unwrap();
    assert!((alone.theta[0] - 2.0 * fit.theta[0]).abs() < 1e-6 && alone.flat_directions == 0);
    assert!((alone.standard_error.unwrap()[0] - 2.0 * error[0]).abs() < 1e-6);
}

/// A rollout that the reference policy would never make weighs nothing, but it was made: it counts in Ẑ.
#[test]
fn samples_of_weight_zero_count_as_rollouts() {
    let mut columns = at(&[&[1.0], &[2.0], &[7.0], &[9.0]]);
    columns.log_policy = vec![0.25f64.ln(); 4];
    columns.log_reference = Some(vec![0.5f64.ln(), 0.5f64.ln(), f64::NEG_INFINITY, f64::NEG_INFINITY]);
    let samples = Samples::new(&columns, Baseline::Reference).unwrap();
    let estimate = samples.evaluate(&[0.0]).unwrap();
    assert_eq!((samples.n_samples(), samples.n_rollouts()), (4, 4));
    assert!((estimate.log_partition - 1f64.ln()).abs() < 1e-15 && (estimate.expectation[0] - 1.5).abs() < 1e-15);
    columns.log_reference = Some(vec![f64::NEG_INFINITY; 4]);
    assert_eq!(Samples::new(&columns, Baseline::Reference), Err(Error::NoWeight));
    assert!(Samples::new(&columns, Baseline::One).is_ok());
}

#[test]
fn bad_samples_and_settings_are_refused() {
    let good = at(&[&[0.0, 1.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let said = |columns: SampleColumns| refusal(Samples::new(&columns, Baseline::One));
    assert!(said(SampleColumns { n_features: 0, ..good.clone() }).contains("n_features is 0"));
    assert!(said(SampleColumns { n_features: 3, ..good.clone() }).contains("samples.features has 6 entries, expected 9"));
    assert!(said(SampleColumns { length: Some(vec![1]), ..good.clone() }).contains("samples.length has 1 entries, expected 3"));
    assert!(said(SampleColumns { rollout: Some(vec![4; 3]), ..good.clone() }).contains("rollouts among the samples is 1"));
    let nan = SampleColumns { features: vec![0.0, 1.0, 2.0, f64::NAN, 1.0, 1.0], ..good.clone() };
    assert!(said(nan).contains("samples row 1: a feature is NaN: it must be a finite number"));
    let never = SampleColumns { log_policy: vec![0.0, -1.0, f64::NEG_INFINITY], ..good.clone() };
    assert!(said(never).contains("samples row 2: log_policy is -inf"));
    let odd = SampleColumns { log_reference: Some(vec![0.0, f64::INFINITY, 0.0]), ..good.clone() };
    assert!(said(odd).contains("samples row 1: log_reference is inf"));
    assert_eq!(Samples::new(&good, Baseline::Reference), Err(Error::NoLogReference));

    let samples = Samples::new(&good, Baseline::One).unwrap();
    let fit = |settings: ModelFree, observed: &[f64]| refusal(settings.fit(&samples, observed));
    let free = ModelFree::default;
    assert!(fit(free(), &[0.5]).contains("the mean features of the demonstrations has 1 entries, expected 2"));
    assert!(fit(free(), &[0.5, f64::NAN]).contains("the mean features of the demonstrations[1] is NaN"));
    assert!(fit(ModelFree { l2: -1.0, ..free() }, &[0.5, 0.5]).contains("l2 is -1"));
    assert!(fit(ModelFree { bounds: Bounds::Same(1.0, 0.0), ..free() }, &[0.5, 0.5]).contains("lower bound 1"));
    assert!(fit(ModelFree { start: Some(vec![1.0]), ..free() }, &[0.5, 0.5]).contains("theta has 1 entries"));
    assert!(fit(ModelFree { work: Work::on(0), ..free() }, &[0.5, 0.5]).contains("the number of threads is 0"));
    assert!(samples.evaluate(&[1.0]).is_err());

    let case = chain();
    let policy = Policy::uniform(&case.mdp);
    assert!(refusal(rollouts(&case.mdp, &policy, 1, 0, 0)).contains("the longest episode is 0"));
    let mut rollouts = rollouts(&case.mdp, &policy, 2, 5, 0).unwrap();
    let samples = |rollouts: &[_], ends| samples_from_rollouts(&case.mdp, &case.features, rollouts, &policy, ends);
    assert_eq!(samples(&rollouts, Ends::Terminal), Err(Error::SampledEnds { ends: "terminal" }));
    rollouts[1].states.pop();
    assert!(refusal(samples(&rollouts, Ends::Horizon)).contains("demonstration 1: 4 states need 3 actions"));
    rollouts[1].actions.pop();
    assert!(refusal(samples(&rollouts, Ends::Anywhere)).contains("as long as the longest"));
}

/// A coin whose optimum, log 3, lies outside: θ is the bound itself, not a rounding error inside it.
#[test]
fn a_bound_that_holds_is_reached_exactly() {
    for bound in [1.0, 0.9, 1.0 / 3.0, 1e-3] {
        let features = (0..100).map(|toss| f64::from(toss % 2)).collect();
        let columns = SampleColumns { n_features: 1, features, log_policy: vec![0.5f64.ln(); 100], ..SampleColumns::default() };
        let settings = ModelFree { bounds: Bounds::Same(-bound, bound), ..ModelFree::default() };
        let fit = settings.fit(&Samples::new(&columns, Baseline::One).unwrap(), &[0.75]).unwrap();
        assert_eq!((fit.theta[0], &fit.at_bounds[..]), (bound, &[0][..]));
        assert_eq!(fit.gradient_norm, 0.0);
    }
}
