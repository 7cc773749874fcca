//! Which paths the model is a distribution over.

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
    /// All path sets, in the order of the documentation.
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

    /// The path set with this name.
    pub fn from_name(name: &str) -> Option<Ends> {
        Ends::ALL.into_iter().find(|ends| ends.name() == name)
    }
}
