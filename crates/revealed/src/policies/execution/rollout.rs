//! Estimates of the expected reward from rollouts.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Execution;
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::Horizon;
use crate::engine::TAIL;
use crate::engine::fixed_point::LONGEST_TAIL;
use crate::engine::inference::check_horizon;
use crate::model::PathDistribution;
use crate::numeric::Scaled;
use crate::numeric::parallel;
use crate::numeric::random::check_number;
use crate::numeric::random::choose;
use crate::numeric::random::draw;
use crate::numeric::random::stream;
use crate::numeric::threads::Threads;
use crate::policies::StationaryPolicy;
use crate::policies::path_policy::fallback;
use crate::questions::sample::{FirstStates, Next, WORTH_SHARING, fill_next};
use crate::world::Mdp;

/// The mean of R(τ) over episodes, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RolloutMean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of one episode, divided by √n.
    pub standard_error: f64,
}

impl Execution<'_> {
    /// Executes the path distribution's own non-stationary policy in `n` seeded episodes: a mean for each reward. The
    /// same seed gives the same numbers, on any number of threads.
    ///
    /// # Errors
    /// As [`of_paths`](Self::of_paths), or if `n` is less than 2 or more than memory holds.
    pub fn roll_out_paths(&self, paths: &mut PathDistribution<'_>, n: usize, seed: u64) -> Result<Vec<RolloutMean>, Error> {
        let mdp = paths.mdp();
        if paths.horizon() == Horizon::Any {
            let policy = paths.stationary_projection()?;
            return self.roll_out_policy(mdp, Horizon::Any, &policy, n, seed);
        }
        let mut episodes = self.episodes(mdp, n, seed)?;
        let fallback = fallback(mdp);
        paths.watch_if_large(n >= WORTH_SHARING, &mut |view| {
            if view.t > 1 {
                parallel::for_each(episodes.iter_mut().filter(|episode| !episode.done), |episode| {
                    fill_next(mdp, &view, episode.state, &mut episode.options);
                    // Drawing a transition of the model also draws an action. The outcome of the action is then drawn
                    // from the MDP.
                    let choice = match choose(&episode.options, &mut episode.rng) {
                        Some(Some(transition)) => mdp.choice_of()[transition] as usize,
                        Some(None) => return episode.done = true,
                        None => draw(mdp.choices(episode.state).map(|choice| (choice, fallback[choice])), &mut episode.rng),
                    };
                    episode.take(mdp, choice, self);
                });
            }
            let on_the_way = episodes.iter_mut().filter(|episode| !episode.done);
            let going_on = on_the_way.map(|episode| episode.pay(mdp, self)).filter(|&goes_on| goes_on).count();
            if going_on > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(means(&episodes, self.rewards.len()))
    }

    /// Executes a stationary policy in `n` seeded episodes of at most `horizon` states: a mean for each reward. The
    /// same seed gives the same numbers, on any number of threads.
    ///
    /// # Errors
    /// As [`of_policy`](Self::of_policy), or if `n` is less than 2 or more than memory holds.
    pub fn roll_out_policy(
        &self,
        mdp: &Mdp,
        horizon: impl Into<Horizon>,
        policy: &StationaryPolicy,
        n: usize,
        seed: u64,
    ) -> Result<Vec<RolloutMean>, Error> {
        let horizon = horizon.into();
        check_horizon(horizon)?;
        policy.check(mdp)?;
        let (longest, is_too_long) = (horizon.longest(), AtomicBool::new(false));
        let mut episodes = self.episodes(mdp, n, seed)?;
        Threads::default().run_if(n >= WORTH_SHARING, || {
            parallel::for_each(&mut episodes, |episode| {
                for t in 1..=longest {
                    let goes_on = episode.pay(mdp, self) && t < longest;
                    if t % 1024 == 0 && Cancel::check().is_err() {
                        return;
                    }
                    if !goes_on || episode.rng.random::<f64>() < policy.stop[episode.state] {
                        break;
                    }
                    if horizon == Horizon::Any && t >= LONGEST_TAIL {
                        return is_too_long.store(true, Ordering::Relaxed);
                    }
                    let choices = mdp.choices(episode.state).map(|choice| (choice, policy.policy.probability(choice)));
                    let choice = draw(choices, &mut episode.rng);
                    episode.take(mdp, choice, self);
                }
            })
        });
        Cancel::check()?;
        if is_too_long.into_inner() {
            return Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL });
        }
        Ok(means(&episodes, self.rewards.len()))
    }

    /// Episodes at their first states.
    fn episodes(&self, mdp: &Mdp, n: usize, seed: u64) -> Result<Vec<Episode>, Error> {
        self.check(mdp)?;
        check_number(n)?;
        if n < 2 {
            return Err(Error::Count { what: "the number of rollouts", value: n, least: 2, most: usize::MAX });
        }
        let first = FirstStates::new(&self.start, |&(_, p)| Scaled::from(p));
        let begin = |index| {
            let mut rng = Pcg64Mcg::seed_from_u64(stream(seed, index));
            let state = first.draw(&mut rng);
            Episode { state, rng, power: 1.0, values: vec![0.0; self.rewards.len()], done: false, options: Vec::new() }
        };
        Ok((0..n as u64).map(begin).collect())
    }
}

/// An episode in progress. Each has its own random numbers, so that none depends on the others.
struct Episode {
    state: usize,
    rng: Pcg64Mcg,
    /// γ^{t-1}.
    power: f64,
    /// The sum of each reward so far.
    values: Vec<f64>,
    done: bool,
    options: Vec<Next>,
}

impl Episode {
    /// Adds the reward of the current state. Returns whether the episode may continue, that is whether the state is not
    /// terminal.
    fn pay(&mut self, mdp: &Mdp, execution: &Execution<'_>) -> bool {
        for (value, reward) in self.values.iter_mut().zip(&execution.rewards) {
            *value += self.power * reward.state[self.state];
        }
        self.done = mdp.is_terminal(self.state);
        !self.done
    }

    /// Takes an action and draws its outcome.
    fn take(&mut self, mdp: &Mdp, choice: usize, execution: &Execution<'_>) {
        let outcomes = mdp.outcomes(choice).map(|transition| (transition, mdp.probability()[transition]));
        let transition = draw(outcomes, &mut self.rng);
        for (value, reward) in self.values.iter_mut().zip(&execution.rewards) {
            *value += self.power * reward.of_transition(transition);
        }
        self.power *= execution.discount;
        self.state = mdp.to()[transition] as usize;
    }
}

/// The mean and standard error of each reward, summed in the order of the episodes.
fn means(episodes: &[Episode], n_rewards: usize) -> Vec<RolloutMean> {
    let n = episodes.len() as f64;
    let of_reward = |index: usize| {
        let mean = episodes.iter().map(|episode| episode.values[index]).sum::<f64>() / n;
        let squares: f64 = episodes.iter().map(|episode| (episode.values[index] - mean).powi(2)).sum();
        RolloutMean { mean, standard_error: (squares / (n - 1.0) / n).sqrt() }
    };
    (0..n_rewards).map(of_reward).collect()
}
