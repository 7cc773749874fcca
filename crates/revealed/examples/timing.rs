use revealed::*;
use std::time::Instant;
fn main() {
    let w = worlds::road_like(292_604, 594_933, 1).unwrap();
    let s0 = w.mdp.start()[0].0;
    let demos = Demonstrations::new(&w.mdp, &[Trajectory::new(vec![s0], vec![])]).unwrap();
    for threads in [1, 2] {
        let o = Options { horizon: Some(400), threads: Some(threads), ..Default::default() };
        let mut l = Likelihood::new(&w.mdp, &w.features, &demos, &o).unwrap();
        for scale in [1.0, 0.5, 20.0] {
            let theta: Vec<f64> = w.theta.iter().map(|x| x * scale).collect();
            for _ in 0..3 {
                let t = Instant::now();
                let e = l.evaluate(&theta).unwrap();
                println!(
                    "threads {threads} scale {scale}: {:.3} s  {:?} {:?}",
                    t.elapsed().as_secs_f64(),
                    e.log_partition,
                    &e.gradient[..2]
                );
            }
        }
    }
}
