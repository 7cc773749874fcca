//! Ziebart's algorithms as an early public version of the authors' program implemented them.
//!
//! It is written anew from a reading of that program (github.com/aaronsnoswell/unimodal-irl). It differs from the
//! published algorithms in six ways:
//!
//! 1. Z_a is one number for each action, summed over all states, instead of one for each state and action.
//! 2. Z_s adds Z_a once for each outcome of the action, so that Σ_a P(a|s) is 1/2 or 1/3 where the lake is slippery.
//! 3. The initial distribution is added at each step, and there is one step more.
//! 4. Terminal states are self-loops.
//! 5. In 2010, the mask of terminal states has the integers 0 and 1, and is used as an index. So it marks the states 0
//!    and 1. In all other states, the test for "never reached" is true, and actions are uniform.
//! 6. θ moves by +step · (expected - observed), against the gradient.
//!
//! It joins two commits: 6 is in e737e8c, and the uniform actions of 5 are in the later 02ea22b. No single commit that was
//! read has both. With e737e8c alone, a scratch version gave 634.0 for 2010, too.

use revealed::{Mdp, ZiebartVersion};

/// The step of that program, and the change of θ at which it stops.
pub(crate) const STEP: f64 = 1e-4;
pub(crate) const TOLERANCE: f64 = 1e-6;

/// The dynamics with terminal states as self-loops: p(s'|s,a) by state and action.
pub(crate) struct Dynamics {
    states: usize,
    actions: usize,
    /// (s, a, s', p).
    transitions: Vec<(usize, usize, usize, f64)>,
    start: Vec<f64>,
    terminal: Vec<bool>,
}

impl Dynamics {
    pub fn new(mdp: &Mdp) -> Dynamics {
        let (states, actions) = (mdp.n_states(), mdp.n_actions());
        let terminal: Vec<bool> = (0..states).map(|state| mdp.is_terminal(state)).collect();
        let mut transitions = Vec::new();
        for (state, &ends) in terminal.iter().enumerate() {
            for choice in mdp.choices(state) {
                let of = |t: usize| (state, mdp.action_of(choice), mdp.to()[t] as usize, mdp.probability()[t]);
                transitions.extend(mdp.outcomes(choice).map(of));
            }
            if ends {
                transitions.extend((0..actions).map(|action| (state, action, state, 1.0)));
            }
        }
        let mut start = vec![0.0; states];
        mdp.start().iter().for_each(|&(state, p)| start[state] += p);
        Dynamics { states, actions, transitions, start, terminal }
    }

    /// The "expected visits" for the reward θ, with N = `horizon`.
    pub fn visits(&self, version: ZiebartVersion, theta: &[f64], horizon: usize) -> Vec<f64> {
        let probability = self.action_probabilities(version, theta, horizon);
        let flow = |&(state, action, to, p): &(usize, usize, usize, f64)| {
            let p = probability[state * self.actions + action] * p;
            // In 2008, visits flow from a state's children to the state, as printed.
            if version == ZiebartVersion::Y2008 { (to, state, p) } else { (state, to, p) }
        };
        let flows: Vec<(usize, usize, f64)> = self.transitions.iter().map(flow).collect();
        let (mut now, mut visits) = (self.start.clone(), self.start.clone());
        let mut next = self.start.clone();
        for _ in 0..horizon {
            next.copy_from_slice(&self.start);
            flows.iter().for_each(|&(from, to, p)| next[to] += now[from] * p);
            visits.iter_mut().zip(&next).for_each(|(visits, next)| *visits += next);
            std::mem::swap(&mut now, &mut next);
        }
        visits
    }

    /// P(a|s) by state and action.
    fn action_probabilities(&self, version: ZiebartVersion, theta: &[f64], horizon: usize) -> Vec<f64> {
        let late = version == ZiebartVersion::Y2010;
        let (z_states, z_actions) = self.partitions(late, theta, horizon);
        let by_index = |state: usize| self.terminal.iter().any(|&terminal| usize::from(terminal) == state);
        let of = |state: usize, action: usize| match late && !by_index(state) {
            true => 1.0 / self.actions as f64,
            false => z_actions[action] / z_states[state],
        };
        (0..self.states * self.actions).map(|place| of(place / self.actions, place % self.actions)).collect()
    }

    /// Z_s and Z_a after N sweeps, divided by the largest Z_s so that they stay in range.
    fn partitions(&self, late: bool, theta: &[f64], horizon: usize) -> (Vec<f64>, Vec<f64>) {
        let factor: Vec<f64> = theta.iter().map(|theta| theta.exp()).collect();
        let mut z_states = vec![if late { 0.0 } else { 1.0 }; self.states];
        if late {
            self.terminal.iter().for_each(|&terminal| z_states[usize::from(terminal)] = 1.0);
        }
        let mut z_actions = vec![0.0; self.actions];
        let mut scale = 1.0;
        for _ in 0..horizon {
            z_actions.fill(0.0);
            for &(state, action, to, p) in &self.transitions {
                z_actions[action] += p * factor[state] * z_states[to];
            }
            z_states.fill(0.0);
            for &(state, action, _, _) in &self.transitions {
                z_states[state] += z_actions[action] + if late && self.terminal[state] { scale } else { 0.0 };
            }
            let largest = z_states.iter().fold(0.0, |most: f64, &z| most.max(z));
            z_states.iter_mut().chain(&mut z_actions).for_each(|z| *z /= largest);
            scale /= largest;
        }
        (z_states, z_actions)
    }

