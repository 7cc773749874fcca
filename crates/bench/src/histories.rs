//! Whole fits with histories of order 3, on a road-like network of 10,000 states.

use revealed::worlds::{World, road_like};
use revealed::{Chance, Demonstrations, Ends, Error, Given, HistoryModel, HistoryWorld, MaxEnt, Options, Windows, Work};

use crate::clock::{seconds, shown};

const STATES: usize = 10_000;
const TRANSITIONS: usize = 25_000;
const TRIPS: usize = 1_000;
const HORIZON: usize = 60;
const ORDER: usize = 3;
/// The planted weights: of coming back after one step and after two, and of leaving the circle of the last two steps.
const PLANTED: [f64; 3] = [-2.0, -1.0, 0.5];

/// Markdown.
pub fn run() -> Result<String, String> {
    let words = |error: Error| error.to_string();
    eprintln!("histories: {STATES} states, order {ORDER}, {TRIPS} trips");
    let world = road_like(STATES, TRANSITIONS, 1).map_err(words)?;
    let (windows, demos) = planted(&world).map_err(words)?;
    let mut text = format!("### Histories of order {ORDER}\n\n");
    text += &of_windows(&world, &demos, &windows, 0.0, "three features of a function").map_err(words)?;
    let indicators = Windows::indicators(&world.mdp, &demos, ORDER, 3.0).map_err(words)?;
    text += &of_windows(&world, &demos, &indicators, 1e-3, "indicators, l2 0.001").map_err(words)?;
    Ok(text)
}

/// A function of the last three states, and trips that follow it.
fn planted(world: &World) -> Result<(Windows, Demonstrations), Error> {
    let mdp = &world.mdp;
    let of = |states: &[usize], action: usize| {
        let last = states[states.len() - 1];
        let step = mdp.choice(last, action).map(|choice| mdp.outcomes(choice).start);
        let to = step.map(|step| mdp.to()[step] as usize);
        let is = |back: usize| states.len() > back && to == Some(states[states.len() - 1 - back]);
        let values = [is(1), is(2), states.len() > 2 && states[states.len() - 3] == last && !is(1)];
        Ok::<_, Error>(values.into_iter().enumerate().filter(|row| row.1).map(|(k, _)| (k, 1.0)).collect())
    };
    let names = ["back", "back after two", "out"].map(String::from).to_vec();
    let windows = Windows::of_function(mdp, ORDER, (names.len(), names), 1_000_000, of)?;
    let theta: Vec<f64> = world.theta.iter().copied().chain(PLANTED).collect();
    let paths = (HORIZON.into(), Ends::Anywhere, Chance::Tilted);
    let model = HistoryModel::new((mdp, &world.features), &windows, &theta, paths, &Work::default())?;
    let trips = model.sample(&Given::default(), None, (TRIPS, 3), &Work::default())?;
    Ok((windows, Demonstrations::new(mdp, &trips)?))
}

fn of_windows(world: &World, demos: &Demonstrations, windows: &Windows, l2: f64, title: &str) -> Result<String, Error> {
    let (mut made, mut fit) = (None, None);
    let compile = seconds(|| made = Some(HistoryWorld::new(&world.mdp, &world.features, windows, &[], &Work::default())));
    let product = made.expect("made once")?;
    let lifted = product.lift_all(&world.mdp, demos)?;
    let options = Options { horizon: Some(HORIZON.into()), ..Options::default() };
    let settings = MaxEnt { options, l2, tolerance: 1e-5, ..MaxEnt::default() };
    let time = seconds(|| fit = Some(settings.fit(&product.mdp, &product.features, &lifted)));
    let fit = fit.expect("timed once")?;
    let planted: Vec<String> = fit.theta[world.theta.len()..].iter().take(PLANTED.len()).map(|w| format!("{w:.2}")).collect();
    let found = if windows.n_features() == PLANTED.len() {
        format!("; planted {PLANTED:?}, found {}", planted.join(", "))
    } else {
        String::new()
    };
    Ok(format!(
        "- {title}: {} states and {} transitions of the product (made in {}), {} features, {} evaluations in {}, converged: {}{found}\n",
        product.mdp.n_states(),
        product.mdp.n_transitions(),
        shown(compile),
        product.features.n_features(),
        fit.evaluations,
        shown(time),
        fit.converged
    ))
}
