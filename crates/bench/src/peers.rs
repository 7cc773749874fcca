//! Other programs on the same files.

use std::path::{Path, PathBuf};
use std::process::Command;

use revealed::worlds::World;
use revealed_formats::{Problem, atomic};
use serde_json::Value;

/// The Pythons and files of the other programs.
pub struct Peers {
    /// A Python with SciPy.
    pub python: Option<PathBuf>,
    /// A Python with `imitation`.
    pub imitation: Option<PathBuf>,
    /// The folder for problem files.
    pub files: PathBuf,
}

/// The result of another program.
pub struct Answer {
    /// log Z, if it computes the same model.
    pub log_partition: Option<f64>,
    /// The seconds of each repeat.
    pub seconds: Vec<f64>,
}

impl Peers {
    /// Writes a world's problem and θ to files that all programs read.
    pub fn write(&self, world: &World, name: &str) -> Result<(PathBuf, PathBuf), String> {
        std::fs::create_dir_all(&self.files).map_err(|error| format!("{}: {error}", self.files.display()))?;
        let [problem, theta] = [format!("{name}.npz"), format!("{name}.theta.json")].map(|name| self.files.join(name));
        let contents = Problem {
            mdp: world.mdp.clone(),
            features: world.features.clone(),
            layout: None,
            true_theta: Some(world.theta.clone()),
        };
        contents.save(&problem).map_err(|error| error.to_string())?;
        let text = serde_json::to_string(&world.theta).map_err(|error| error.to_string())?;
        atomic::write(&theta, |file| file.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        Ok((problem, theta))
    }

    /// A gradient by SciPy; `None` without a Python that has it.
    pub fn scipy(&self, files: &(PathBuf, PathBuf), horizon: usize, repeats: usize) -> Result<Option<Answer>, String> {
        self.ask(self.python.as_deref(), "scipy_baseline.py", files, horizon, repeats, &[])
    }

    /// A gradient of the causal model by SciPy; `None` without a Python that has it.
    pub fn scipy_causal(
        &self,
        files: &(PathBuf, PathBuf),
        horizon: usize,
        repeats: usize,
        version: &str,
    ) -> Result<Option<Answer>, String> {
        self.ask(self.python.as_deref(), "scipy_causal.py", files, horizon, repeats, &["--version", version])
    }

    /// A gradient by `imitation` (maximum causal entropy); `None` without a Python that has it.
    pub fn imitation(&self, files: &(PathBuf, PathBuf), horizon: usize, repeats: usize) -> Result<Option<Answer>, String> {
        self.ask(self.imitation.as_deref(), "imitation_baseline.py", files, horizon, repeats, &[])
    }

    /// The recursive logit by SciPy, from this θ; `None` without a Python that has it.
    pub fn scipy_logit(&self, files: [&Path; 2], theta: &[f64]) -> Result<Option<Value>, String> {
        let Some(python) = self.python.as_deref() else { return Ok(None) };
        let theta = serde_json::to_string(theta).map_err(|error| error.to_string())?;
        let mut command = Command::new(python);
        command.arg(script("scipy_logit.py")).args(files).arg(theta);
        answer(command, "scipy_logit.py").map(Some)
    }

    fn ask(
        &self,
        python: Option<&Path>,
        script: &str,
        files: &(PathBuf, PathBuf),
        horizon: usize,
        repeats: usize,
        options: &[&str],
    ) -> Result<Option<Answer>, String> {
        let Some(python) = python else { return Ok(None) };
        let mut command = Command::new(python);
        command
            .arg(self::script(script))
            .args([&files.0, &files.1])
            .args(["--horizon", &horizon.to_string(), "--repeats", &repeats.to_string()])
            .args(options);
        let answer = answer(command, script)?;
        let seconds = answer["seconds"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        Ok(Some(Answer { log_partition: answer["log_partition"].as_f64(), seconds }))
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks").join(name)
}

/// What a program prints as JSON.
fn answer(mut command: Command, name: &str) -> Result<Value, String> {
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{name}: {error}"))
}

/// An error if two programs disagree.
pub fn agree(ours: f64, theirs: f64) -> Result<(), String> {
    let same = (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0);
    if same { Ok(()) } else { Err(format!("log Z is {ours} here and {theirs} there")) }
}
