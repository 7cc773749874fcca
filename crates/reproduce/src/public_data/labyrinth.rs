//! Mice in a labyrinth (Rosenberg, Zhang, Perona and Meister 2021): which way they go next, given where they were.

use std::path::Path;

use revealed::{
    CausalLikelihood, CausalObjective, Demonstrations, Ends, Features, FeaturesBuilder, HistoryWorld, Horizon, MarginalKind,
    MaxEnt, Mdp, MdpBuilder, Method, Options, Trajectory, Windows, Work,
};
use revealed_draw::Canvas;
use revealed_formats::load_data_array;

use super::counts::Counts;
use super::maze::{Draw, maze};
use super::several::several;
use crate::Error;

/// Every fifth sequence is the test, as SWIRL has it (Ke et al., ICML 2025).
const SPLIT: usize = 5;
const FOLDS: usize = 5;
/// The orders that are compared, the longest counts, and the settings of the penalty. The penalty is per sequence.
const ORDERS: [usize; 6] = [1, 2, 3, 4, 5, 6];
const COUNTS: [usize; 4] = [1, 2, 3, 4];
const PENALTIES: [f64; 3] = [0.05, 0.15, 0.45];
const SHRINKAGES: [f64; 3] = [2.0, 3.0, 4.0];
/// The first of each that is tried.
const FIRST: LabyrinthChoice = LabyrinthChoice { order: 4, shrinkage: 3.0, penalty: 0.15 };
/// A search of 10⁴ parameters need not go further for log-likelihoods of four digits.
const TOLERANCE: f64 = 3e-4;
const MOST_ITERATIONS: usize = 400;

/// The files, as SWIRL's repository has them.
pub struct LabyrinthFiles {
    mdp: Mdp,
    features: Features,
    /// States and actions of each sequence. The last action leads to a last state.
    sequences: Vec<Trajectory>,
}

/// Settings that cross-validation compares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabyrinthChoice {
    /// The most states of a window.
    pub order: usize,
    /// How much stronger the penalty is for longer windows.
    pub shrinkage: f64,
    /// The penalty of windows of one state, times the number of sequences.
    pub penalty: f64,
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct LabyrinthRow {
    /// What predicts.
    pub name: String,
    /// Whether the number is from a publication.
    pub published: bool,
    /// The mean over the folds of the training part, in nats a step; `None` where nothing was chosen.
    pub cross_validated: Option<f64>,
    /// The mean log-likelihood of the actions of the test sequences, in nats a step.
    pub held_out: f64,
}

/// What was found.
#[derive(Debug)]
pub struct Labyrinth {
    /// How many sequences train, how many test, and the steps of all tests.
    pub sizes: [usize; 3],
    /// Every setting that cross-validation compared, with its mean.
    pub compared: Vec<(LabyrinthChoice, f64)>,
    /// The best of them.
    pub chosen: LabyrinthChoice,
    /// The product of the chosen order: its states, and its features.
    pub size: [usize; 2],
    /// The table.
    pub rows: Vec<LabyrinthRow>,
    /// How much mice seek a node when a step leads there, and how often they are in it.
    pub nodes: Vec<[f64; 2]>,
}

