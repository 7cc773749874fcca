//! Arrays that a problem file carries for other parts of revealed.

use std::path::Path;

use crate::files::column::Column;
use crate::files::npy::Kind;
use crate::files::npz::Archive;
use crate::{Error, Fault};

/// How the names of a road network's arrays begin.
pub(crate) const ROADS: &str = "roads.";

/// An array.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// Of whole numbers.
    Integers(Vec<i64>),
    /// Of numbers.
    Floats(Vec<f64>),
    /// Of texts.
    Texts(Vec<String>),
}

impl Addition {
    pub(crate) fn column(&self) -> Column<'_> {
        match self {
            Addition::Integers(values) => Column::Integers(values.into()),
            Addition::Floats(values) => Column::Floats(values.into()),
            Addition::Texts(values) => Column::Texts(values),
        }
    }

    /// The whole numbers; `None` if it has others.
    pub fn integers(&self) -> Option<&[i64]> {
        if let Addition::Integers(values) = self { Some(values) } else { None }
    }

    /// The numbers; `None` if it has others.
    pub fn floats(&self) -> Option<&[f64]> {
        if let Addition::Floats(values) = self { Some(values) } else { None }
    }

    /// The texts; `None` if it has none.
    pub fn texts(&self) -> Option<&[String]> {
        if let Addition::Texts(values) = self { Some(values) } else { None }
    }
}

/// The arrays of an `.npz` file whose names begin with this text.
///
/// # Errors
/// If the file is not an archive, or one of these arrays is damaged or has more than one dimension.
pub fn load_additions(path: impl AsRef<Path>, beginning: &str) -> Result<Vec<(String, Addition)>, Error> {
    let path = path.as_ref();
    read(path, beginning).map_err(|fault| Error::new(path, fault))
}

fn read(path: &Path, beginning: &str) -> Result<Vec<(String, Addition)>, Fault> {
    let mut archive = Archive::open(path)?;
    let mut found = Vec::new();
    for name in archive.names().into_iter().filter(|name| name.starts_with(beginning)) {
        let Some(array) = archive.array(&name)? else { continue };
        let array = array.one_dimensional()?;
        let addition = match array.kind() {
            Kind::Integers => Addition::Integers(array.integers()?),
            Kind::Floats => Addition::Floats(array.floats()?),
            Kind::Texts => Addition::Texts(array.texts()?),
        };
        found.push((name, addition));
    }
    Ok(found)
}
