//! Objects of the engine that borrow from a problem, kept together with that problem.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Declares a struct that owns a problem and a dependent that borrows from it.
macro_rules! owned_with_problem {
    ($name:ident, $dependent:ident) => {
        self_cell::self_cell!(
            struct $name {
                owner: std::sync::Arc<revealed_formats::Problem>,
                #[not_covariant]
                dependent: $dependent,
            }
        );
    };
}
pub(crate) use owned_with_problem;

/// Locks. A panic in another thread leaves arrays that the next evaluation fills again.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