impl LabyrinthFiles {
    /// Reads `emissions500new.npy` (sequences of nodes and actions) and `trans_probs.npy` (where actions lead).
    ///
    /// # Errors
    /// If a file is absent or of another shape, an action leads to more than one node, or a sequence does not follow
    /// the transitions.
    pub fn load(folder: &Path) -> Result<LabyrinthFiles, Error> {
        let file = |name: &str| {
            let path = folder.join(name);
            match path.is_file() {
                true => Ok(path),
                false => Err(Error::Missing(format!(
                    "{}: there is no such file; get it from the repository of SWIRL (Ke et al. 2025), data/labyrinth",
                    path.display()
                ))),
            }
        };
        let (emissions, transitions) = (file("emissions500new.npy")?, file("trans_probs.npy")?);
        let leads = load_data_array(&transitions)?;
        let wrong = |path: &Path, what: String| Error::Missing(format!("{}: {what}", path.display()));
        let &[n_states, n_actions, to] = leads.shape.as_slice() else {
            return Err(wrong(&transitions, format!("it has {} dimensions and must have 3", leads.shape.len())));
        };
        if to != n_states || n_states == 0 {
            return Err(wrong(&transitions, format!("its shape is {:?} and must be (n, actions, n)", leads.shape)));
        }
        let mut next = vec![Vec::new(); n_states];
        for (choice, row) in leads.values.chunks(n_states).enumerate() {
            let (state, action) = (choice / n_actions, choice % n_actions);
            match row.iter().position(|&p| p == 1.0) {
                Some(to) => next[state].push(to),
                None => {
                    return Err(wrong(&transitions, format!("action {action} in state {state} leads to no state for certain")));
                }
            }
        }
        let seen = load_data_array(&emissions)?;
        let &[n, steps, 2] = seen.shape.as_slice() else {
            return Err(wrong(&emissions, format!("its shape is {:?} and must be (sequences, steps, 2)", seen.shape)));
        };
        if n < 2 * SPLIT || steps == 0 {
            return Err(wrong(&emissions, format!("it has {n} sequences of {steps} steps: give at least {} of 1", 2 * SPLIT)));
        }
        let mut sequences = Vec::new();
        for (number, rows) in seen.values.chunks(2 * steps).enumerate() {
            let column = |of: usize| rows.iter().skip(of).step_by(2).map(|&value| value as usize);
            let (mut states, actions): (Vec<usize>, Vec<usize>) = (column(0).collect(), column(1).collect());
            for (t, (&state, &action)) in states.iter().zip(&actions).enumerate() {
                let to = next.get(state).and_then(|next| next.get(action));
                if to.is_none_or(|to| states.get(t + 1).is_some_and(|after| after != to)) {
                    let what =
                        format!("sequence {number}, step {t}: action {action} in state {state} does not lead on as it says");
                    return Err(wrong(&emissions, what));
                }
            }
            states.push(next[states[steps - 1]][actions[steps - 1]]);
            sequences.push(Trajectory::new(states, actions));
        }
        let mut builder = MdpBuilder::new(n_states, n_actions);
        // Choices depend on what was, and not on what will be.
        builder.discount(0.0);
        let mut features = FeaturesBuilder::new(1);
        features.names(vec!["stays".to_string()]);
        for (state, next) in next.iter().enumerate() {
            builder.start(state, 1.0 / n_states as f64);
            for (action, &to) in next.iter().enumerate() {
                builder.transition(state, action, to, 1.0);
                if to == state {
                    features.state_action(state, action, 0, 1.0);
                }
            }
        }
        let mdp = builder.build()?;
        let features = features.build(&mdp)?;
        Ok(LabyrinthFiles { mdp, features, sequences })
    }

    /// Chooses by cross-validation on the training part, learns, and predicts the test. `done` hears how much of all
    /// the fits is done.
    ///
    /// # Errors
    /// If a fit fails or is stopped.
    pub fn study(&self, threads: Option<usize>, done: &(dyn Fn(usize, usize) + Sync)) -> Result<Labyrinth, Error> {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..self.sequences.len()).partition(|index| index % SPLIT == 0);
        let mut study = Study { files: self, train: &train, threads, done, compared: Vec::new(), fits: 0 };
        // Orders come last, because fits of long windows take longest.
        let mut chosen = study.best(PENALTIES.map(|penalty| LabyrinthChoice { penalty, ..FIRST }))?;
        chosen = study.best(SHRINKAGES.map(|shrinkage| LabyrinthChoice { shrinkage, ..chosen }))?;
        chosen = study.best(ORDERS.map(|order| LabyrinthChoice { order, ..chosen }))?;
        let choices = ORDERS.map(|order| LabyrinthChoice { order, ..chosen });
        let fits = study.fits + choices.len();
        let finished = std::sync::atomic::AtomicUsize::new(study.fits);
        let step = || done(finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, fits);
        let learned = several(choices.len(), threads, &step, |place| self.learn(choices[place], &train))?;

