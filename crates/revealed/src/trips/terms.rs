//! Which features of trips are added to those of the world.

use crate::Error;
use crate::world::{Demonstrations, Features, TripValue};

/// Features of trips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TripTerms {
    /// Products of a feature with a column of the trips ([`Trajectory::trip`](crate::Trajectory::trip)): length ×
    /// night. The column has a number in every demonstration.
    pub products: Vec<(usize, String)>,
    /// The link size of Fosgerau, Frejinger and Karlström (2013), from a first recursive logit with this θ. The value
    /// of a state is the expected number of visits of a trip between the same two ends. Its parameter corrects for
    /// routes that overlap.
    pub link_size: Option<Vec<f64>>,
}

impl TripTerms {
    /// The number of added features.
    pub(super) fn n_features(&self) -> usize {
        self.products.len() + usize::from(self.link_size.is_some())
    }

    /// The names of all features: those of the world, `length*night`, and `link size`.
    pub(super) fn names(&self, features: &Features) -> Vec<String> {
        let products = self.products.iter().map(|(feature, column)| format!("{}*{column}", features.name(*feature)));
        let link_size = self.link_size.iter().map(|_| "link size".to_string());
        (0..features.n_features()).map(|k| features.name(k)).chain(products).chain(link_size).collect()
    }

    pub(super) fn check(&self, features: &Features) -> Result<(), Error> {
        let count = features.n_features();
        if let Some(row) = self.products.iter().position(|product| product.0 >= count) {
            let index = self.products[row].0;
            return Err(Error::OutOfRange { table: "products with trips", row, what: "feature", index, count });
        }
        self.link_size.as_ref().map_or(Ok(()), |theta| features.check_theta(theta))
    }

    /// The values of one demonstration in the columns of the products.
    pub(super) fn values(&self, demos: &Demonstrations, index: usize) -> Result<Vec<f64>, Error> {
        let value = |(_, column): &(usize, String)| match demos.trip(index).get(column) {
            Some(TripValue::Number(number)) => Ok(*number),
            Some(value) => Err(demos.not_a_number(index, column, value)),
            None => Err(demos.no_column(index, column)),
        };
        self.products.iter().map(value).collect()
    }
}
