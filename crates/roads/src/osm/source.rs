//! The origin of the data of a map.

/// The origin of the data of a map, which decides its attribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// OpenStreetMap.
    #[default]
    OpenStreetMap,
    /// A made-up [city](crate::city()).
    MadeUp,
    /// Not known, as for an edge list.
    Unknown,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 3] = [Source::OpenStreetMap, Source::MadeUp, Source::Unknown];
    /// The generator that our own maps name.
    const GENERATOR: &str = "revealed";

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Source::OpenStreetMap => "OpenStreetMap",
            Source::MadeUp => "made up",
            Source::Unknown => "unknown",
        }
    }

    /// The attribution that a licence may require on a map.
    pub fn attribution(self) -> Option<&'static str> {
        match self {
            Source::OpenStreetMap => Some("© OpenStreetMap contributors"),
            Source::MadeUp => Some("a city that does not exist"),
            Source::Unknown => None,
        }
    }

    /// The origin of a file that this program wrote.
    pub(crate) fn of_generator(program: &str) -> Source {
        if program == Source::GENERATOR { Source::MadeUp } else { Source::OpenStreetMap }
    }
}
