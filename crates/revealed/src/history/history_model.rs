//! A model with a history, which is asked about the states of the world.

mod answers;

use std::borrow::Cow;

use super::{HistoryWorld, Windows};
use crate::Error;
use crate::engine::Horizon;
use crate::model::{Chance, Ends, Given, PathModel};
use crate::numeric::Work;
use crate::world::{Features, Mdp, Reward};

/// The model of a reward that depends on histories. Its questions are those of [`PathModel`], and states are those of
/// the world: in what is given, and in every answer.
///
/// ```
/// use revealed::{Chance, Ends, Given, HistoryModel, MdpBuilder, FeaturesBuilder, PathQuery, Window, Windows, Work};
///
/// // A circle of four states, on which the first feature pays for going on as before.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0);
/// for s in 0..4 {
///     builder.transition(s, 0, (s + 1) % 4, 1.0).transition(s, 1, (s + 3) % 4, 1.0);
/// }
/// let mdp = builder.build()?;
/// let features = FeaturesBuilder::new(1).build(&mdp)?;
/// let on = |s: usize, action: usize, before: usize| Window { states: vec![before, s], action: Some(action), to: None, feature: 0, value: 1.0 };
/// let windows = (0..4).flat_map(|s| [on(s, 0, (s + 3) % 4), on(s, 1, (s + 1) % 4)]).collect();
/// let windows = Windows::new(&mdp, 2, 1, vec!["on".to_string()], windows)?;
/// let model = HistoryModel::new((&mdp, &features), &windows, &[0.0, 2.0], (5.into(), Ends::Horizon, Chance::Tilted), &Work::default())?;
/// let found = model.best_paths(&PathQuery::new(vec![(0, 1.0)], None))?;
/// assert_eq!(found.paths[0].path.states[2], 2);
/// let visits = model.visits(&Given::default(), revealed::MarginalKind::State, Some(3), &Work::default())?;
/// assert!(visits[2] > 0.8);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct HistoryModel<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    windows: Windows,
    theta: Vec<f64>,
    /// The same paths without a reward: what is given is checked against it, so that errors name states of the world.
    plain: PathModel<'a>,
    /// For paths with any end, or for models of paths to a goal with an exit from every state.
    usual: Made,
    /// The memory budget, in bytes.
    work: Work,
}

/// A product with its reward.
#[derive(Debug, Clone)]
struct Made {
    world: HistoryWorld,
    reward: Reward,
}

/// The product that a question is asked in, and the last state there.
struct Asked<'m> {
    made: Cow<'m, Made>,
    to: Option<usize>,
}

impl<'a> HistoryModel<'a> {
    /// The model of θ: the weights of the features of the world, followed by those of the windows.
    ///
    /// # Errors
    /// If θ or the path set do not fit, and as [`HistoryWorld::new`].
    pub fn new(
        (mdp, features): (&'a Mdp, &'a Features),
        windows: &Windows,
        theta: &[f64],
        (horizon, ends, chance): (Horizon, Ends, Chance),
        work: &Work,
    ) -> Result<HistoryModel<'a>, Error> {
        let nothing = Reward::of_states(vec![0.0; mdp.n_states()]);
        let plain = match chance {
            Chance::Tilted => PathModel::new(mdp, nothing, horizon, ends)?,
            Chance::Fixed => PathModel::causal(mdp, nothing, horizon, ends)?,
        };
        let exits: Vec<usize> = if ends == Ends::Goal { (0..mdp.n_states()).collect() } else { Vec::new() };
        let usual = Made::new((mdp, features), windows, theta, &exits, work)?;
        Ok(HistoryModel { mdp, features, windows: windows.clone(), theta: theta.to_vec(), plain, usual, work: *work })
    }

    /// The world, without histories.
    pub fn mdp(&self) -> &'a Mdp {
        self.mdp
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        self.plain.horizon()
    }

    /// Where paths end.
    pub fn ends(&self) -> Ends {
        self.plain.ends()
    }

    /// Who decides the outcomes of actions.
    pub fn chance(&self) -> Chance {
        self.plain.chance()
    }

    /// Checks that a prefix can happen.
    ///
    /// # Errors
    /// As [`PathModel::check_prefix`].
    pub fn check_prefix(&self, prefix: &crate::world::Trajectory) -> Result<(), Error> {
        self.plain.check_prefix(prefix).map(|_| ())
    }

    /// The windows.
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// The model of the product.
    fn path_model<'m>(&self, made: &'m Made) -> Result<PathModel<'m>, Error> {
        let horizon = match self.horizon() {
            Horizon::AtMost(states) if made.world.has_exits() => Horizon::AtMost(states.saturating_add(1)),
            horizon => horizon,
        };
        let (mdp, reward) = (&made.world.mdp, made.reward.clone());
        match self.chance() {
            Chance::Tilted => PathModel::new(mdp, reward, horizon, self.ends()),
            Chance::Fixed => PathModel::causal(mdp, reward, horizon, self.ends()),
        }
    }

    /// The product for paths to `to`.
    fn asked(&self, to: Option<usize>) -> Result<Asked<'_>, Error> {
        self.plain.stop(to)?;
        let Some(state) = to else { return Ok(Asked { made: Cow::Borrowed(&self.usual), to: None }) };
        if self.ends() == Ends::Goal {
            return Ok(Asked { to: self.usual.world.exit(state), made: Cow::Borrowed(&self.usual) });
        }
        if self.mdp.is_terminal(state) {
            return Ok(Asked { made: Cow::Borrowed(&self.usual), to });
        }
        let made = self.with_exits(&[state])?;
        Ok(Asked { to: made.world.exit(state), made: Cow::Owned(made) })
    }

    /// A product with exits from these states, for a model of paths with any end.
    fn with_exits(&self, last: &[usize]) -> Result<Made, Error> {
        if self.chance() == Chance::Fixed {
            let what = "the last state of an episode of a causal model, unless it is terminal or a goal; set ends to goal";
            return Err(Error::HistoryCannot { what });
        }
        if self.ends() == Ends::Horizon {
            let what = "paths of a given length to a state that is not terminal; set ends to anywhere or goal";
            return Err(Error::HistoryCannot { what });
        }
        Made::new((self.mdp, self.features), &self.windows, &self.theta, last, &self.work)
    }

    /// What is known of a path, in the product.
    fn lifted(&self, given: &Given, asked: &Asked<'_>) -> Result<Given, Error> {
        if let Some(prefix) = &given.prefix {
            self.plain.check_prefix(prefix)?;
        }
        let prefix = given.prefix.as_ref().map(|prefix| asked.made.world.lift(prefix));
        let n_states = self.mdp.n_states();
        if let Some(&(state, _)) = given.start.iter().flatten().find(|&&(state, _)| state >= n_states) {
            self.plain.check_state("the first states", state)?;
        }
        Ok(Given { start: given.start.clone(), prefix, to: asked.to })
    }

    /// Names the states of the world in an error.
    fn named<T>(&self, given: &Given, found: Result<T, Error>) -> Result<T, Error> {
        found.map_err(|error| match error {
            Error::NoPath { .. } => given.no_path(&self.plain),
            error => error,
        })
    }
}

impl Made {
    fn new(
        (mdp, features): (&Mdp, &Features),
        windows: &Windows,
        theta: &[f64],
        exits: &[usize],
        work: &Work,
    ) -> Result<Made, Error> {
        let world = HistoryWorld::new(mdp, features, windows, exits, work)?;
        let reward = world.features.reward(&world.mdp, theta)?;
        Ok(Made { world, reward })
    }
}
