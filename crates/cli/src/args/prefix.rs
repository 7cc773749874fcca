//! `--prefix`: the path so far.

use revealed::Trajectory;

use crate::terminal::Failure;

/// A path as `s,a,s,a,s`.
pub fn prefix(text: &str) -> Result<Trajectory, Failure> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len().is_multiple_of(2) {
        return Err(Failure::new(format!(
            "the prefix {text:?} has {} numbers: give states and actions in turn, beginning and ending with a state, \
             as in 0,2,1",
            parts.len()
        )));
    }
    let number = |(place, part): (usize, &&str)| {
        part.parse::<usize>().map_err(|_| {
            let what = if place % 2 == 0 { "a state" } else { "an action" };
            Failure::new(format!("the prefix {text:?}: {part:?} is not {what}: give a number from 0 on"))
        })
    };
    let numbers = parts.iter().enumerate().map(number).collect::<Result<Vec<usize>, Failure>>()?;
    let every_second = |first: usize| numbers.iter().copied().skip(first).step_by(2).collect();
    Ok(Trajectory::new(every_second(0), every_second(1)))
}
