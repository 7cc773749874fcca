//! What the page is made of: built once by scripts, and part of the program.

use serde::Deserialize;

/// The script, made of `web/src` by `web/build`.
pub(crate) const SCRIPT: &str = include_str!("../assets/page.js");
/// The style sheet.
pub(crate) const STYLE: &str = include_str!("../assets/page.css");
/// The engine as WebAssembly, compressed, made of `crates/wasm` by `crates/wasm/build`.
pub(crate) const ENGINE: &[u8] = include_bytes!("../assets/engine.wasm.gz");

const STAMPS: &str = include_str!("../assets/stamps.json");

/// What the assets were built from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Stamps {
    /// SHA-256 of the script, as a Content-Security-Policy has it.
    pub script: String,
    /// The same of the style sheet.
    pub style: String,
    /// A digest of the sources of the script and the style sheet.
    pub web_sources: String,
    /// A digest of the sources of the engine.
    pub engine_sources: String,
}

/// The stamps of the assets in this program.
///
/// # Panics
/// If the file of the stamps is not theirs, which a test checks.
pub fn stamps() -> Stamps {
    serde_json::from_str(STAMPS).expect("assets/stamps.json is written by the scripts that build the assets")
}
