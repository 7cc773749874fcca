//! Quantities of which more than one section has a value, and why the values may differ.
//!
//! They are declared in one place, so that no section needs to know the others. `Quantity::contradiction` checks them,
//! and the page lists them.

use crate::report::Section;
use crate::work::{Experiment, Recipe};

/// A number of a section.
struct Place {
    experiment: Experiment,
    /// The name of the number.
    number: &'static str,
    /// Why other sections may have another value; REPEATS stands for the number of repeats.
    remark: &'static str,
}

/// A quantity, and where its values are.
struct SharedQuantity {
    name: &'static str,
    places: &'static [Place],
}

const SHARED: [SharedQuantity; 1] = [SharedQuantity {
    name: "inverse learning error of the exact algorithm on FrozenLake4x4 with 50 paths",
    places: &[
        Place {
            experiment: Experiment::RewardRecovery,
            number: "frozenlake_50",
            remark: "the mean over REPEATS data sets that this section draws itself; few data sets have a large error, so the means of \
                     different data sets differ",
        },
        Place {
            experiment: Experiment::Ziebart,
            number: "exact_ile",
            remark: "the mean over the REPEATS data sets from which all algorithms of this section learn; few data sets have a large error, \
                     so the means of different data sets differ",
        },
        Place {
            experiment: Experiment::Ziebart,
            number: "exact_ile_many",
            remark: "the mean over all data sets of this section's distribution, which are more than those from which all algorithms learn",
        },
    ],
}];

/// Declares the quantities that the numbers of a section measure.
pub(crate) fn declare(mut section: Section, experiment: Experiment, recipe: &Recipe) -> Section {
    for quantity in &SHARED {
        for place in quantity.places.iter().filter(|place| place.experiment == experiment) {
            let remark = place.remark.replace("REPEATS", &recipe.repeats.to_string());
            for number in section.numbers.iter_mut().filter(|number| number.name == place.number) {
                *number = number.clone().of(quantity.name).remark(remark.clone());
            }
        }
    }
    section
}
