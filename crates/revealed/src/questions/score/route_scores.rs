//! Scores of demonstrations under the recursive logit: among paths of any length between their own ends.

use std::collections::HashMap;

use crate::Error;
use crate::cancel::Cancel;
use crate::engine::elimination::EliminationScratch;
use crate::model::RouteSums;
use crate::model::border;
use crate::model::route_sums::log_weight;
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::scaled::Scaled;
use crate::numeric::threads::Threads;
use crate::questions::score::{Event, Factor, Score, ScoredStep};
use crate::world::{Demonstrations, Mdp, Reward};

/// Scores every demonstration given its own first and last state, among paths of any length
/// ([`RouteChoice`](crate::RouteChoice)). The memory budget is not used. With G(s, g) the sum over all paths from s to g:
///
/// ```text
/// π(a|s, g) p(s'|s, a, g) = q(a, s'|s) e^{R(s,a,s') + R(s')} G(s', g) / G(s, g)         p(stop|g, g) = 1 / G(g, g)
/// ```
///
/// ```
/// use revealed::{Demonstrations, MdpBuilder, Reward, Trajectory, Work, route_scores};
///
/// // From 0 to 1, then any number of times round a loop there. Each round has weight 1/2.
/// let mut builder = MdpBuilder::new(2, 1);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(1, 0, 1, 1.0);
/// let mdp = builder.build()?;
/// let reward = Reward::of_states(vec![0.0, 0.5f64.ln()]);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1, 1], vec![0, 0])])?;
/// let scores = route_scores(&mdp, &reward, &demos, &Work::default())?;
/// // One round, then the path ends.
/// assert!((scores[0].log_likelihood - 0.25f64.ln()).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// Returns any error of [`RouteSums::new`], and [`Error::NoSum`] if a sum does not fit into an f64. It is also an error
/// if the number of threads is out of range.
pub fn route_scores(mdp: &Mdp, reward: &Reward, demos: &Demonstrations, work: &Work) -> Result<Vec<Score>, Error> {
    let routes = ScoredRoutes { mdp, reward, demos, sums: RouteSums::new(mdp, reward, work)? };
    let all = || {
        let of = |scratch: &mut EliminationScratch, index| routes.score(index, scratch);
        parallel::map_with(0..demos.len(), EliminationScratch::default, of).into_iter().collect()
    };
    Threads::new(work.threads)?.run_if(demos.len() > 1, all)
}

struct ScoredRoutes<'a> {
    mdp: &'a Mdp,
    reward: &'a Reward,
    demos: &'a Demonstrations,
    sums: RouteSums,
}

impl ScoredRoutes<'_> {
    fn score(&self, index: usize, scratch: &mut EliminationScratch) -> Result<Score, Error> {
        let states: Vec<usize> = self.demos.states(index).iter().map(|&state| state as usize).collect();
        let goal = states[states.len() - 1];
        let mut onwards = Onwards { sums: &self.sums, goal, scratch, known: HashMap::new() };
        let mut score = Score::starting_in(states[0]);
        for (&state, &transition) in states.iter().zip(self.demos.transitions(index)) {
            Cancel::check()?;
            let transition = transition as usize;
            let choice = self.mdp.choice_of()[transition] as usize;
            let moves = self.moves(state, &mut onwards);
            let outcomes: Vec<(Event, Scaled)> = self.outcomes(choice, &mut onwards).collect();
            let to = self.mdp.to()[transition] as usize;
            if onwards.of(to).is_zero() {
                return Err(Error::NoSum { pair: Some([to, goal]) });
            }
            score.steps.push(ScoredStep {
                choice: Factor::of(&moves, Event::Action(self.mdp.action_of(choice))),
                outcome: Factor::of(&outcomes, Event::State(to)),
            });
        }
        score.stop = Factor::of(&self.moves(goal, &mut onwards), Event::Stop);
        let sum = score.factors().map(|surprise| surprise.factor.log_probability).sum();
        score.log_likelihood = border::log_probability("the log-likelihood of a demonstration", sum)?;
        Ok(score)
    }

    /// The weights of the actions of a state and of ending there.
    fn moves(&self, state: usize, onwards: &mut Onwards<'_>) -> Vec<(Event, Scaled)> {
        let mut moves = Vec::new();
        for choice in self.mdp.choices(state) {
            let weight = self.outcomes(choice, onwards).map(|outcome| outcome.1).sum();
            moves.push((Event::Action(self.mdp.action_of(choice)), weight));
        }
        moves.push((Event::Stop, if state == onwards.goal { Scaled::ONE } else { Scaled::ZERO }));
        moves
    }

    fn outcomes(&self, choice: usize, onwards: &mut Onwards<'_>) -> impl Iterator<Item = (Event, Scaled)> {
        self.mdp.outcomes(choice).map(move |transition| {
            let to = self.mdp.to()[transition] as usize;
            (Event::State(to), Scaled::exp(log_weight(self.mdp, self.reward, transition)) * onwards.of(to))
        })
    }
}

/// G(s, g) of the states along a path, cached: neighbouring states share successors.
struct Onwards<'a> {
    sums: &'a RouteSums,
    goal: usize,
    scratch: &'a mut EliminationScratch,
    known: HashMap<usize, Scaled>,
}

impl Onwards<'_> {
    fn of(&mut self, state: usize) -> Scaled {
        let Onwards { sums, goal, scratch, known } = self;
        *known.entry(state).or_insert_with(|| sums.pair([state, *goal], scratch).map_or(Scaled::ZERO, Scaled::exp))
    }
}
