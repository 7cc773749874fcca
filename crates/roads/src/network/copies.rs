//! Copies of segments: the same piece of road for those who came from a certain road.

use std::ops::Range;

use super::graph::Network;
use super::parts::Segment;

impl Network {
    /// Adds copies of these segments, without turns.
    pub(super) fn add_copies(&mut self, originals: Vec<u32>) {
        let copies: Vec<Segment> = originals.iter().map(|&original| self.segments[original as usize].clone()).collect();
        self.segments.extend(copies);
        self.copies = originals;
    }

    /// Keeps some of the copies, and turns that led to a segment lead to the one that is the same.
    pub(super) fn keep_copies(&mut self, kept: &[bool], same: &[u32]) {
        let n = self.n_originals();
        let order: Vec<usize> = (n..self.segments.len()).filter(|&copy| kept[copy]).collect();
        let mut number: Vec<u32> = (0..self.segments.len() as u32).collect();
        order.iter().zip(n as u32..).for_each(|(&copy, place)| number[copy] = place);
        let copies = order.iter().map(|&copy| self.original(copy) as u32).collect();
        let turns = self.turns().filter(|turn| kept[turn.0 as usize]);
        let turns = turns.map(|(from, to)| (number[from as usize], number[same[to as usize] as usize]));
        let mut sorted: Vec<(u32, u32)> = turns.collect();
        sorted.sort_unstable();
        self.segments.truncate(n);
        self.add_copies(copies);
        self.set_turns(&sorted);
    }

    /// The same with its last segments as copies of these, for files.
    ///
    /// # Errors
    /// If the copies are not sorted, or one is not the same piece of road as its original.
    pub(crate) fn with_copies(mut self, originals: Vec<u32>) -> Result<Network, String> {
        let n = self.segments.len().checked_sub(originals.len()).ok_or("there are more copies than segments")?;
        let same = |(copy, &original): (&Segment, &u32)| (original as usize) < n && *copy == self.segments[original as usize];
        if !originals.is_sorted() || !self.segments[n..].iter().zip(&originals).all(same) {
            return Err("its copies are not those of other segments, in their order".to_string());
        }
        self.copies = originals;
        Ok(self)
    }

    /// The network without copies: turns lead to the segments that they are copies of. It has the turns of all copies.
    pub(crate) fn without_copies(&self) -> Network {
        let number = |segment: u32| self.original(segment as usize) as u32;
        let turns = self.turns().map(|(from, to)| (number(from), number(to))).collect();
        let segments = self.segments[..self.n_originals()].to_vec();
        let mut made = Network::from_parts(self.nodes.clone(), self.ways.clone(), segments, turns);
        (made.counts, made.source, made.profile) = (self.counts, self.source, self.profile);
        made
    }

    /// The number of segments that are not copies.
    pub fn n_originals(&self) -> usize {
        self.segments.len() - self.copies.len()
    }

    /// The segment that a segment is a copy of; itself if it is none.
    pub fn original(&self, segment: usize) -> usize {
        let copy = segment.checked_sub(self.n_originals()).and_then(|copy| self.copies.get(copy));
        copy.map_or(segment, |&original| original as usize)
    }

    /// The copies of a segment that is none.
    pub fn copies_of(&self, original: usize) -> Range<usize> {
        let (n, original) = (self.n_originals(), original as u32);
        n + self.copies.partition_point(|&one| one < original)..n + self.copies.partition_point(|&one| one <= original)
    }

    /// The originals of the copies, for files.
    pub(crate) fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// Whether a segment has copies or is one.
    pub fn is_split(&self, segment: usize) -> bool {
        !self.copies.is_empty() && !self.copies_of(self.original(segment)).is_empty()
    }

    /// The route through the same pieces of road that begins with no past: each segment, or the copy of it that follows.
    ///
    /// # Errors
    /// If no turn connects two consecutive segments: the index of the first of them.
    pub fn route(&self, segments: &[u32]) -> Result<Vec<u32>, usize> {
        let mut route: Vec<u32> = Vec::with_capacity(segments.len());
        for (place, &segment) in segments.iter().enumerate() {
            let original = self.original(segment as usize) as u32;
            let Some(&before) = route.last() else {
                route.push(original);
                continue;
            };
            let turns = self.turns_of(before as usize);
            let found = match turns.binary_search(&original) {
                Ok(place) => Some(turns[place]),
                Err(_) => turns.iter().copied().find(|&to| self.original(to as usize) as u32 == original),
            };
            route.push(found.ok_or(place - 1)?);
        }
        Ok(route)
    }
}
