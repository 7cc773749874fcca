//! The command line of planning.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Work;

/// What a terminal state is worth.
#[derive(Clone, Copy, ValueEnum)]
pub enum AtTerminal {
    /// Its reward, paid once
    Ends,
    /// Its reward, paid for ever
    KeepsPaying,
}

impl From<AtTerminal> for revealed::AtTerminal {
    fn from(at_terminal: AtTerminal) -> Self {
        match at_terminal {
            AtTerminal::Ends => revealed::AtTerminal::Ends,
            AtTerminal::KeepsPaying => revealed::AtTerminal::KeepsPaying,
        }
    }
}

/// When the reward of a state is paid.
#[derive(Clone, Copy, ValueEnum)]
pub enum Paid {
    /// For being there, from the first state on (the paper)
    InState,
    /// By the step that leads there, as in Gymnasium
    OnArrival,
}

impl From<Paid> for revealed::Paid {
    fn from(paid: Paid) -> Self {
        match paid {
            Paid::InState => revealed::Paid::InState,
            Paid::OnArrival => revealed::Paid::OnArrival,
        }
    }
}

/// `revealed plan`
#[derive(Args)]
pub struct Plan {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// The reward of this model instead of the problem's true one
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Discount [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub discount: Option<f64>,
    /// The Boltzmann policy of the optimal action values, e^(Q/T), instead of the optimal one
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub temperature: Option<f64>,
    /// What a terminal state is worth
    #[arg(long, value_enum, default_value = "ends")]
    pub at_terminal: AtTerminal,
    /// When the reward of a state is paid
    #[arg(long, value_enum, default_value = "in-state")]
    pub paid: Paid,
    /// Where to write what --json prints (.json)
    #[arg(short, long, value_name = "POLICY")]
    pub output: Option<PathBuf>,
    /// Threads to use; all cores by default. Any number gives the same bits
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// What is done in each state.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Policy {
    /// What is best
    Optimal,
    /// Any action, each as likely as the others
    Uniform,
    /// The better the likelier: e^(Q/T) with --temperature T
    Boltzmann,
}

/// `revealed rollouts`
#[derive(Args)]
pub struct Rollouts {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// How many episodes
    #[arg(short, value_name = "N", default_value_t = 100)]
    pub n: usize,
    /// The same seed gives the same episodes
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Where to write them (.jsonl or .npz)
    #[arg(short, long, value_name = "DEMOS")]
    pub output: PathBuf,
    /// The reward of this model instead of the problem's true one
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// What is done in each state
    #[arg(long, value_enum, default_value = "optimal")]
    pub policy: Policy,
    /// Of the Boltzmann policy: low is nearly optimal, high is nearly uniform
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub temperature: Option<f64>,
    /// Most states of an episode
    #[arg(long, value_name = "L", default_value_t = 100)]
    pub longest: usize,
    /// Discount of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub discount: Option<f64>,
    /// Threads to use; all cores by default. Any number gives the same bits
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `revealed evaluate`
#[derive(Args)]
pub struct Evaluate {
    /// Problem file with a true reward (.json or .npz)
    pub problem: PathBuf,
    /// Model file
    pub model: PathBuf,
    /// Demonstrations that the model need not have learned from (.jsonl or .npz)
    #[arg(long, value_name = "HELD_OUT")]
    pub demos: Option<PathBuf>,
    /// Discount of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub discount: Option<f64>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}
