//! Where the data of a map is from.

/// Where the data of a map is from: what has to stand beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// OpenStreetMap.
    #[default]
    OpenStreetMap,
    /// A [city](crate::city()) that does not exist.
    MadeUp,
    /// Nobody says, as of an edge list.
    Unknown,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 3] = [Source::OpenStreetMap, Source::MadeUp, Source::Unknown];
    /// How our own maps say who wrote them.
    const GENERATOR: &str = "revealed";

    /// What it is called in files.
    pub fn name(self) -> &'static str {
        match self {
            Source::OpenStreetMap => "OpenStreetMap",
            Source::MadeUp => "made up",
            Source::Unknown => "unknown",
        }
    }

    /// What has to stand beside a map of it: a licence may want that.
    pub fn attribution(self) -> Option<&'static str> {
        match self {
            Source::OpenStreetMap => Some("© OpenStreetMap contributors"),
            Source::MadeUp => Some("a city that does not exist"),
            Source::Unknown => None,
        }
    }

    /// Of a file that this program wrote.
    pub(crate) fn of_generator(program: &str) -> Source {
        if program == Source::GENERATOR { Source::MadeUp } else { Source::OpenStreetMap }
    }
}