        let mut rows = self.baselines(&train, &test);
        let known = |choice: LabyrinthChoice| study.compared.iter().find(|row| row.0 == choice).map(|row| row.1);
        let (mut nodes, mut size) = (Vec::new(), [0; 2]);
        for (choice, (world, theta)) in choices.into_iter().zip(&learned) {
            rows.push(LabyrinthRow {
                name: format!("history of order {}", choice.order),
                published: false,
                cross_validated: known(choice),
                held_out: self.nats_a_step(world, theta, &test)?,
            });
            if choice == chosen {
                nodes = self.preferences(world, theta, &train)?;
                size = [world.mdp.n_states(), theta.len()];
            }
        }
        let steps = test.iter().map(|&index| self.sequences[index].actions.len()).sum();
        Ok(Labyrinth { sizes: [train.len(), test.len(), steps], compared: study.compared, chosen, size, rows, nodes })
    }

    /// What is known of the test without a model of ours.
    fn baselines(&self, train: &[usize], test: &[usize]) -> Vec<LabyrinthRow> {
        let row =
            |name: String, published: bool, held_out: f64| LabyrinthRow { name, published, cross_validated: None, held_out };
        let of = |index: &usize| (self.sequences[*index].states.as_slice(), self.sequences[*index].actions.as_slice());
        let n_actions = self.mdp.n_actions();
        let mut rows = vec![
            row("uniform".to_string(), false, -(n_actions as f64).ln()),
            row("SWIRL: 3 modes, history of 2".to_string(), true, PUBLISHED),
        ];
        for order in COUNTS {
            let counts = Counts::new(order, n_actions, train.iter().map(of));
            let (mut sum, mut steps) = (0.0, 0);
            for (states, actions) in test.iter().map(of) {
                sum += counts.log_likelihood(states, actions);
                steps += actions.len();
            }
            rows.push(row(format!("counts of order {order}"), false, sum / steps as f64));
        }
        rows
    }

    fn demonstrations(&self, members: &[usize]) -> Result<Demonstrations, Error> {
        let paths: Vec<Trajectory> = members.iter().map(|&index| self.sequences[index].clone()).collect();
        Ok(Demonstrations::new(&self.mdp, &paths)?)
    }

    /// The product and θ that these sequences teach.
    fn learn(&self, choice: LabyrinthChoice, members: &[usize]) -> Result<(HistoryWorld, Vec<f64>), Error> {
        let demos = self.demonstrations(members)?;
        let windows = Windows::indicators(&self.mdp, &demos, choice.order, choice.shrinkage)?;
        let world = HistoryWorld::new(&self.mdp, &self.features, &windows, &[], &work())?;
        let settings = MaxEnt {
            method: Method::Causal,
            options: options(),
            l2: choice.penalty / members.len() as f64,
            tolerance: TOLERANCE,
            max_iterations: MOST_ITERATIONS,
            ..MaxEnt::default()
        };
        let fit = settings.fit(&world.mdp, &world.features, &world.lift_all(&self.mdp, &demos)?)?;
        Ok((world, fit.theta))
    }

    /// The mean log-likelihood of the actions of these sequences, given their first states.
    fn nats_a_step(&self, world: &HistoryWorld, theta: &[f64], members: &[usize]) -> Result<f64, Error> {
        let demos = self.demonstrations(members)?;
        let lifted = world.lift_all(&self.mdp, &demos)?;
        let objective = CausalObjective::Likelihood;
        let mut likelihood = CausalLikelihood::new(&world.mdp, &world.features, &lifted, &options(), objective)?;
        let found = likelihood.evaluate(theta)?.log_likelihood;
        // Without the first state, which is uniform.
        let steps = self.sequences[members[0]].actions.len() as f64;
        Ok((found + (self.mdp.n_states() as f64).ln()) / steps)
    }

    /// For each node, over all moments at which a step leads there: the logarithm of how often that step is taken, over
    /// how often it would be by a uniform choice among the neighbours. And the share of time.
    fn preferences(&self, world: &HistoryWorld, theta: &[f64], members: &[usize]) -> Result<Vec<[f64; 2]>, Error> {
        let reward = world.features.reward(&world.mdp, theta)?;
        let lifted = world.lift_all(&self.mdp, &self.demonstrations(members)?)?;
        let mut visits = vec![0.0; world.mdp.n_states()];
        for index in 0..lifted.len() {
            let states = lifted.states(index);
            states[..states.len() - 1].iter().for_each(|&state| visits[state as usize] += 1.0);
        }
        let time: f64 = visits.iter().sum();
        let there = world.summed(MarginalKind::State, &visits);
        let mut sums = vec![[0.0; 2]; self.mdp.n_states()];
        for (state, &visits) in visits.iter().enumerate().filter(|row| *row.1 > 0.0) {
            let steps: Vec<(usize, f64)> =
                world.mdp.children(state).map(|step| (world.mdp.to()[step] as usize, reward.of_transition(step))).collect();
            let most = steps.iter().map(|step| step.1).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = steps.iter().map(|step| (step.1 - most).exp()).sum();
            let mut to_place = std::collections::BTreeMap::new();
            let of_steps = steps.iter().filter_map(|&(to, reward)| Some((world.place(to)?, (reward - most).exp() / total)));
            of_steps.for_each(|(place, p)| *to_place.entry(place).or_insert(0.0) += p);
            let uniform = 1.0 / to_place.len() as f64;
            for (place, p) in to_place {
                sums[place][0] += visits * p;
                sums[place][1] += visits * uniform;
            }
        }
        let ratio = |[taken, uniform]: [f64; 2]| if uniform > 0.0 { (taken / uniform).ln() } else { 0.0 };
        Ok(sums.into_iter().zip(there).map(|(sums, visits)| [ratio(sums), visits / time]).collect())
    }
}

