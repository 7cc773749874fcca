//! The estimates of a model that is no [`Model`](crate::Model) of one θ: a nested or mixed recursive logit.

use std::fmt::Write;

use revealed::{ErrorKind, shown};

use super::table::number;

/// The estimates and both kinds of errors. Lists have an entry for each parameter.
pub(crate) struct Estimates<'a> {
    pub names: &'a [String],
    pub parameters: &'a [f64],
    pub standing: &'a [String],
    pub standard_errors: &'a [Option<f64>],
    pub robust_errors: Option<&'a [Option<f64>]>,
    /// Which of them the z-values and p-values use.
    pub errors: &'a str,
    pub is_clustered: bool,
    pub z_values: &'a [Option<f64>],
    pub p_values: &'a [Option<f64>],
}

impl Estimates<'_> {
    /// A head, and a line for each parameter.
    pub fn table(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| shown(name).into_owned()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let robust = if self.is_clustered { "clust. s.e." } else { "robust s.e." };
        let (used, others, titles) = match self.robust_errors {
            Some(errors) if self.errors == ErrorKind::Robust.name() => {
                (errors, Some(self.standard_errors), [robust, "model s.e."])
            }
            Some(errors) => (self.standard_errors, Some(errors), ["std. err.", robust]),
            None => (self.standard_errors, None, ["std. err.", ""]),
        };
        let [title, other] = titles;
        let head = format!("{:width$}  {:>12} {title:>11} {:>8} {:>7} {other:>11}", "", "estimate", "z", "P>|z|");
        let mut text = format!("{}\n", head.trim_end());
        let shown = |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
        for (k, name) in names.iter().enumerate() {
            let estimate = format!("{name:width$}  {:>12}", number(self.parameters[k]));
            let line = match used[k] {
                None => format!("{estimate} {:>11}", self.standing[k]),
                Some(error) => {
                    let (z, p) = (shown(self.z_values[k], 2), shown(self.p_values[k], 3));
                    let other = others.and_then(|others| others[k]).map_or(String::new(), number);
                    format!("{estimate} {:>11} {z:>8} {p:>7} {other:>11}", number(error))
                }
            };
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
