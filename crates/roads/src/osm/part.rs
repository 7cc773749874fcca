//! What is kept of one part of a file.

use super::element::{Kind, Member, TagSlice};
use super::extract::{OsmCounts, ReadOptions, RoadNode, UnresolvedWay};
use super::profile::Profile;
use super::restriction::{Restriction, RuleTurn, WayRestriction};
use super::source::Source;
use super::tags::NotForCars;

/// Parts may be read in parallel, and are merged in the order of the file.
#[derive(Default)]
pub(super) struct Part {
    pub ways: Vec<UnresolvedWay>,
    pub restrictions: Vec<Restriction>,
    pub way_restrictions: Vec<WayRestriction>,
    pub counts: OsmCounts,
    pub source: Source,
    /// Each with its index among the nodes of roads.
    pub nodes: Vec<(usize, RoadNode)>,
}

impl Part {
    pub(super) fn way(&mut self, id: i64, nodes: &[i64], tags: TagSlice<'_>, options: ReadOptions) {
        let Some(found) = options.profile.road(tags, options.service) else { return };
        self.counts.highways += 1;
        match found {
            Ok(road) => self.ways.push((id, nodes.to_vec(), road)),
            Err(NotForCars::Kind) => self.counts.other_kind += 1,
            Err(NotForCars::Access) => self.counts.closed += 1,
            Err(NotForCars::Area) => self.counts.areas += 1,
            Err(NotForCars::Reversible) => self.counts.reversible += 1,
        }
    }

    pub(super) fn relation(&mut self, members: &[Member<'_>], tags: TagSlice<'_>, profile: Profile) {
        let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
        let Some(whose) = get("type").and_then(|kind| kind.strip_prefix("restriction")) else { return };
        if !(whose.is_empty() || whose.starts_with(':')) {
            return;
        }
        self.counts.restrictions += 1;
        let (whose_hold, lifted_by) = profile.restrictions();
        let holds = whose_hold.contains(&whose);
        let at_hours = ["hour_on", "hour_off", "day_on", "day_off"].into_iter().any(|key| get(key).is_some());
        // A relation of the type "restriction:foot" may name its rule without the suffix.
        let keys = whose_hold.iter().map(|whose| format!("restriction{whose}")).chain(["restriction".to_string()]);
        let rule = keys.into_iter().find_map(|key| get(&key)).filter(|_| holds && !at_hours);
        let excepted = get("except").is_some_and(|list| list.split(';').any(|one| lifted_by.contains(&one.trim())));
        let (Some(rule), false) = (rule, excepted) else {
            self.counts.restrictions_skipped += 1;
            return;
        };
        let of = |role: &str, kind: Kind| -> Vec<i64> {
            members.iter().filter(|member| member.role == role && member.kind == kind).map(|member| member.id).collect()
        };
        let only = rule.starts_with("only_");
        let (from, to, turn) = (of("from", Kind::Way), of("to", Kind::Way), RuleTurn::of(rule));
        let (nodes, ways) = (of("via", Kind::Node), of("via", Kind::Way));
        self.counts.restrictions_via_ways += usize::from(!ways.is_empty());
        let one_via = nodes.len() == 1 && ways.is_empty() || nodes.is_empty() && !ways.is_empty();
        if from.is_empty() || to.is_empty() || !one_via || !(only || rule.starts_with("no_")) {
            self.counts.restrictions_skipped += 1;
            return;
        }
        // no_entry and no_exit may have several.
        for (from, to) in from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to))) {
            match nodes.first() {
                Some(&via) => self.restrictions.push(Restriction { from, via, to, only, turn }),
                None => self.way_restrictions.push(WayRestriction { from, via: ways.clone(), to, only, turn }),
            }
        }
    }
}
