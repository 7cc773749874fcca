//! What the report says of Porto.

use std::path::Path;

use crate::error::Error;
use crate::plan::Recipe;
use crate::results::Results;
use crate::section::Section;

pub(crate) fn section(_recipe: &Recipe, _results: &Results, _folder: &Path) -> Result<Section, Error> {
    unimplemented!()
}
