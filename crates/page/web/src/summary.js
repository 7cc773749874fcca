// What the page says, in a few sentences.

import { h } from './dom.js';
import { digits, number, plural, short } from './numbers.js';

const MODELS = {
  exact: 'maximum entropy, exact', causal: 'causal: the person decides, and chance decides the outcomes', 'causal-dual': 'causal, by feature matching',
  'recursive-logit': 'recursive logit: routes of any length between given ends', ziebart2008: 'Ziebart 2008, a baseline', ziebart2010: 'Ziebart 2010, a baseline',
};

export async function summary(page) {
  const { model, data } = page;
  const theta = model.theta;
  const order = theta.map((_, k) => k).sort((a, b) => Math.abs(theta[b]) - Math.abs(theta[a]));
  const some = order.slice(0, 4).filter(k => theta[k] !== 0);
  const sentences = [];
  const n = page.learnedHere?.n ?? model.n_demonstrations;
  sentences.push([`${plural(theta.length, 'weight')}${n ? ` learned from ${plural(n, 'demonstration')}` : ''} in a world of ${plural(page.world.n_states, 'state')} and ${plural(page.world.n_transitions, 'transition')}. `,
    `The model: ${MODELS[model.inference]}; paths of ${model.horizon === 'any' ? 'any length' : `at most ${plural(model.horizon, 'state')}`}, ending ${{ anywhere: 'anywhere', horizon: 'at the horizon or in a terminal state', terminal: 'in a terminal state', goal: 'at a given goal' }[model.ends]}.`]);
  if (some.length) sentences.push(['A weight is the reward of one unit of its feature. The largest in size: ', some.flatMap((k, at) => [at ? ', ' : '', h('b', {}, page.name(k)), ' ', number(theta[k])]), '.']);
  if (page.hasDemos()) {
    const fit = await page.ask({ ask: 'fit' }).catch(error => ({ error }));
    if (fit.error) sentences.push([`How well it fits is not known: ${fit.error.message}.`]);
    else {
      const gain = fit.null_log_likelihood === null ? null : fit.log_likelihood - fit.null_log_likelihood;
      sentences.push(['The mean log-likelihood of a demonstration is ', digits(fit.log_likelihood, 8),
        ...(gain === null ? ['.'] : [`, ${gain >= 0 ? 'up' : 'down'} from `, digits(fit.null_log_likelihood, 8), ' without any preference (all weights 0). ',
          gain > 0 ? `So the model makes the typical demonstration ${gain < 12 ? `${short(Math.exp(gain))} times` : `e^${gain.toFixed(1)} times`} likelier.` : 'So these weights explain nothing.'])]);
      if (model.luck && !page.isMoved && model.luck.luck > 0.01) sentences.push(['Of that gain, ', number(model.luck.luck), ' of ', number(model.luck.explained), ' is luck: this model also makes lucky outcomes likelier, which nobody chose. A causal model (--inference causal) does not.']);
      const gaps = fit.observed.map((value, k) => [Math.abs(value - fit.expected[k]), k]).sort((a, b) => b[0] - a[0])[0];
      sentences.push(gaps[0] < 1e-5 ? ['On average the model expects every feature exactly as often as it was observed.']
        : ['Where it misses most: it expects ', number(fit.expected[gaps[1]]), ' of ', h('b', {}, page.name(gaps[1])), ' in a path, and ', number(fit.observed[gaps[1]]), ' were observed.']);
    }
    const scores = await page.ask({ ask: 'scores' }).catch(() => null);
    const impossible = scores ? scores.n_demonstrations - scores.n_scored : 0;
    if (impossible) sentences.push([h('b', {}, `${plural(impossible, 'demonstration')} cannot happen in this model`), ': see below why.']);
  } else sentences.push(['The report was made without demonstrations, so it cannot say how well the model fits: give them to ', h('code', {}, 'revealed report'), '.']);
  if (model.converged === false) sentences.push([h('b', {}, 'The search did not converge'), `: ${model.stopped_because}.`]);
  const bound = (model.bounds ?? []).filter(([low, high], k) => theta[k] === low || theta[k] === high).length;
  if (bound) sentences.push([`${plural(bound, 'weight')} ${bound === 1 ? 'is' : 'are'} at a bound of the search: the data would push ${bound === 1 ? 'it' : 'them'} further.`]);
  return { element: [page.learnedHere && h('p', { class: 'learned-here' }, `Learned in this page from ${page.learnedHere.name}.`),
    h('ul', { class: 'short' }, sentences.map(parts => h('li', {}, parts))), data.files.model && null] };
}
