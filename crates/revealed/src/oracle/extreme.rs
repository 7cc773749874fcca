//! Small random worlds with rewards of any size, and every kind of model.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::RandomProblem;
use super::random::{MOST_PATHS, n_paths};
use crate::Error;
use crate::engine::{Horizon, Stop};
use crate::model::{Chance, Ends, PathModel};
use crate::world::{Demonstrations, Features, FeaturesBuilder, Mdp, Reward};

/// What each state of a world without a horizon costs at least. A loop has a weight below e^-25, so that enumeration up
/// to a few states is exact to ten digits.
const COST_OF_A_STATE: f64 = 25.0;
/// The sizes of rewards, as powers of ten: as many worlds between each two.
const SIZES: [f64; 8] = [-300.0, -5.0, 0.0, 3.0, 6.0, 12.0, 18.0, 300.0];

/// A [`RandomProblem`] with a model of any kind and with rewards of any size.
#[derive(Debug, Clone)]
pub struct ExtremeWorld {
    /// 1 to 5 states.
    pub mdp: Mdp,
    /// Those of the random problem; without a horizon, with a cost of every state.
    pub features: Features,
    /// The weights.
    pub theta: Vec<f64>,
    /// Demonstrations that belong to the path set.
    pub demonstrations: Demonstrations,
    /// How far paths are enumerated: L, or a length that longer paths do not reach.
    pub longest: usize,
    /// The horizon of the model.
    pub horizon: Horizon,
    /// Where paths end.
    pub ends: Ends,
    /// Who decides the outcomes of actions.
    pub chance: Chance,
    /// log10 of the largest weight that was drawn.
    pub size: f64,
}

impl ExtremeWorld {
    /// The world of this seed. The kinds of models and the bands of sizes cycle.
    pub fn new(seed: u64) -> ExtremeWorld {
        let problem = RandomProblem::new(seed);
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 0x5eed);
        let band = (seed / 3 % 7) as usize;
        let size = rng.random_range(SIZES[band]..SIZES[band + 1]);
        // Some worlds have weights of one size, others have many sizes.
        let one_size = rng.random_bool(0.5);
        let mut scale = |theta: &f64| {
            let power = if one_size { size } else { rng.random_range(SIZES[0].max(size - 20.0)..=size) };
            theta * 10f64.powf(power)
        };
        let theta: Vec<f64> = problem.theta.iter().map(&mut scale).collect();
        let chance = if rng.random_bool(0.4) { Chance::Fixed } else { Chance::Tilted };
        let RandomProblem { mdp, features, demonstrations, horizon, ends, .. } = problem;
        let bounded = ExtremeWorld {
            mdp,
            features,
            theta,
            demonstrations,
            longest: horizon,
            horizon: Horizon::AtMost(horizon),
            ends,
            chance,
            size,
        };
        let any_length = rng.random_bool(0.3) && ends != Ends::Horizon && bounded.mdp.discount() == 1.0;
        if any_length { bounded.without_horizon() } else { bounded }
    }

    /// The same world for paths of any length, if they can be enumerated. All rewards become costs, so that the sums are
    /// finite.
    fn without_horizon(self) -> ExtremeWorld {
        // Long enough for a path through all states and one loop.
        let longest = (self.longest + 2).max(self.mdp.n_states() + 2);
        if n_paths(&self.mdp, self.mdp.start(), longest, Stop::Anywhere) > MOST_PATHS {
            return self;
        }
        let n = self.features.n_features();
        let mut builder = FeaturesBuilder::new(n + 1);
        let [states, choices, transitions] = self.features.blocks();
        for state in 0..self.mdp.n_states() {
            builder.state(state, n, 1.0);
            states.row(state).for_each(|(feature, value)| {
                builder.state(state, feature, value.abs());
            });
        }
        for choice in 0..self.mdp.n_choices() {
            let (state, action) = (self.mdp.state_of(choice), self.mdp.action_of(choice));
            choices.row(choice).for_each(|(feature, value)| {
                builder.state_action(state, action, feature, value.abs());
            });
        }
        for row in 0..self.mdp.n_rows() {
            let Some(transition) = self.mdp.transition_of_row(row) else { continue };
            transitions.row(transition).for_each(|(feature, value)| {
                builder.transition(row, feature, value.abs());
            });
        }
        let mut theta: Vec<f64> = self.theta.iter().map(|theta| -theta.abs()).collect();
        theta.push(-COST_OF_A_STATE);
        let features = builder.build(&self.mdp).expect("the features of a valid problem");
        ExtremeWorld { features, theta, longest, horizon: Horizon::Any, ..self }
    }

    /// R = θᵀφ.
    ///
    /// # Errors
    /// If it does not fit into an `f64`, or its digits are lost.
    pub fn reward(&self) -> Result<Reward, Error> {
        self.features.reward(&self.mdp, &self.theta)
    }

    /// The model.
    ///
    /// # Errors
    /// If rewards are too large.
    pub fn model(&self) -> Result<PathModel<'_>, Error> {
        match self.chance {
            Chance::Tilted => PathModel::new(&self.mdp, self.reward()?, self.horizon, self.ends),
            Chance::Fixed => PathModel::causal(&self.mdp, self.reward()?, self.horizon, self.ends),
        }
    }

    /// The largest absolute reward.
    pub fn largest_reward(&self) -> f64 {
        let largest =
            |reward: Reward| reward.state.iter().chain(&reward.transition).fold(0.0, |most: f64, r| most.max(r.abs()));
        self.reward().map_or(f64::INFINITY, largest)
    }
}
