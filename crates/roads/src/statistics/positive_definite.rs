//! Symmetric positive definite matrices.

/// The inverse of a symmetric positive definite matrix of n rows, by Cholesky's decomposition; `None` if it is not
/// positive definite.
pub(crate) fn inverse(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut lower = matrix.to_vec();
    for column in 0..n {
        for row in column..n {
            let dot: f64 = (0..column).map(|k| lower[row * n + k] * lower[column * n + k]).sum();
            let rest = lower[row * n + column] - dot;
            if row == column {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                lower[row * n + column] = rest.sqrt();
            } else {
                lower[row * n + column] = rest / lower[column * n + column];
            }
        }
    }
    // The inverse of the factor, and then of the matrix.
    let mut factor = vec![0.0; n * n];
    for column in 0..n {
        factor[column * n + column] = 1.0 / lower[column * n + column];
        for row in column + 1..n {
            let dot: f64 = (column..row).map(|k| lower[row * n + k] * factor[k * n + column]).sum();
            factor[row * n + column] = -dot / lower[row * n + row];
        }
    }
    let mut found = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..=row {
            let dot: f64 = (row..n).map(|k| factor[k * n + row] * factor[k * n + column]).sum();
            (found[row * n + column], found[column * n + row]) = (dot, dot);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn the_product_with_the_inverse_is_one() {
        let matrix = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 6.0];
        let found = inverse(&matrix, 3).unwrap();
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let product: f64 = (0..3).map(|k| matrix[3 * row + k] * found[3 * k + column]).sum();
            assert!((product - f64::from(u8::from(row == column))).abs() < 1e-12, "{row} {column} {product}");
        }
        assert_eq!(inverse(&[1.0, 2.0, 2.0, 1.0], 2), None);
    }
}
