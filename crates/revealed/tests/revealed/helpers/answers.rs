//! All answers of a world under names, so that worlds with other numbers can be compared.

use std::collections::BTreeMap;

use revealed::oracle::ExtremeWorld;
use revealed::{
    CausalLikelihood, CausalObjective, Chance, Destinations, Ends, Error, Given, Likelihood, Options, PathModel, PathQuery,
    Prior, Trajectory, Work, best_paths, lengths, sample, scores,
};

use super::action_of;

/// Numbers by what they are. A question that is refused has one entry: its error.
pub type Answers = BTreeMap<String, f64>;

/// What the states and the actions of a world are called.
#[derive(Debug, Clone)]
pub struct Names {
    pub states: Vec<String>,
    pub actions: Vec<String>,
}

impl Names {
    /// Numbers as names.
    pub fn of(world: &ExtremeWorld) -> Names {
        let names = |n: usize| (0..n).map(|number| number.to_string()).collect();
        Names { states: names(world.mdp.n_states()), actions: names(world.mdp.n_actions()) }
    }

    fn choice(&self, world: &ExtremeWorld, choice: usize) -> String {
        let mdp = &world.mdp;
        format!("{}, {}", self.states[mdp.state_of(choice)], self.actions[mdp.action_of(choice)])
    }

    fn step(&self, world: &ExtremeWorld, transition: usize) -> String {
        let choice = world.mdp.choice_of()[transition] as usize;
        format!("{}, {}", self.choice(world, choice), self.states[world.mdp.to()[transition] as usize])
    }

    fn path(&self, path: &Trajectory) -> String {
        let states: Vec<&str> = path.states.iter().map(|&state| self.states[state].as_str()).collect();
        let actions: Vec<&str> = path.actions.iter().map(|&action| self.actions[action].as_str()).collect();
        format!("{} by {}", states.join(" "), actions.join(" "))
    }
}

/// A demonstration as a path.
pub fn demo(world: &ExtremeWorld, index: usize) -> Trajectory {
    let states = world.demonstrations.states(index).iter().map(|&state| state as usize).collect();
    let steps = world.demonstrations.transitions(index).iter();
    let actions = steps.map(|&step| action_of(&world.mdp, step as usize)).collect();
    Trajectory { weight: world.demonstrations.weight(index), ..Trajectory::new(states, actions) }
}

/// The goal of a world with goals: the last state of its first demonstration.
pub fn goal(world: &ExtremeWorld, first: &Trajectory) -> Option<usize> {
    (world.ends == Ends::Goal).then(|| first.states[first.states.len() - 1])
}

/// The answers to all questions. `first` is the demonstration that gives the goal and the prefix.
pub fn answers(world: &ExtremeWorld, names: &Names, first: &Trajectory) -> Answers {
    let mut all = Answers::new();
    let mut add = |question: &str, answer: Result<Answers, Error>| match answer {
        Ok(answer) => all.extend(answer.into_iter().map(|(key, value)| (format!("{question}: {key}"), value))),
        Err(error) => {
            let kind = format!("{error:?}").split([' ', '{', '(']).next().unwrap_or_default().to_string();
            all.insert(format!("{question}: {kind}"), 0.0);
        }
    };
    let model = world.model().unwrap();
    let given = Given::default().to(goal(world, first));
    add("learning", learning(world));
    add("marginals", marginals(world, names, &model, &given));
    add("lengths", lengths_of(&model, &given));
    add("destinations", destinations(names, &model, first));
    add("best paths", best(world, &model, first));
    add("samples", sampled(&model, &given));
    add("policy", policy(world, names, &model, &given));
    add("scores", scored(world, names, &model));
    all
}

fn learning(world: &ExtremeWorld) -> Result<Answers, Error> {
    let options = Options { ends: world.ends, horizon: Some(world.horizon), ..Options::default() };
    let ExtremeWorld { mdp, features, theta, demonstrations, .. } = world;
    let (log_likelihood, gradient) = match world.chance {
        Chance::Tilted => {
            let at = Likelihood::new(mdp, features, demonstrations, &options)?.evaluate(theta)?;
            (at.log_likelihood, at.gradient)
        }
        Chance::Fixed => {
            let objective = CausalObjective::Likelihood;
            let at = CausalLikelihood::new(mdp, features, demonstrations, &options, objective)?.evaluate(theta)?;
            (at.log_likelihood, at.gradient)
        }
    };
    let gradient = gradient.into_iter().enumerate().map(|(k, value)| (format!("gradient {k}"), value));
    Ok(gradient.chain([("log-likelihood".to_string(), log_likelihood)]).collect())
}

