//! Models: θ, the path set that it was learned for, and how it was learned, as `.json`.
//!
//! It uses `files` and `problems`. Begin with `model.rs`; `fitted.rs` makes a model of a fit.

mod asked;
mod fitted;
mod history_record;
mod learned_history;
mod likelihood;
mod luck;
mod model;
mod model_free_record;
mod names;
mod path_model;
mod summary_record;
mod theta;
mod world_record;

pub use asked::{AskedDestinations, AskedModel};
pub use fitted::warning_texts;
pub use history_record::{HistoryRecord, WindowColumns};
pub use learned_history::LearnedHistory;
pub use likelihood::{ModelEvaluation, ModelLikelihood};
pub use luck::LuckRecord;
pub use model::{MODEL_FORMAT, Model};
pub use model_free_record::ModelFreeRecord;
pub(crate) use names::{ends_name, horizon_name, inference_name};
pub use summary_record::{DirectionRecord, SummaryRecord};
pub use theta::load_theta;
pub use world_record::WorldRecord;
