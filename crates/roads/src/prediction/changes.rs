//! Changes of a world of roads: what holds on a road holds on its copies, too.

use std::collections::HashSet;

use revealed_formats::ScenarioRecord;

use crate::world::Roads;

/// Makes the changes of a road hold however it is reached: wherever they name states, their copies are added. States
/// that do not exist are left to be refused.
pub fn on_all_copies(roads: &Roads, scenario: &mut ScenarioRecord) {
    if !roads.has_copies() {
        return;
    }
    let changed = scenario.change_feature.iter_mut().map(|change| &mut change.states);
    let rewarded = scenario.add_reward.iter_mut().map(|change| &mut change.states);
    [&mut scenario.close].into_iter().chain(changed).chain(rewarded).for_each(|states| add_copies(roads, states));
}

fn add_copies(roads: &Roads, states: &mut Vec<usize>) {
    let of = |&state: &usize| {
        let known = Some(state).filter(|&state| state < roads.n_states()).map(|state| roads.original(state));
        known.into_iter().flat_map(|original| std::iter::once(original).chain(roads.copies_of(original)))
    };
    let copies: Vec<usize> = states.iter().flat_map(of).filter(|copy| !states.contains(copy)).collect();
    states.extend(copies);
    let mut seen = HashSet::new();
    states.retain(|&state| seen.insert(state));
}
