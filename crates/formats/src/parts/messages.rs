//! Questions and answers as JSON. Numbers keep all their bits.

use revealed::{Answer, Asked, Census, Cluster, Error, Gram, PartFault, PlaceSums, Point, Question, RouteLengths, Scores};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct QuestionRecord {
    longest: usize,
    asked: AskedRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AskedRecord {
    Census,
    Objective(Vec<f64>),
    Sample(Vec<f64>),
    HasSums(Vec<f64>),
    Scores(Vec<f64>, Option<String>),
    ChangesRewards(Vec<(usize, f64)>),
    Lengths(Vec<f64>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerRecord {
    Census(Box<CensusRecord>),
    Point { objective: f64, log_likelihood: f64, log_partition: Option<f64>, gradient: Vec<f64> },
    Flag(bool),
    Scores { weights: Vec<f64>, labels: Vec<Option<String>>, rows: Vec<Vec<f64>> },
    Lengths { model: f64, demonstrations: f64, state: usize, surplus: f64 },
    Error { world: usize, kind: String, message: String },
    Stopped,
}

#[derive(Serialize, Deserialize)]
struct CensusRecord {
    world: usize,
    n_features: usize,
    names: Vec<String>,
    discount: Option<f64>,
    n_demonstrations: usize,
    weight: f64,
    longest: usize,
    observed: Vec<f64>,
    mean_squares: Vec<f64>,
    places: Vec<[f64; 5]>,
    gram: Option<(Vec<f64>, Vec<f64>)>,
}

/// A question as one line.
pub fn question_line(question: &Question) -> String {
    let asked = match question.asked.clone() {
        Asked::Census => AskedRecord::Census,
        Asked::Objective(theta) => AskedRecord::Objective(theta),
        Asked::Sample(theta) => AskedRecord::Sample(theta),
        Asked::HasSums(theta) => AskedRecord::HasSums(theta),
        Asked::Scores(theta, cluster) => AskedRecord::Scores(theta, cluster.name().map(str::to_string)),
        Asked::ChangesRewards(terms) => AskedRecord::ChangesRewards(terms),
        Asked::Lengths(theta) => AskedRecord::Lengths(theta),
    };
    serde_json::to_string(&QuestionRecord { longest: question.longest, asked }).expect("numbers and texts are JSON")
}

/// The question of a line.
///
/// # Errors
/// If it is none.
pub fn question_of_line(line: &str) -> Result<Question, serde_json::Error> {
    let record: QuestionRecord = serde_json::from_str(line)?;
    let asked = match record.asked {
        AskedRecord::Census => Asked::Census,
        AskedRecord::Objective(theta) => Asked::Objective(theta),
        AskedRecord::Sample(theta) => Asked::Sample(theta),
        AskedRecord::HasSums(theta) => Asked::HasSums(theta),
        AskedRecord::Scores(theta, cluster) => {
            Asked::Scores(theta, cluster.as_deref().map_or(Cluster::Each, Cluster::from_name))
        }
        AskedRecord::ChangesRewards(terms) => Asked::ChangesRewards(terms),
        AskedRecord::Lengths(theta) => Asked::Lengths(theta),
    };
    Ok(Question { longest: record.longest, asked })
}

/// The answer of a part, or its error, as one line. `world` is that of the part.
pub fn answer_line(world: usize, answer: Result<Answer, Error>) -> String {
    let record = match answer {
        Ok(Answer::Census(census)) => AnswerRecord::Census(Box::new(record_of(*census))),
        Ok(Answer::Point(Point { objective, log_likelihood, log_partition, gradient })) => {
            AnswerRecord::Point { objective, log_likelihood, log_partition, gradient }
        }
        Ok(Answer::Flag(flag)) => AnswerRecord::Flag(flag),
        Ok(Answer::Scores(Scores { weights, labels, rows })) => AnswerRecord::Scores { weights, labels, rows },
        Ok(Answer::Lengths(RouteLengths { model, demonstrations, state, surplus })) => {
            AnswerRecord::Lengths { model, demonstrations, state, surplus }
        }
        Err(Error::Stopped) => AnswerRecord::Stopped,
        Err(error) => {
            let kind = PartFault::of(&error).name().to_string();
            AnswerRecord::Error { world, kind, message: error.to_string() }
        }
    };
    serde_json::to_string(&record).expect("numbers and texts are JSON")
}

/// The answer of a line.
///
/// # Errors
/// The error of the part, or [`Error::NoAnswer`] if the line is no answer.
pub fn answer_of_line(line: &str) -> Result<Answer, Error> {
    let wrong = |error: serde_json::Error| Error::NoAnswer { message: format!("the answer of a part cannot be read: {error}") };
    Ok(match serde_json::from_str(line).map_err(wrong)? {
        AnswerRecord::Census(census) => Answer::Census(Box::new(census_of(*census))),
        AnswerRecord::Point { objective, log_likelihood, log_partition, gradient } => {
            Answer::Point(Point { objective, log_likelihood, log_partition, gradient })
        }
        AnswerRecord::Flag(flag) => Answer::Flag(flag),
        AnswerRecord::Scores { weights, labels, rows } => Answer::Scores(Scores { weights, labels, rows }),
        AnswerRecord::Lengths { model, demonstrations, state, surplus } => {
            Answer::Lengths(RouteLengths { model, demonstrations, state, surplus })
        }
        AnswerRecord::Error { world, kind, message } => {
            let kind = PartFault::from_name(&kind).unwrap_or(PartFault::Other);
            return Err(Error::InPart { world, kind, message });
        }
        AnswerRecord::Stopped => return Err(Error::Stopped),
    })
}

fn record_of(census: Census) -> CensusRecord {
    let row = |place: &PlaceSums| [place.sum, place.squares, place.entries, place.positive, place.negative];
    CensusRecord {
        world: census.world,
        n_features: census.n_features,
        discount: census.discount,
        n_demonstrations: census.n_demonstrations,
        weight: census.weight,
        longest: census.longest,
        places: census.places.iter().map(row).collect(),
        gram: census.gram.map(|gram| (gram.unit, gram.matrix)),
        names: census.names,
        observed: census.observed,
        mean_squares: census.mean_squares,
    }
}

fn census_of(record: CensusRecord) -> Census {
    let of_row =
        |[sum, squares, entries, positive, negative]: [f64; 5]| PlaceSums { sum, squares, entries, positive, negative };
    Census {
        world: record.world,
        n_features: record.n_features,
        names: record.names,
        discount: record.discount,
        n_demonstrations: record.n_demonstrations,
        weight: record.weight,
        longest: record.longest,
        observed: record.observed,
        mean_squares: record.mean_squares,
        places: record.places.into_iter().map(of_row).collect(),
        gram: record.gram.map(|(unit, matrix)| Gram { unit, matrix }),
    }
}
