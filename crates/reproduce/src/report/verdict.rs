//! Whether the paper's claims were reproduced.

/// With fewer repeats, the interval of a mean is too wide for a verdict.
const ENOUGH_REPEATS: usize = 10;

/// Whether the claim of the paper was reproduced, and a sentence that says why.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It was.
    Reproduced(String),
    /// It was not, or not completely.
    Differs(String),
    /// The results cannot be compared.
    NotComparable(String),
}

impl Verdict {
    /// This verdict, if there are enough repeats for it.
    pub(crate) fn with_repeats(self, repeats: usize) -> Verdict {
        match repeats < ENOUGH_REPEATS {
            true => Verdict::NotComparable(format!(
                "There are too few repeats ({repeats}) for a verdict: run at least {ENOUGH_REPEATS}, or the paper's number."
            )),
            false => self,
        }
    }

    /// The verdict in one or two words.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Reproduced(_) => "reproduced",
            Verdict::Differs(_) => "differs",
            Verdict::NotComparable(_) => "not comparable",
        }
    }

    /// The sentence.
    pub fn reason(&self) -> &str {
        match self {
            Verdict::Reproduced(reason) | Verdict::Differs(reason) | Verdict::NotComparable(reason) => reason,
        }
    }
}
