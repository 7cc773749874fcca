//! Reading what may be compressed: a small file can be a gigabyte of blanks.

use std::io::{self, Read};

/// More bytes without an element or a row are a fault. The longest row of Porto's trips has less than 0.1 MB.
const MOST: usize = 16 << 20;

/// A reader that ends with an error if too many bytes pass between two calls of [`begin`](Self::begin), so that memory
/// does not fill with something that is no element and no row.
pub(crate) struct Bounded<R> {
    inner: R,
    passed: usize,
}

impl<R: Read> Bounded<R> {
    pub(crate) fn new(inner: R) -> Bounded<R> {
        Bounded { inner, passed: 0 }
    }

    /// An element or a row was read, and the next begins.
    pub(crate) fn begin(&mut self) {
        self.passed = 0;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.passed > MOST {
            let what = format!("more than {} MB without an end of a row or an element: it is damaged", MOST >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let read = self.inner.read(bytes).map_err(said)?;
        self.passed += read;
        Ok(read)
    }
}

/// A compressed file that is cut short says so.
fn said(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file is truncated: get it again"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_an_error() {
        let mut bytes = vec![0; 1 << 20];
        let mut blanks = Bounded::new(io::repeat(b' '));
        let read = (0..100).take_while(|_| blanks.read(&mut bytes).is_ok()).count();
        assert_eq!(read, 17);
        let mut rows = Bounded::new(io::repeat(b' '));
        assert!((0..100).all(|_| rows.read(&mut bytes).inspect(|_| rows.begin()).is_ok()));
    }
}
