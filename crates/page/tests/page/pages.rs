//! The document of a report.

use revealed::{Demonstrations, Ends, Trajectory, Work, worlds};
use revealed_formats::{Model, Problem};
use revealed_page::{Origin, Report};
use serde_json::Value;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--";

fn lake() -> Problem {
    Problem::from(worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true).unwrap())
}

fn page(problem: &Problem, model: &Model, demos: Option<&Demonstrations>) -> String {
    let origin = Origin { title: HOSTILE.to_string(), model: Some(HOSTILE.to_string()), ..Origin::default() };
    Report { problem, model, demos, roads: None, origin, work: Work::default() }.html().unwrap()
}

fn data(page: &str) -> Value {
    let begin = page.find("id=\"data\">").unwrap() + 10;
    serde_json::from_str(&page[begin..begin + page[begin..].find("</script>").unwrap()]).unwrap()
}

#[test]
fn names_of_files_and_of_demonstrations_are_text() {
    let problem = lake();
    let path = Trajectory { id: Some(HOSTILE.to_string()), ..Trajectory::new(vec![0, 4, 8], vec![1, 1]) };
    let demos = Demonstrations::new(&problem.mdp, &[path]).unwrap();
    let page = page(&problem, &Model::new(vec![0.0; 16], 10, Ends::Anywhere), Some(&demos));
    assert!(!page.contains("<img") && !page.contains("<!--") && page.matches("</script>").count() == 3);
    assert_eq!(data(&page)["title"], HOSTILE);
    assert!(data(&page)["demonstrations"].as_str().unwrap().contains("onerror"));
}

#[test]
fn what_a_model_cannot_answer_is_said_in_its_page() {
    let problem = lake();
    let model = Model::new(vec![0.0; 16], 10, Ends::Goal);
    let data = data(&page(&problem, &model, None));
    let answers = data["answers"].as_array().unwrap();
    let visits = answers.iter().find(|row| row["question"]["ask"] == "marginals").unwrap();
    assert!(visits["error"].as_str().unwrap().contains("paths to a goal"), "{visits}");
    assert!(answers.iter().all(|row| row.get("ok").is_some() != row.get("error").is_some()));
}

#[test]
fn theta_of_another_problem_is_an_error() {
    let problem = lake();
    let model = Model::new(vec![0.0; 3], 10, Ends::Anywhere);
    let report =
        Report { problem: &problem, model: &model, demos: None, roads: None, origin: Origin::default(), work: Work::default() };
    assert!(report.html().unwrap_err().to_string().contains("theta"));
}
