//! Test problems for the optimiser. `benchmarks/optimise_scipy.py` runs SciPy on the same ones: change both together.

use std::f64::consts::LN_10;

const INF: f64 = f64::INFINITY;

pub(super) type TestObjective = Box<dyn Fn(&[f64], &mut [f64]) -> f64>;

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) start: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) tolerance: f64,
    pub(super) objective: TestObjective,
    /// Evaluations and final projected gradient of SciPy 1.17.1 with maxcor 10 and 30, ftol 0.
    pub(super) scipy: [(usize, f64); 2],
}

fn case(name: &'static str, start: Vec<f64>, bounds: (f64, f64), tolerance: f64, objective: TestObjective) -> Case {
    let (lower, upper) = (vec![bounds.0; start.len()], vec![bounds.1; start.len()]);
    Case { name, start, lower, upper, tolerance, objective, scipy: [(0, 0.0); 2] }
}

pub(super) fn cases() -> Vec<Case> {
    let valley = |n: usize| (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
    let free = (-INF, INF);
    let tight = (-2.0, 0.8);
    let zeros = |n: usize| vec![0.0; n];
    let mut cases = vec![
        case("rosenbrock 2", valley(2), free, 1e-8, Box::new(rosenbrock)),
        case("rosenbrock 2, box", valley(2), tight, 1e-8, Box::new(rosenbrock)),
        case("rosenbrock 10", valley(10), free, 1e-8, Box::new(rosenbrock)),
        case("rosenbrock 10, box", valley(10), tight, 1e-8, Box::new(rosenbrock)),
        case("crf, condition 1e4", zeros(14), free, 1e-8, crf(14, 2.0, 0.0)),
        case("crf, condition 1e5", zeros(14), free, 1e-8, crf(14, 2.5, 0.0)),
        case("1000 + crf", zeros(14), free, 1e-10, crf(14, 0.0, 1000.0)),
        case("1000 + crf, condition 1e4", zeros(14), free, 1e-9, crf(14, 2.0, 1000.0)),
        case("crf, condition 1e4, x <= 0", vec![-1.0; 14], (-INF, 0.0), 1e-8, crf(14, 2.0, 0.0)),
        case("softmax regression", zeros(12), free, 1e-8, softmax_regression()),
        case("separable", zeros(2), free, 1e-8, Box::new(separable)),
        case("quadratic 20, box", vec![0.5; 20], (0.0, 1.0), 1e-8, Box::new(quadratic)),
    ];
    for (case, scipy) in cases.iter_mut().zip(SCIPY) {
        case.scipy = scipy;
    }
    cases
}

/// As printed by `benchmarks/optimise_scipy.py`.
const SCIPY: [[(usize, f64); 2]; 12] = [
    [(46, 4.1e-10), (46, 4.1e-9)],
    [(4, 0.0), (4, 0.0)],
    [(96, 1.1e-9), (91, 3.7e-9)],
    [(41, 9.6e-8), (73, 1.5e-8)],
    [(311, 8.5e-9), (79, 7.8e-9)],
    [(639, 8.2e-9), (123, 4.5e-9)],
    [(28, 1.0e-8), (23, 2.5e-9)],
    [(275, 1.2e-7), (76, 2.0e-8)],
    [(54, 9.3e-9), (49, 1.3e-9)],
    [(17, 4.0e-9), (17, 2.8e-9)],
    [(28, 9.6e-9), (28, 9.7e-9)],
    [(17, 8.9e-7), (24, 7.7e-8)],
];

pub(super) struct Random(pub(super) u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between -1 and 1.
    pub(super) fn symmetric(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }
}

pub(super) fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut f = 0.0;
    for i in 0..x.len() - 1 {
        let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        f += 100.0 * a * a + b * b;
        g[i] += -400.0 * a * x[i] - 2.0 * b;
        g[i + 1] += 200.0 * a;
    }
    f
}

