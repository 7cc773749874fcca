//! Links: stretches of road from one junction to the next.

use super::graph::Network;

impl Network {
    /// The segment that goes on a link, for each segment; `None` where the link ends. A link goes on where one turn is
    /// possible, no other segment leads to where it leads, and it is not the U-turn at a dead end. This is a matter of
    /// roads, so copies of a segment do not count.
    fn going_on(&self) -> Vec<Option<u32>> {
        let mut leading = vec![0_u32; self.n_segments()];
        self.turns().for_each(|(_, to)| leading[to as usize] += 1);
        let goes_on = |from: usize| match self.turns_of(from) {
            &[to] if leading[to as usize] == 1 && !self.is_u_turn(from, to as usize) => Some(to),
            _ => None,
        };
        (0..self.n_segments()).map(goes_on).collect()
    }

    /// Whether each segment is the last of a link. Copies are as the segments that they are copies of.
    pub fn link_ends(&self) -> Vec<bool> {
        if self.copies.is_empty() {
            return self.going_on().iter().map(Option::is_none).collect();
        }
        let of_roads = self.without_copies().going_on();
        (0..self.n_segments()).map(|segment| of_roads[self.original(segment)].is_none()).collect()
    }
}
