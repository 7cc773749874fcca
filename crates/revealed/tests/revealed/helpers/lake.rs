//! The world that most tests know: slippery ice with holes.

use revealed::worlds::{self, FROZEN_LAKE_4X4, World};

/// FrozenLake of four by four cells, slippery, without a discount.
pub fn lake() -> World {
    worlds::frozen_lake(&FROZEN_LAKE_4X4, true).unwrap()
}
