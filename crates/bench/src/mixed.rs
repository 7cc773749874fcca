//! One evaluation of the mixed recursive logit: with own draws of each traveller, and with common ones.

use revealed::worlds::road_like;
use revealed::{
    Cluster, Demonstrations, Error, Mdp, MixedLikelihood, MixedLogit, RandomCoefficient, RouteChoice, Sharing, Trajectory,
    TripValue, Work,
};

use crate::clock::{fastest, seconds, shown, table};

/// The numbers of states.
const SIZES: [usize; 3] = [200, 1000, 7000];
const TRAVELLERS: usize = 50;
const TRIPS_OF_EACH: usize = 4;
const STEPS: usize = 20;
const DRAWS: usize = 20;

/// A Markdown table.
pub fn run(rounds: usize) -> Result<String, String> {
    let rows = SIZES.iter().map(|&n_states| row(n_states, rounds)).collect::<Result<Vec<_>, Error>>();
    let rows = rows.map_err(|error| error.to_string())?;
    let head = ["segments", "recursive logit", "mixed, own draws", "one draw of one traveller", "mixed, common draws"];
    let words = format!("{TRAVELLERS} travellers with {TRIPS_OF_EACH} trips each, {DRAWS} draws, one thread");
    Ok(format!("### One evaluation of the mixed recursive logit\n\n{words}\n\n{}", table(&head, &rows)))
}

fn row(n_states: usize, rounds: usize) -> Result<Vec<String>, Error> {
    let world = road_like(n_states, 2 * n_states, 1)?;
    let (mdp, features, work) = (&world.mdp, &world.features, Work::on(1));
    let demos = Demonstrations::new(mdp, &trips(mdp))?;
    let theta = vec![-0.005; features.n_features()];
    let mut plain = RouteChoice::new(mdp, features, &demos, &work)?;
    let of_plain = timed(rounds, || plain.evaluate(&theta).map(|_| ()))?;
    let at: Vec<f64> = theta.iter().copied().chain([0.001]).collect();
    let mut of_mixed = Vec::new();
    for sharing in [Sharing::Own, Sharing::Common] {
        let (random, panel) = (vec![RandomCoefficient::normal(0)], Cluster::Column("driver".to_string()));
        let model = MixedLogit { random, draws: DRAWS, sharing, panel, ..MixedLogit::default() };
        let likelihood = MixedLikelihood::new(mdp, features, &demos, &model, &work)?;
        of_mixed.push(timed(rounds, || likelihood.evaluate(&at).map(|_| ()))?);
    }
    let of_draw = of_mixed[0] / (TRAVELLERS * DRAWS) as f64;
    Ok(vec![n_states.to_string(), shown(of_plain), shown(of_mixed[0]), shown(of_draw), shown(of_mixed[1])])
}

fn timed(rounds: usize, mut work: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    work()?;
    let times: Vec<f64> = (0..rounds).map(|_| seconds(|| assert!(work().is_ok()))).collect();
    Ok(fastest(&times))
}

/// Walks from places all over the network.
fn trips(mdp: &Mdp) -> Vec<Trajectory> {
    let walk = |trip: usize| {
        let (mut states, mut actions) = (vec![trip * 7919 % mdp.n_states()], Vec::new());
        for step in 0..STEPS {
            let here = states[states.len() - 1];
            let count = mdp.children(here).len();
            let action = (trip + step) % count.max(1);
            let Some(transition) = mdp.children(here).nth(action) else { break };
            states.push(mdp.to()[transition] as usize);
            actions.push(action);
        }
        let driver = ("driver".to_string(), TripValue::Number((trip / TRIPS_OF_EACH) as f64));
        Trajectory { trip: [driver].into(), ..Trajectory::new(states, actions) }
    };
    (0..TRAVELLERS * TRIPS_OF_EACH).map(walk).collect()
}
