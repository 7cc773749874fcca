//! Numbers from names and bytes: fingerprints, and seeds of random streams.

/// The initial value of [`fnv`].
pub(crate) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// A fingerprint of bytes (FNV-1a), continued from the fingerprint of the bytes before them.
pub(crate) fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A seed for a name, mixed so that similar names have different seeds (the finaliser of SplitMix64).
pub(super) fn stream(words: &str) -> u64 {
    let hash = fnv(FNV, words.as_bytes());
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
