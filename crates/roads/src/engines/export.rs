//! Learned costs as the files of a routing engine.

use std::path::Path;

use revealed_formats::atomic;
use serde_json::{Value, json};

use super::agreement::EngineAgreement;
use super::costs::RoadCosts;
use super::graphhopper::GraphHopperModel;
use super::osrm::OsrmTables;
use super::valhalla::ValhallaOptions;
use crate::error::Error;

/// A routing engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Tables of segments and of turns, which can express all costs.
    Osrm,
    /// A custom model.
    GraphHopper,
    /// Costing options.
    Valhalla,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 3] = [Engine::Osrm, Engine::GraphHopper, Engine::Valhalla];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Osrm => "osrm",
            Engine::GraphHopper => "graphhopper",
            Engine::Valhalla => "valhalla",
        }
    }
}

/// What was written for an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineExport {
    /// The engine.
    pub engine: Engine,
    /// The weight of a unit of cost.
    pub scale: f64,
    /// What is in the files, in words.
    pub rows: String,
    /// The same as numbers.
    pub content: Value,
    /// How well the engine can express the costs, if it cannot express all.
    pub agreement: Option<EngineAgreement>,
    /// What it cannot express.
    pub lost: Vec<String>,
}

impl EngineExport {
    /// Writes the costs for an engine: to `output`, and for OSRM those of turns to `turns`.
    ///
    /// # Errors
    /// If the engine cannot express them at all, `turns` is missing, or a file cannot be written.
    pub fn write(engine: Engine, costs: &RoadCosts<'_>, output: &Path, turns: Option<&Path>) -> Result<EngineExport, Error> {
        match (engine, turns) {
            (Engine::Osrm, Some(turns)) => {
                let tables = OsrmTables::new(costs)?;
                tables.save(output, turns)?;
                let [segments, n_turns] = tables.len();
                Ok(EngineExport {
                    engine,
                    scale: tables.scale,
                    rows: format!("{segments} segments, and {n_turns} turns in {}", turns.display()),
                    content: json!({ "segments": segments, "turns": n_turns, "turns_file": turns.display().to_string() }),
                    agreement: None,
                    lost: tables.lost,
                })
            }
            (Engine::Osrm, None) => Err(Error::Network("--to osrm: give --turns, too".to_string())),
            (Engine::GraphHopper, _) => {
                let GraphHopperModel { json, scale, n_classes, agreement, lost } = GraphHopperModel::new(costs)?;
                write_json(output, &json)?;
                let (rows, content) = (format!("{n_classes} classes of roads"), json!({ "classes": n_classes }));
                Ok(EngineExport { engine, scale, rows, content, agreement: Some(agreement), lost })
            }
            (Engine::Valhalla, _) => {
                let ValhallaOptions { json, scale, agreement, lost } = ValhallaOptions::new(costs)?;
                write_json(output, &json)?;
                let rows = json["costing_options"]["auto"].to_string();
                Ok(EngineExport { engine, scale, rows, content: json, agreement: Some(agreement), lost })
            }
        }
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        json!({
            "engine": self.engine.name(), "scale": self.scale, "content": self.content,
            "agreement": self.agreement.map(|found| found.to_json()), "lost": self.lost,
        })
    }
}

fn write_json(output: &Path, json: &Value) -> Result<(), Error> {
    Ok(atomic::write(output, |writer| writeln!(writer, "{json}"))?)
}
