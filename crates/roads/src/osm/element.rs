//! The elements of a file, one after another.

use super::part::Part;
use crate::geometry::Position;

/// Keys and values.
pub(super) type TagSlice<'a> = &'a [(&'a str, &'a str)];

/// An element of a file.
pub(super) enum Element<'a> {
    /// The program that wrote the file, as the file states it.
    Generator(&'a str),
    Node {
        id: i64,
        position: Position,
        tags: TagSlice<'a>,
    },
    Way {
        id: i64,
        nodes: &'a [i64],
        tags: TagSlice<'a>,
    },
    Relation {
        members: &'a [Member<'a>],
        tags: TagSlice<'a>,
    },
}

/// A member of a relation.
pub(super) struct Member<'a> {
    pub kind: Kind,
    pub id: i64,
    pub role: &'a str,
}

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Way,
    Relation,
}

/// The elements that a pass over a file reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Nodes,
    /// Ways and relations.
    Rest,
}

/// Adds an element to a part of the file. Parts are filled in parallel.
pub(super) type VisitElement<'a> = &'a (dyn Fn(Element<'_>, &mut Part) + Sync);