/// The held-out log-likelihood of SWIRL's released parameters on this split.
const PUBLISHED: f64 = -0.727;

/// The cross-validation.
struct Study<'a> {
    files: &'a LabyrinthFiles,
    train: &'a [usize],
    threads: Option<usize>,
    done: &'a (dyn Fn(usize, usize) + Sync),
    compared: Vec<(LabyrinthChoice, f64)>,
    /// How many fits are finished.
    fits: usize,
}

impl Study<'_> {
    /// The best of these settings, of which those that are known are not fitted again.
    fn best<const N: usize>(&mut self, choices: [LabyrinthChoice; N]) -> Result<LabyrinthChoice, Error> {
        let is_known = |choice: &LabyrinthChoice| self.compared.iter().any(|row| row.0 == *choice);
        let new: Vec<LabyrinthChoice> = choices.iter().copied().filter(|choice| !is_known(choice)).collect();
        let all = FOLDS * (ORDERS.len() + PENALTIES.len() + SHRINKAGES.len() - 2) + ORDERS.len();
        let finished = std::sync::atomic::AtomicUsize::new(self.fits);
        let step = || (self.done)(finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, all);
        let found = several(FOLDS * new.len(), self.threads, &step, |piece| {
            let (choice, fold) = (new[piece / FOLDS], piece % FOLDS);
            let ranked = || self.train.iter().copied().enumerate();
            let rest: Vec<usize> = ranked().filter(|row| row.0 % FOLDS != fold).map(|row| row.1).collect();
            let held: Vec<usize> = ranked().filter(|row| row.0 % FOLDS == fold).map(|row| row.1).collect();
            let (world, theta) = self.files.learn(choice, &rest)?;
            Ok(self.files.nats_a_step(&world, &theta, &held)? * held.len() as f64)
        })?;
        self.fits += found.len();
        for (choice, folds) in new.into_iter().zip(found.chunks(FOLDS)) {
            self.compared.push((choice, folds.iter().sum::<f64>() / self.train.len() as f64));
        }
        let of =
            |choice: LabyrinthChoice| self.compared.iter().find(|row| row.0 == choice).map_or(f64::NEG_INFINITY, |row| row.1);
        let better = |best: LabyrinthChoice, choice: &LabyrinthChoice| if of(*choice) > of(best) { *choice } else { best };
        Ok(choices.iter().fold(choices[0], better))
    }
}

impl Labyrinth {
    /// The maze, coloured by what mice prefer and by where they are. `None` if it is not the binary maze of 127 nodes.
    pub fn picture(&self) -> Option<Canvas> {
        let column = |of: usize| self.nodes.iter().map(|node| node[of]).collect::<Vec<f64>>();
        maze(&[Draw { title: "sought or avoided", values: &column(0) }, Draw { title: "share of time", values: &column(1) }])
    }

    /// The row of the chosen order.
    pub fn best(&self) -> Option<&LabyrinthRow> {
        let name = format!("history of order {}", self.chosen.order);
        self.rows.iter().find(|row| row.name == name)
    }
}

fn work() -> Work {
    Work { threads: Some(1), ..Work::default() }
}

fn options() -> Options {
    Options { ends: Ends::Horizon, horizon: Some(Horizon::Any), work: work() }
}
