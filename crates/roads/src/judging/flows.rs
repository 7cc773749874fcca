//! Flows: how often each state is visited, by trips and by a model.

/// How often each of `n_states` states is visited by some paths.
pub fn visits<'a>(n_states: usize, paths: impl IntoIterator<Item = &'a [usize]>) -> Vec<f64> {
    let mut visits = vec![0.0; n_states];
    paths.into_iter().flatten().for_each(|&state| visits[state] += 1.0);
    visits
}

/// How often each state is visited by `n_trips` trips, from the mean over trips.
pub fn visits_of_all(mean: &[f64], n_trips: usize) -> Vec<f64> {
    mean.iter().map(|visits| visits * n_trips as f64).collect()
}
