//! A world and what was seen in it.

use crate::world::{Demonstrations, Features, Mdp, PartialDemonstrations};

/// A world, its features, and the demonstrations in it. One reward may be learned from the evidence of many worlds:
/// see [`MaxEnt::fit_worlds`](crate::MaxEnt::fit_worlds).
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The world.
    pub mdp: &'a Mdp,
    /// Its features. Their names are the same in all worlds.
    pub features: &'a Features,
    /// The demonstrations in it.
    pub demos: &'a Demonstrations,
}

/// The same with demonstrations that were seen in part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartialEvidence<'a> {
    pub mdp: &'a Mdp,
    pub features: &'a Features,
    pub demos: &'a PartialDemonstrations,
}