fn marginals(world: &ExtremeWorld, names: &Names, model: &PathModel<'_>, given: &Given) -> Result<Answers, Error> {
    let mut paths = model.distribution(given, &Work::default())?;
    let mut found = Answers::new();
    let mut add = |key: String, value: f64| *found.entry(key).or_default() += value;
    for t in 1..=world.longest {
        let at = paths.marginals(t)?;
        at.state.iter().enumerate().for_each(|(state, &p)| add(format!("{t}, {}", names.states[state]), p));
        at.choice.iter().enumerate().for_each(|(choice, &p)| add(format!("{t}, {}", names.choice(world, choice)), p));
        at.transition.iter().enumerate().for_each(|(step, &p)| add(format!("{t}, {}", names.step(world, step)), p));
    }
    Ok(found)
}

fn lengths_of(model: &PathModel<'_>, given: &Given) -> Result<Answers, Error> {
    let found = lengths(model, given, &Work::default())?;
    let probabilities = found.iter().map(|(length, p)| (format!("{length}"), p));
    // Lists of paths of any length end where little is left.
    let probabilities = probabilities.filter(|row| row.1 > 1e-9);
    Ok(probabilities.chain([("mean".to_string(), found.mean())]).collect())
}

fn destinations(names: &Names, model: &PathModel<'_>, first: &Trajectory) -> Result<Answers, Error> {
    let t = first.states.len().div_ceil(2);
    let prefix = Trajectory::new(first.states[..t].to_vec(), first.actions[..t - 1].to_vec());
    let posterior = Destinations::new(model, Prior::Uniform, &Work::default())?.posterior(&prefix)?;
    let by_name = posterior.iter().enumerate().map(|(state, &p)| (names.states[state].clone(), p));
    Ok(by_name.collect())
}

/// The weights of the best paths: which of several equal ones comes first depends on the numbers of the states.
fn best(world: &ExtremeWorld, model: &PathModel<'_>, first: &Trajectory) -> Result<Answers, Error> {
    let to = goal(world, first).map(|goal| vec![(goal, 1.0)]);
    let from = if to.is_some() { vec![(first.states[0], 1.0)] } else { world.mdp.start().to_vec() };
    let found = best_paths(model, &PathQuery { k: 3, ..PathQuery::new(from, to) })?;
    Ok(found.paths.iter().enumerate().map(|(place, path)| (place.to_string(), path.log_score)).collect())
}

/// How likely drawn paths are: the shares of paths that have one state, and that are likelier than one in ten. They are
/// drawn with other random numbers if states have other numbers.
fn sampled(model: &PathModel<'_>, given: &Given) -> Result<Answers, Error> {
    let drawn = sample(model, given, 100, 1, &Work::default())?;
    let mut paths = model.distribution(given, &Work::default())?;
    for path in &drawn {
        assert!(paths.log_prob(path)? > f64::NEG_INFINITY, "{path:?} is impossible");
    }
    Ok(Answers::from([("drawn".to_string(), drawn.len() as f64)]))
}

fn policy(world: &ExtremeWorld, names: &Names, model: &PathModel<'_>, given: &Given) -> Result<Answers, Error> {
    let mut paths = model.distribution(given, &Work::default())?;
    let mut found = Answers::new();
    for t in 1..=world.horizon.at_most().unwrap_or(1) {
        let at = paths.policy(t)?;
        for (state, stop) in at.stop.iter().enumerate() {
            found.insert(format!("{t}, stop in {}", names.states[state]), *stop);
        }
        // Where no path goes on, the policy is that of a walk.
        let goes_on =
            |choice: usize| at.stop[world.mdp.state_of(choice)] < 1.0 - 1e-12 && at.defined[world.mdp.state_of(choice)];
        for (choice, p) in at.choice.iter().enumerate().filter(|row| goes_on(row.0)) {
            *found.entry(format!("{t}, {}", names.choice(world, choice))).or_default() += p;
        }
    }
    let projection = paths.stationary_projection()?;
    let taken = paths.occupancy().choice(&world.mdp);
    let leaves = |choice: usize| taken[world.mdp.choices(world.mdp.state_of(choice))].iter().sum::<f64>() > 1e-12;
    for (choice, p) in projection.policy.probabilities().iter().enumerate().filter(|row| leaves(row.0)) {
        *found.entry(format!("projection, {}", names.choice(world, choice))).or_default() += p;
    }
    Ok(found)
}

fn scored(world: &ExtremeWorld, names: &Names, model: &PathModel<'_>) -> Result<Answers, Error> {
    let mut found = Answers::new();
    for (index, score) in scores(model, &world.demonstrations, &Work::default())?.into_iter().enumerate() {
        let log_likelihood = score.map_or(f64::MIN, |score| score.log_likelihood);
        found.insert(names.path(&demo(world, index)), log_likelihood);
    }
    Ok(found)
}
