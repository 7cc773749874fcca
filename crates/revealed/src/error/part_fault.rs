//! What the error of one part of the evidence means for a search.

use super::Error;

/// What the error of one part of the evidence means for a search for θ. Parts may be in other processes, where only this
/// and the message are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFault {
    /// Sums over paths of any length are not finite at this θ.
    Unbounded,
    /// Numbers leave the range of f64, or lose their digits: θ is too large.
    Range,
    /// Anything else: the input is wrong.
    Other,
}

impl PartFault {
    /// The kinds.
    pub const ALL: [PartFault; 3] = [PartFault::Unbounded, PartFault::Range, PartFault::Other];

    /// The name in messages between processes.
    pub fn name(self) -> &'static str {
        match self {
            PartFault::Unbounded => "unbounded",
            PartFault::Range => "range",
            PartFault::Other => "other",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<PartFault> {
        PartFault::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Of an error.
    pub fn of(error: &Error) -> PartFault {
        match error {
            Error::InPart { kind, .. } => *kind,
            Error::Diverges { .. } | Error::NoValue { .. } => PartFault::Unbounded,
            Error::RewardTooLarge { .. } | Error::NotFinite { .. } | Error::Overflow { .. } => PartFault::Range,
            Error::NoSum { .. } | Error::NoDraw { .. } | Error::DigitsLost { .. } => PartFault::Range,
            Error::FeaturesCancel { .. } | Error::ImpossibleAnswer { .. } => PartFault::Range,
            _ => PartFault::Other,
        }
    }
}

impl Error {
    /// The same error of one world among several. Work that was stopped is no error of a world.
    pub fn in_part(self, world: usize) -> Error {
        match self {
            Error::Stopped | Error::InPart { .. } | Error::OtherFeatures { .. } | Error::NoAnswer { .. } => self,
            error => Error::InPart { world, kind: PartFault::of(&error), message: error.to_string() },
        }
    }
}
