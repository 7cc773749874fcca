//! FNV-1a: a hash that is the same on every machine and in every version.

/// FNV-1a of 64 bits, for fingerprints and seeds: against mix-ups, not against forgery.
///
/// ```
/// use revealed_formats::Fnv1a;
///
/// let mut hash = Fnv1a::new();
/// hash.write(b"foo");
/// hash.write(b"bar");
/// assert_eq!((hash.value(), Fnv1a::of(b"foobar")), (0x8594_4171_f739_67e8, 0x8594_4171_f739_67e8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Fnv1a {
    /// The hash of no bytes.
    pub fn new() -> Self {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hash = Fnv1a::new();
        hash.write(bytes);
        hash.value()
    }

    /// Adds bytes to those before.
    pub fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    /// The hash of all bytes so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Default for Fnv1a {
    fn default() -> Self {
        Fnv1a::new()
    }
}
