//! What several threads do at once. These functions and [`Threads`](super::threads::Threads) are the only use of rayon.
//!
//! Inside a pool they divide the work among its threads. Outside of any pool they do it on the calling thread. rayon
//! itself would start its global pool there: a thread for each core, whatever number was asked for, and a panic if the
//! operating system refuses. Either way the answers are in the order of the items, so that nothing depends on the
//! number of threads.

use std::cell::Cell;
use std::thread::{Builder, available_parallelism};

use rayon::prelude::*;

use super::threads::MOST_THREADS;
use crate::Error;
use crate::cancel::Cancel;

thread_local! {
    /// Whether the work on this thread is for this thread alone.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// The number of threads that share the work here.
pub fn threads_here() -> usize {
    // Outside of a pool, rayon would start its global pool to count its threads.
    if is_alone() || rayon::current_thread_index().is_none() { 1 } else { rayon::current_num_threads() }
}

/// The number of threads if none is given: one for each core.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

pub(super) fn is_alone() -> bool {
    ALONE.get()
}

/// Does work on this thread alone, also inside a pool.
pub(super) fn alone<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Restore(ALONE.replace(true));
    work()
}

/// Does the same work on several threads at once, outside of any pool: on this one and, unless it is to be the only
/// one, on others that are started for it. Without a number, a thread for each core, or as many as can be had.
///
/// This is for work that waits for pools. A thread of a pool that waits for another pool takes further work meanwhile,
/// one inside the other, until its stack is full.
///
/// # Errors
/// If the number is given, and the operating system cannot start so many threads. Those that were started have done
/// their work then.
pub fn beside(threads: Option<usize>, most: usize, work: impl Fn() + Sync) -> Result<(), Error> {
    let wanted = threads.unwrap_or_else(cores).min(most).max(1);
    let cancel = Cancel::current();
    std::thread::scope(|scope| {
        let other = || Cancel::set(cancel.clone(), &work);
        let start = |number: usize| Builder::new().name(format!("revealed-{number}")).spawn_scoped(scope, other);
        let refused = (1..wanted).map(start).find_map(Result::err);
        match (refused, threads) {
            (Some(cause), Some(threads)) => Err(Error::Threads { threads, cause: cause.to_string() }),
            _ => {
                work();
                Ok(())
            }
        }
    })
}

/// The answer for each item, in order.
pub fn map<I: Send, T: Send>(items: impl IntoIterator<Item = I>, of: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
    if threads_here() == 1 {
        return items.into_iter().map(of).collect();
    }
    let cancel = Cancel::current();
    let items: Vec<I> = items.into_iter().collect();
    items.into_par_iter().map_init(|| Cancel::enter(cancel.clone()), |_, item| of(item)).collect()
}

/// The same with work arrays, which `new` makes at least once for each thread.
pub fn map_with<S, I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    new: impl Fn() -> S + Sync + Send,
    of: impl Fn(&mut S, I) -> T + Sync + Send,
) -> Vec<T> {
    if threads_here() == 1 {
        let mut arrays = None;
        return items.into_iter().map(|item| of(arrays.get_or_insert_with(&new), item)).collect();
    }
    let cancel = Cancel::current();
    let items: Vec<I> = items.into_iter().collect();
    let begin = || (Cancel::enter(cancel.clone()), new());
    items.into_par_iter().map_init(begin, |(_, arrays), item| of(arrays, item)).collect()
}

/// Does something with each item.
pub fn for_each<I: Send>(items: impl IntoIterator<Item = I>, work: impl Fn(I) + Sync + Send) {
    if threads_here() == 1 {
        return items.into_iter().for_each(work);
    }
    let cancel = Cancel::current();
    let items: Vec<I> = items.into_iter().collect();
    items.into_par_iter().for_each_init(|| Cancel::enter(cancel.clone()), |_, item| work(item));
}

/// Does both, at once if a thread is free.
pub fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    if threads_here() == 1 {
        return (one(), other());
    }
    let cancel = Cancel::current();
    rayon::join(|| Cancel::set(cancel.clone(), one), || Cancel::set(cancel.clone(), other))
}

/// Sorts. Equal items may change places.
pub fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
    if threads_here() == 1 { items.sort_unstable() } else { items.par_sort_unstable() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::threads::Threads;

    #[test]
    fn one_thread_and_many_give_the_same_in_the_same_order() {
        let numbers: Vec<u64> = (0..10_000).map(|number| number * 7919 % 10_007).collect();
        let all = || {
            let mut sorted = numbers.clone();
            sort_unstable(&mut sorted);
            let (one, other) = join(|| 1, || 2);
            let mut written = vec![0; numbers.len()];
            for_each(written.chunks_mut(64).zip(numbers.chunks(64)), |(out, numbers)| out.copy_from_slice(numbers));
            let squares = map(&numbers, |number| number * number);
            let with = map_with(&numbers, || 3u64, |three, number| *three * number);
            (sorted, one + other, written, squares, with, threads_here())
        };
        let alone = all();
        let together = Threads::new(Some(3)).unwrap().run(all);
        assert_eq!((alone.5, together.5), (1, 3));
        assert_eq!((&alone.0, alone.1, &alone.2, &alone.3, &alone.4), (&together.0, 3, &together.2, &together.3, &together.4));
    }

    #[test]
    fn outside_of_a_pool_no_thread_is_started() {
        let here = std::thread::current().id();
        let ran = map(0..1000, |_| std::thread::current().id());
        assert!(ran.iter().all(|&thread| thread == here));
    }
}
