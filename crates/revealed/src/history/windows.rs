//! Features of windows: the last states of a path, and the step that follows.

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::world::{Demonstrations, Features, Mdp};

/// The most states of a window.
const MOST_STATES: usize = 100;

/// A value that a feature has on a step, if the path came to it through these states.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// The last states of the path. The last of them is the state where the step begins.
    pub states: Vec<usize>,
    /// The action of the step; any if `None`.
    pub action: Option<usize>,
    /// The state to which the step leads; any if `None`.
    pub to: Option<usize>,
    /// The feature, among those of windows.
    pub feature: usize,
    /// Its value. Several values of a feature on one step are added.
    pub value: f64,
}

/// Features of the last k states and the next step. They are added to the features of a world by
/// [`HistoryWorld`](crate::HistoryWorld).
#[derive(Debug, Clone, PartialEq)]
pub struct Windows {
    order: usize,
    n_features: usize,
    names: Vec<String>,
    windows: Vec<Window>,
}

impl Windows {
    /// The features of a table of windows of at most `order` states. `names` has a name for each feature, or is empty.
    ///
    /// # Errors
    /// If a window cannot occur in this world, a feature does not exist, or a value is not finite.
    pub fn new(mdp: &Mdp, order: usize, n_features: usize, names: Vec<String>, windows: Vec<Window>) -> Result<Windows, Error> {
        check_order(order)?;
        if n_features == 0 {
            return Err(Error::Count { what: "the number of features of windows", value: 0, least: 1, most: usize::MAX });
        }
        if !names.is_empty() && names.len() != n_features {
            return Err(Error::Length { what: "the names of windows", found: names.len(), expected: n_features });
        }
        let checked = Windows { order, n_features, names, windows };
        checked.windows.iter().enumerate().try_for_each(|(row, window)| checked.check(mdp, row, window))?;
        Ok(checked)
    }

    /// An indicator of each step after each window of 1, 2, …, `order` states that occurs in the demonstrations and is
    /// followed by a step there. Windows that do not occur have no feature: after them, a path is in the longest window
    /// that does.
    ///
    /// The value of an indicator of a window of j states is `shrinkage` to the power of -(j - 1) / 2. So an L2 penalty
    /// is `shrinkage` times as strong for windows that are one state longer, and long windows are pulled towards what
    /// short ones say. Without a penalty it changes nothing but the scale of θ.
    ///
    /// ```
    /// use revealed::{Demonstrations, MdpBuilder, Trajectory, Windows};
    ///
    /// // Back and forth between 0 and 1, or on to 2.
    /// let mut builder = MdpBuilder::new(3, 2);
    /// builder.start(0, 1.0).terminal(2).transition(0, 0, 1, 1.0).transition(1, 0, 0, 1.0).transition(1, 1, 2, 1.0);
    /// let mdp = builder.build()?;
    /// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1, 0, 1, 2], vec![0, 0, 0, 1])])?;
    /// let windows = Windows::indicators(&mdp, &demos, 2, 4.0)?;
    /// // One state: 0, and 1 with two actions. Two states: 0 after 1, and 1 after 0 with two actions.
    /// assert_eq!(windows.names(), ["0:0", "1:0", "1:1", "0,1:0", "0,1:1", "1,0:0"]);
    /// assert_eq!(windows.windows()[3].value, 0.5);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `order` is 0, or `shrinkage` is not a number of at least 1.
    pub fn indicators(mdp: &Mdp, demos: &Demonstrations, order: usize, shrinkage: f64) -> Result<Windows, Error> {
        check_order(order)?;
        if !(shrinkage.is_finite() && shrinkage >= 1.0) {
            return Err(Error::Setting { what: "the shrinkage of windows", value: shrinkage, expected: "a number, 1 or more" });
        }
        let mut by_length: Vec<BTreeSet<&[u32]>> = vec![BTreeSet::new(); order];
        for index in 0..demos.len() {
            let states = demos.states(index);
            for last in 0..states.len() - 1 {
                for (before, known) in by_length.iter_mut().enumerate().take(last + 1) {
                    known.insert(&states[last - before..=last]);
                }
            }
        }
        let (mut names, mut windows) = (Vec::new(), Vec::new());
        for (before, known) in by_length.iter().enumerate() {
            let value = shrinkage.powf(-0.5 * before as f64);
            for states in known {
                let states: Vec<usize> = states.iter().map(|&state| state as usize).collect();
                for choice in mdp.choices(states[before]) {
                    let action = mdp.action_of(choice);
                    let through: Vec<String> = states.iter().map(usize::to_string).collect();
                    let feature = names.len();
                    names.push(format!("{}:{action}", through.join(",")));
                    windows.push(Window { states: states.clone(), action: Some(action), to: None, feature, value });
                }
            }
        }
        if windows.is_empty() {
            return Err(Error::NoWindows);
        }
        Ok(Windows { order, n_features: names.len(), names, windows })
    }

