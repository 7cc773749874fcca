//! The engine for pages: questions and answers in JSON, compiled to WebAssembly.
//!
//! A page writes bytes where [`revealed_reserve`] says, calls [`revealed_open`] once and then [`revealed_ask`], and reads
//! as many bytes as these return where [`revealed_answer`] says. An answer is `{"ok": …}` or `{"error": "…"}`.
//!
//! # Why this crate does not forbid `unsafe`
//! A function can be called from outside under its own name only with `#[unsafe(no_mangle)]`: two functions of one name
//! would be undefined behaviour, which the compiler cannot rule out. The names here begin with `revealed_`, and no other
//! crate exports any. The bodies are safe code: the bytes are in a vector behind a lock, and only their place is handed
//! out. The page alone writes there, between two calls, and WebAssembly keeps it within the memory of the module.

use std::sync::{Mutex, MutexGuard, PoisonError};

use revealed::Work;
use revealed_formats::Fault;
use revealed_formats::answers::Session;
use serde_json::{Value, json};

/// A page has one thread. The answers do not depend on the memory.
const WORK: Work = Work { threads: Some(1), memory: 250_000_000 };

/// What the page and the engine say to each other, and the engine.
struct State {
    bytes: Vec<u8>,
    session: Option<Session>,
}

static STATE: Mutex<State> = Mutex::new(State { bytes: Vec::new(), session: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a text of so many bytes, and says where it begins.
#[allow(unsafe_code, reason = "an exported name: see the documentation of the crate")]
#[unsafe(no_mangle)]
pub extern "C" fn revealed_reserve(bytes: usize) -> *mut u8 {
    let mut state = state();
    state.bytes.clear();
    state.bytes.resize(bytes, 0);
    state.bytes.as_mut_ptr()
}

/// Takes a problem, a model and demonstrations: see [`Session::open`]. Returns the number of bytes of the answer.
#[allow(unsafe_code, reason = "an exported name: see the documentation of the crate")]
#[unsafe(no_mangle)]
pub extern "C" fn revealed_open() -> usize {
    let mut state = state();
    let opened = Session::open(&state.bytes, WORK);
    let said = opened.map(|session| {
        state.session = Some(session);
        json!({ "version": env!("CARGO_PKG_VERSION") })
    });
    state.say(said)
}

/// Answers a question: see [`Session::ask`]. Returns the number of bytes of the answer.
#[allow(unsafe_code, reason = "an exported name: see the documentation of the crate")]
#[unsafe(no_mangle)]
pub extern "C" fn revealed_ask() -> usize {
    let mut state = state();
    let State { bytes, session } = &mut *state;
    let said = match session {
        Some(session) => session.ask(bytes),
        None => Err(Fault::Request("there is no problem yet: open one first".to_string())),
    };
    state.say(said)
}

/// Where the answer begins.
#[allow(unsafe_code, reason = "an exported name: see the documentation of the crate")]
#[unsafe(no_mangle)]
pub extern "C" fn revealed_answer() -> *const u8 {
    state().bytes.as_ptr()
}

impl State {
    fn say(&mut self, said: Result<Value, Fault>) -> usize {
        let json = match said {
            Ok(answer) => json!({ "ok": answer }),
            Err(fault) => json!({ "error": fault.to_string() }),
        };
        self.bytes = json.to_string().into_bytes();
        self.bytes.len()
    }
}
