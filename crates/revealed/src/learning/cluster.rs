//! Groups of demonstrations that depend on each other: those of one driver, or between the same two places.

use std::collections::BTreeMap;

use crate::Error;
use crate::error::DemonstrationFault;
use crate::world::{Demonstrations, PartialDemonstration, PartialDemonstrations, TripValue};

/// The name of [`Cluster::Ends`] in files and on the command line.
const ENDS: &str = "origin-destination";

/// Which demonstrations may depend on each other. Robust standard errors allow for any dependence within a cluster, and
/// need many clusters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cluster {
    /// None: each demonstration is independent of the others.
    #[default]
    Each,
    /// Those with the same first and the same last state. If all demonstrations have a column `origin-destination`,
    /// those with the same value in it.
    Ends,
    /// Those with the same value in this column ([`Trajectory::trip`](crate::Trajectory::trip)), such as `driver`.
    Column(String),
}

impl Cluster {
    /// `origin-destination` for [`Cluster::Ends`], or the name of a column.
    pub fn from_name(name: &str) -> Cluster {
        if name == ENDS { Cluster::Ends } else { Cluster::Column(name.to_string()) }
    }

    /// The name in files and on the command line; `None` for [`Cluster::Each`].
    pub fn name(&self) -> Option<&str> {
        match self {
            Cluster::Each => None,
            Cluster::Ends => Some(ENDS),
            Cluster::Column(name) => Some(name),
        }
    }

    /// The cluster of each demonstration, by a label that is its own in all worlds where `world` is the number of this
    /// one. Demonstrations of weight 0 have none.
    pub(crate) fn labels(&self, world: usize, demos: &Demonstrations) -> Result<Vec<Option<String>>, Error> {
        // The copies of a world with features of trips keep the ends in the world as a column.
        let by_column = (0..demos.len()).all(|index| demos.weight(index) == 0.0 || demos.trip(index).contains_key(ENDS));
        let label = |index: usize| match self {
            Cluster::Each => Ok(None),
            Cluster::Ends if by_column => Ok(Some(format!("{world}:{}", unlike(&demos.trip(index)[ENDS])))),
            Cluster::Ends => {
                let states = demos.states(index);
                Ok(Some(format!("{world}:{}-{}", states[0], states[states.len() - 1])))
            }
            Cluster::Column(column) => match demos.trip(index).get(column) {
                Some(value) => Ok(Some(unlike(value))),
                None => Err(demos.no_column(index, column)),
            },
        };
        let of = |index: usize| if demos.weight(index) > 0.0 { label(index) } else { Ok(None) };
        (0..demos.len()).map(of).collect()
    }

    /// The same for demonstrations that were seen in part.
    pub(crate) fn labels_in_part(&self, demos: &PartialDemonstrations) -> Result<Vec<Option<String>>, Error> {
        let label = |(index, demo): (usize, &PartialDemonstration)| {
            let trip = demo.trip();
            match self {
                _ if demo.weight() == 0.0 => Ok(None),
                Cluster::Each => Ok(None),
                Cluster::Ends => match (demo.first(), demo.last()) {
                    (Some(first), Some(last)) => Ok(Some(format!("{first}-{last}"))),
                    _ => {
                        let rule = "clusters by origin and destination need both";
                        let fault = DemonstrationFault::NotSeen { step: 0, what: "the first or the last state", rule };
                        Err(demos.fault(index, fault))
                    }
                },
                Cluster::Column(column) => match trip.get(column) {
                    Some(value) => Ok(Some(unlike(value))),
                    None => {
                        let known = trip.keys().cloned().collect();
                        Err(demos.fault(index, DemonstrationFault::NoTripColumn { column: column.clone(), known }))
                    }
                },
            }
        };
        demos.iter().enumerate().map(label).collect()
    }

    /// The places of each label, in the order of their first ones; `None` for [`Cluster::Each`].
    pub(crate) fn grouped(&self, labels: &[Option<String>]) -> Result<Option<Vec<Vec<usize>>>, Error> {
        if *self == Cluster::Each {
            return Ok(None);
        }
        let present = labels.iter().enumerate().filter_map(|(place, label)| Some((label.as_ref()?, place)));
        self.several(grouped(present)).map(Some)
    }

    /// Checks that every demonstration of several worlds has a cluster.
    ///
    /// # Errors
    /// As [`check`](Self::check), with the number of the world.
    pub fn check_worlds(&self, demos: &[&Demonstrations]) -> Result<(), Error> {
        if let [demos] = demos {
            return self.check(demos);
        }
        let mut labels = Vec::new();
        for (world, demos) in demos.iter().enumerate() {
            labels.extend(self.labels(world, demos).map_err(|error| error.in_part(world))?);
        }
        self.grouped(&labels).map(|_| ())
    }

    /// Checks that every demonstration has a cluster, before anything is learned.
    ///
    /// # Errors
    /// If a demonstration has no such column; [`Error::FewClusters`].
    pub fn check(&self, demos: &Demonstrations) -> Result<(), Error> {
        self.groups(demos).map(|_| ())
    }

    /// The demonstrations of positive weight in each cluster, in the order of their first ones. `None` for
    /// [`Cluster::Each`].
    pub(crate) fn groups(&self, demos: &Demonstrations) -> Result<Option<Vec<Vec<usize>>>, Error> {
        let present = || (0..demos.len()).filter(|&index| demos.weight(index) > 0.0);
        let groups = match self {
            Cluster::Each => return Ok(None),
            // The copies of a world with features of trips keep the ends in the world as a column.
            Cluster::Ends if present().all(|index| demos.trip(index).contains_key(ENDS)) => {
                grouped(present().map(|index| (demos.trip(index)[ENDS].label(), index)))
            }
            Cluster::Ends => {
                let ends = |index: usize| (demos.states(index)[0], demos.states(index)[demos.states(index).len() - 1]);
                grouped(present().map(|index| (ends(index), index)))
            }
            Cluster::Column(column) => {
                let label = |index: usize| match demos.trip(index).get(column) {
                    Some(value) => Ok((value.label(), index)),
                    None => Err(demos.no_column(index, column)),
                };
                grouped(present().map(label).collect::<Result<Vec<_>, Error>>()?)
            }
        };
        self.several(groups).map(Some)
    }

    fn several(&self, groups: Vec<Vec<usize>>) -> Result<Vec<Vec<usize>>, Error> {
        match groups.len() {
            0 | 1 => Err(Error::FewClusters { by: self.name().unwrap_or_default().to_string() }),
            _ => Ok(groups),
        }
    }
}

/// The items of each label, in the order of the first items.
fn grouped<L: Ord>(items: impl IntoIterator<Item = (L, usize)>) -> Vec<Vec<usize>> {
    let (mut place_of, mut groups) = (BTreeMap::new(), Vec::new());
    for (label, item) in items {
        let place = *place_of.entry(label).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(item);
    }
    groups
}

/// A text that no other value has.
fn unlike(value: &TripValue) -> String {
    match value {
        // 0 and -0 are equal.
        TripValue::Number(number) => format!("number {}", number + 0.0),
        TripValue::Text(text) => format!("text {text}"),
    }
}