    /// The features of a function of the last `order` states and the action. It is asked about every window of at most
    /// `order` states that can occur, shorter ones at the beginning of a path, and returns (feature, value). Windows
    /// that do not tell more than the shorter one at their end are left out.
    ///
    /// # Errors
    /// If there are more than `most` windows ([`Error::ManyWindows`]), as [`new`](Self::new), and every error of `of`.
    pub fn of_function<E: From<Error>>(
        mdp: &Mdp,
        order: usize,
        names: (usize, Vec<String>),
        most: usize,
        mut of: impl FnMut(&[usize], usize) -> Result<Vec<(usize, f64)>, E>,
    ) -> Result<Windows, E> {
        check_order(order)?;
        let mut windows = Vec::new();
        let mut known: BTreeMap<(Vec<usize>, usize), BTreeMap<usize, f64>> = BTreeMap::new();
        for states in possible(mdp, order, most)? {
            for choice in mdp.choices(states[states.len() - 1]) {
                let action = mdp.action_of(choice);
                let mut says: BTreeMap<usize, f64> = BTreeMap::new();
                of(&states, action)?.into_iter().for_each(|(feature, value)| *says.entry(feature).or_default() += value);
                let shorter = known.get(&(states[1..].to_vec(), action)).cloned().unwrap_or_default();
                let features: BTreeSet<usize> = says.keys().chain(shorter.keys()).copied().collect();
                for feature in features {
                    let [here, there] = [&says, &shorter].map(|values| values.get(&feature).copied().unwrap_or(0.0));
                    if here != there {
                        let value = here - there;
                        windows.push(Window { states: states.clone(), action: Some(action), to: None, feature, value });
                    }
                }
                known.insert((states.clone(), action), says);
            }
        }
        Ok(Windows::new(mdp, order, names.0, names.1, windows)?)
    }

    /// The most states of a window.
    pub fn order(&self) -> usize {
        self.order
    }

    /// How many features they have.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The names of the features; empty if they have none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// The names of all features: those of the world, and those of the windows.
    pub(super) fn all_names(&self, features: &Features) -> Vec<String> {
        let of_world = (0..features.n_features()).map(|k| features.name(k));
        let own = |k: usize| self.names.get(k).cloned().unwrap_or_else(|| format!("window feature {k}"));
        of_world.chain((0..self.n_features).map(own)).collect()
    }

    fn check(&self, mdp: &Mdp, row: usize, window: &Window) -> Result<(), Error> {
        let fault = |what: String| Err(Error::Window { row, what });
        let Window { states, action, to, feature, value } = window;
        let Some(&last) = states.last() else { return fault("it has no states: give at least one".to_string()) };
        if states.len() > self.order {
            return fault(format!("it has {} states, and the history has {}: raise the order", states.len(), self.order));
        }
        if let Some(state) = states.iter().chain(to).find(|&&state| state >= mdp.n_states()) {
            return fault(format!("there is no state {state}: there are {} (from 0)", mdp.n_states()));
        }
        let leads = |from: usize, to: usize| mdp.children(from).any(|step| mdp.to()[step] as usize == to);
        if let Some(pair) = states.windows(2).find(|pair| !leads(pair[0], pair[1])) {
            return fault(format!("no step leads from state {} to state {}: it cannot occur", pair[0], pair[1]));
        }
        if mdp.is_terminal(last) {
            return fault(format!("state {last} is terminal: no step follows it"));
        }
        if let Some(action) = action
            && mdp.choice(last, *action).is_none()
        {
            return fault(format!("state {last} does not offer action {action}"));
        }
        if let Some(to) = to
            && !mdp.children(last).any(|step| {
                let of = mdp.action_of(mdp.choice_of()[step] as usize);
                mdp.to()[step] as usize == *to && action.is_none_or(|action| action == of)
            })
        {
            return fault(format!("no such step leads from state {last} to state {to}: it cannot occur"));
        }
        if *feature >= self.n_features {
            return fault(format!("there is no feature {feature}: there are {} (from 0)", self.n_features));
        }
        if !value.is_finite() {
            return fault(format!("its value is {value}: it must be a finite number"));
        }
        Ok(())
    }
}

/// All windows of 1, …, `order` states that can occur, the shorter ones first.
fn possible(mdp: &Mdp, order: usize, most: usize) -> Result<Vec<Vec<usize>>, Error> {
    let goes_on = |&state: &usize| !mdp.is_terminal(state);
    let mut all: Vec<Vec<usize>> = (0..mdp.n_states()).filter(goes_on).map(|state| vec![state]).collect();
    let mut begin = 0;
    for length in 2..=order {
        let end = all.len();
        for place in begin..end {
            let last = all[place][length - 2];
            let next: BTreeSet<usize> = mdp.children(last).map(|step| mdp.to()[step] as usize).filter(goes_on).collect();
            for state in next {
                let longer = all[place].iter().copied().chain([state]).collect();
                all.push(longer);
                if all.len() > most {
                    return Err(Error::ManyWindows { order, length, most });
                }
            }
        }
        begin = end;
    }
    Ok(all)
}

fn check_order(order: usize) -> Result<(), Error> {
    match order {
        1..=MOST_STATES => Ok(()),
        value => Err(Error::Count { what: "the order of the history", value, least: 1, most: MOST_STATES }),
    }
}
