//! Where a path may end: the paper's padding trick without the padding.
//!
//! The auxiliary state s_a of the padding trick has the backward message 1 for ever, so reaching it is the
//! same as adding a constant `stop_t(s)` to the message of s (eq:beta-recurrence-padded). Nothing needs to be
//! materialised, and other path sets than the paper's come for free.

/// Which paths the model is a distribution over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ends {
    /// Every length 1..L, ending in any state: the paper's path set.
    #[default]
    Anywhere,
    /// Exactly L states, or fewer if a terminal state ends the path.
    Horizon,
    /// Paths that end in a terminal state within L.
    Terminal,
    /// For each demonstration, the paths from its own first state to its own last state, within L.
    Goal,
}

impl Ends {
    /// All four, in the order of the documentation.
    pub const ALL: [Ends; 4] = [Ends::Anywhere, Ends::Horizon, Ends::Terminal, Ends::Goal];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Ends::Anywhere => "anywhere",
            Ends::Horizon => "horizon",
            Ends::Terminal => "terminal",
            Ends::Goal => "goal",
        }
    }

    /// The path set of this name.
    pub fn from_name(name: &str) -> Option<Ends> {
        Ends::ALL.into_iter().find(|ends| ends.name() == name)
    }
}

/// `stop_t(s)`: where the paths of one distribution may end. Like [`Ends`], with the goal named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// In any state.
    Anywhere,
    /// In any state at t = L, and in terminal states.
    Horizon,
    /// In terminal states.
    Terminal,
    /// In this state.
    At(usize),
    /// In this state, at t = L.
    AtHorizon(usize),
}

impl Stop {
    /// Whether a path of l = `length` states may end in `state`, given the horizon L.
    pub fn allows(self, is_terminal: bool, state: usize, length: usize, horizon: usize) -> bool {
        match self {
            Stop::Anywhere => true,
            Stop::Horizon => is_terminal || length == horizon,
            Stop::Terminal => is_terminal,
            Stop::At(goal) => state == goal,
            Stop::AtHorizon(goal) => state == goal && length == horizon,
        }
    }
    /// The one state where paths end, if there is only one.
    pub fn goal(self) -> Option<usize> {
        match self {
            Stop::At(goal) | Stop::AtHorizon(goal) => Some(goal),
            Stop::Anywhere | Stop::Horizon | Stop::Terminal => None,
        }
    }
}
