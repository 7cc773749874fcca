//! What a marginal distribution is a distribution over.

/// What a marginal distribution is a distribution over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarginalKind {
    /// p_t(s): where paths are (eq:s-marginals).
    #[default]
    State,
    /// p_t(s, a): what they do there, if they do not end (eq:sa-marginals).
    StateAction,
    /// p_t(s, a, s'): and where that leads (eq:sas-marginals).
    Transition,
}

impl MarginalKind {
    /// All kinds, from the coarsest to the finest.
    pub const ALL: [MarginalKind; 3] = [MarginalKind::State, MarginalKind::StateAction, MarginalKind::Transition];

    /// The name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            MarginalKind::State => "state",
            MarginalKind::StateAction => "state-action",
            MarginalKind::Transition => "transition",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<MarginalKind> {
        MarginalKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
