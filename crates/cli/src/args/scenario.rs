//! `--scenario` and `--close`: the changes of a world.

use std::path::Path;

use revealed_formats::ScenarioRecord;

use crate::args::states::state;
use crate::terminal::Failure;

/// The changes in a file, and states that are closed; `None` if there are none.
pub fn changes(file: Option<&Path>, close: &[usize], n_states: usize) -> Result<Option<ScenarioRecord>, Failure> {
    let mut scenario = file.map(ScenarioRecord::load).transpose()?;
    if !close.is_empty() {
        let close = close.iter().map(|&one| state(one, "--close", n_states)).collect::<Result<Vec<_>, _>>()?;
        scenario.get_or_insert_default().close.extend(close);
    }
    Ok(scenario)
}