    /// θ within bounds, after this many steps or when it no longer changes.
    pub fn learn(
        &self,
        version: ZiebartVersion,
        observed: &[f64],
        bounds: (f64, f64),
        horizon: usize,
        steps: usize,
    ) -> Vec<f64> {
        let mut theta = vec![0.0; self.states];
        for _ in 0..steps {
            let expected = self.visits(version, &theta, horizon);
            let mut change: f64 = 0.0;
            for (theta, (expected, observed)) in theta.iter_mut().zip(expected.iter().zip(observed)) {
                let next = (*theta + STEP * (expected - observed)).clamp(bounds.0, bounds.1);
                change = change.max((next - *theta).abs());
                *theta = next;
            }
            if change < TOLERANCE {
                break;
            }
        }
        theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revealed::MdpBuilder;

    /// s_0 chooses between s_0 or s_1 with probability 1/2 each (action 0) and s_2 (action 1); s_1 and s_2 are terminal.
    fn three_states() -> Dynamics {
        let mut builder = MdpBuilder::new(3, 2);
        builder.start(0, 1.0).terminal(1).terminal(2);
        builder.transition(0, 0, 0, 0.5).transition(0, 0, 1, 0.5).transition(0, 1, 2, 1.0);
        Dynamics::new(&builder.build().unwrap())
    }

    /// One sweep by hand with e^θ = (2, 3, 5). From Z = 1: Z_a = (2 + 3 + 5, 2 + 3 + 5) = (10, 10), Z_s = (30, 20, 20).
    #[test]
    fn one_sweep_of_2008_by_hand() {
        let lake = three_states();
        let theta = [2.0f64, 3.0, 5.0].map(f64::ln);
        let p = lake.action_probabilities(ZiebartVersion::Y2008, &theta, 1);
        let expected = [1.0 / 3.0, 1.0 / 3.0, 0.5, 0.5, 0.5, 0.5];
        assert!(p.iter().zip(expected).all(|(p, expected)| (p - expected).abs() < 1e-12), "{p:?}");
        // D_1 = (1, 0, 0). D_2(s) = p0(s) + Σ P(a|s) p(s'|s,a) D_1(s'): 1 + 1/3 · 1/2 in s_0.
        let visits = lake.visits(ZiebartVersion::Y2008, &theta, 1);
        assert!((visits[0] - (2.0 + 1.0 / 6.0)).abs() < 1e-12 && visits[1] == 0.0 && visits[2] == 0.0, "{visits:?}");
    }

    /// The mask (0, 1, 1) used as an index sets Z of s_0 and s_1, so that s_2 alone is "never reached". Z_a = (2 · 1/2 · 1 +
    /// 2 · 1/2 · 1 + 3, 3) = (5, 3), and Z_s = (5 + 5 + 3, 5 + 3 + 2, …) = (13, 10, …).
    #[test]
    fn one_sweep_of_2010_by_hand() {
        let lake = three_states();
        let theta = [2.0f64, 3.0, 5.0].map(f64::ln);
        let p = lake.action_probabilities(ZiebartVersion::Y2010, &theta, 1);
        let expected = [5.0 / 13.0, 3.0 / 13.0, 0.5, 0.3, 0.5, 0.5];
        assert!(p.iter().zip(expected).all(|(p, expected)| (p - expected).abs() < 1e-12), "{p:?}");
        let visits = lake.visits(ZiebartVersion::Y2010, &theta, 1);
        let expected = [2.0 + 2.5 / 13.0, 2.5 / 13.0, 3.0 / 13.0];
        assert!(visits.iter().zip(expected).all(|(visits, expected)| (visits - expected).abs() < 1e-12), "{visits:?}");
    }

    /// A step against the gradient moves away from the demonstrations, and bounds stop it.
    #[test]
    fn the_search_goes_the_wrong_way() {
        let lake = three_states();
        let after = |steps| lake.learn(ZiebartVersion::Y2010, &[0.5, 0.2, 0.3], (-0.5, 0.5), 2, steps);
        let first = lake.visits(ZiebartVersion::Y2010, &[0.0; 3], 2);
        assert!((after(1)[0] - STEP * (first[0] - 0.5)).abs() < 1e-15 && first[0] > 0.5);
        assert_eq!(after(100_000)[0], 0.5);
    }
}
