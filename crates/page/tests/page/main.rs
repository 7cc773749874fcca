//! Tests of pages. A browser looks at them in `tests/command_line/test_report.py`.

mod layers;
mod pages;
mod stale;
