//! Who decides the outcomes of actions.

/// Who decides the outcomes of actions, and so which of the two families of models is meant.
///
/// ```
/// use revealed::Chance;
///
/// assert_eq!(Chance::from_name("fixed"), Some(Chance::Fixed));
/// assert_eq!(Chance::default().name(), "tilted");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Chance {
    /// The path model of the paper: p(τ) ∝ q(τ) e^{R(τ)}. The reward also makes lucky outcomes likelier.
    #[default]
    Tilted,
    /// The causal model: the agent chooses its actions, and outcomes keep their probabilities T(s'|s,a).
    Fixed,
}

impl Chance {
    /// Both, in the order of the documentation.
    pub const ALL: [Chance; 2] = [Chance::Tilted, Chance::Fixed];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Chance::Tilted => "tilted",
            Chance::Fixed => "fixed",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Chance> {
        Chance::ALL.into_iter().find(|chance| chance.name() == name)
    }
}