/// Softmax in place; returns the log of the sum of exponentials.
fn softmax(scores: &mut [f64]) -> f64 {
    let top = scores.iter().copied().fold(-INF, f64::max);
    scores.iter_mut().for_each(|s| *s = (*s - top).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= sum);
    top + sum.ln()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// offset + log sum_k exp(a_k x) - mu x over 300 paths, where mu is the mean of a at a random x. Column j of a has size
/// 10^(-decades j / (n - 1)), so the condition number is about 100^decades.
pub(super) fn crf(n: usize, decades: f64, offset: f64) -> TestObjective {
    let mut random = Random(7);
    let size = |j: usize| (-decades * j as f64 / (n - 1).max(1) as f64 * LN_10).exp();
    let a: Vec<Vec<f64>> = (0..300).map(|_| (0..n).map(|j| random.symmetric() * size(j)).collect()).collect();
    let truth: Vec<f64> = (0..n).map(|_| 2.0 * random.symmetric()).collect();
    let mean = move |x: &[f64], mean: &mut [f64]| {
        let mut p: Vec<f64> = a.iter().map(|row| dot(row, x)).collect();
        let log_z = softmax(&mut p);
        mean.fill(0.0);
        for (row, p) in a.iter().zip(&p) {
            mean.iter_mut().zip(row).for_each(|(mean, a)| *mean += p * a);
        }
        log_z
    };
    let mut mu = vec![0.0; n];
    mean(&truth, &mut mu);
    Box::new(move |x, g| {
        let log_z = mean(x, g);
        g.iter_mut().zip(&mu).for_each(|(g, mu)| *g -= mu);
        offset + log_z - dot(&mu, x)
    })
}

/// Mean negative log-likelihood of 60 points with 4 inputs and 3 classes, and a ridge of 1e-3.
fn softmax_regression() -> TestObjective {
    let mut random = Random(11);
    let mut draw = || {
        let x: [f64; 4] = std::array::from_fn(|_| random.symmetric());
        let noise = random.symmetric();
        let class = if x[0] + x[1] + noise < -0.4 { 0 } else { 2 - usize::from(x[0] - x[2] + noise < 0.3) };
        (x, class)
    };
    let data: Vec<([f64; 4], usize)> = (0..60).map(|_| draw()).collect();
    Box::new(move |w, g| {
        let mut f = 0.5e-3 * dot(w, w);
        g.iter_mut().zip(w).for_each(|(g, w)| *g = 1e-3 * w);
        for (x, class) in &data {
            let mut p: Vec<f64> = w.chunks(4).map(|w| dot(w, x)).collect();
            let score = p[*class];
            f += (softmax(&mut p) - score) / 60.0;
            p[*class] -= 1.0;
            for (g, p) in g.chunks_mut(4).zip(&p) {
                g.iter_mut().zip(x).for_each(|(g, x)| *g += p * x / 60.0);
            }
        }
        f
    })
}

/// A logistic regression with separable classes: the optimum lies at infinity.
fn separable(x: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut f = 0.0;
    for a in [[1.0, 0.2], [0.5, 1.0], [2.0, -0.5]] {
        let margin = dot(&a, x);
        f += (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
        g.iter_mut().zip(a).for_each(|(g, a)| *g -= a / (1.0 + margin.exp()));
    }
    f
}

/// Convex, with coupled neighbours; two in three of its parameters end at a bound of [0, 1].
fn quadratic(x: &[f64], g: &mut [f64]) -> f64 {
    let mut f = 0.0;
    for i in 0..x.len() {
        let (h, centre) = (1.0 + 10.0 * i as f64, [2.0, 0.4, -1.0][i % 3]);
        let (before, after) = (if i > 0 { x[i - 1] } else { 0.0 }, if i + 1 < x.len() { x[i + 1] } else { 0.0 });
        g[i] = h * (x[i] - centre) + 0.4 * (before + after);
        f += 0.5 * h * (x[i] - centre).powi(2) + 0.4 * x[i] * after;
    }
    f
}
