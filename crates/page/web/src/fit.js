// How well the model fits: features, scores, lengths, visits, and the demonstrations that surprise it.

import { curves, histogram, scatter } from './charts.js';
import { h, put, table } from './dom.js';
import { chance, digits, number, percent, plural } from './numbers.js';
import { arrows } from './world.js';

const figure = (picture, words) => picture && h('figure', {}, picture, h('figcaption', {}, words));

export async function fitSection(page) {
  if (!page.hasDemos()) return null;
  const [fit, scores] = await Promise.all([{ ask: 'fit' }, { ask: 'scores' }].map(question => page.ask(question).catch(error => ({ error }))));
  const parts = [];
  const rows = [];
  if (!fit.error) {
    rows.push(['log-likelihood of a demonstration, mean', digits(fit.log_likelihood, 8)], ['log-likelihood of all', digits(fit.total_log_likelihood, 8)]);
    if (fit.null_log_likelihood !== null) rows.push(['the same mean at θ = 0', digits(fit.null_log_likelihood, 8)]);
    if (fit.log_partition !== null) rows.push(['log Z', digits(fit.log_partition, 8)]);
  }
  if (!scores.error && scores.perplexity_per_step !== null) rows.push(['perplexity of a step', number(scores.perplexity_per_step)]);
  if (rows.length) parts.push(table('how well it fits', [['', false], ['', true]], rows),
    h('p', { class: 'note' }, 'A log-likelihood is in nats. A perplexity of 2 is as uncertain as a fair choice between two.'));
  if (fit.error) parts.push(h('p', { class: 'note refused' }, `No log-likelihood: ${fit.error.message}`));
  const figures = [];
  if (!fit.error) {
    const points = fit.observed.map((x, k) => ({ x, y: fit.expected[k], title: `${page.name(k)}: observed ${x}, expected ${fit.expected[k]}` }));
    figures.push(figure(scatter('Observed and expected features', points, 'observed in a demonstration', 'expected by the model'),
      'Each dot is a feature: its mean sum over a demonstration (to the right) and over a path of the model (up). On the dashed line they agree.'));
  }
  if (!scores.error) {
    const values = scores.demonstrations.map(row => row.per_step).filter(value => value !== null && value !== undefined);
    figures.push(figure(histogram('Scores of demonstrations', values, 'log-likelihood per step'), 'How likely the model finds each demonstration, per step. Those on the left surprise it: they are listed below.'));
  } else parts.push(h('p', { class: 'note refused' }, `No scores: ${scores.error.message}`));
  if (page.learnedHere?.trace.length > 1) figures.push(figure(curves('The search', [{ kind: 'model', name: 'objective', points: page.learnedHere.trace.map(row => [row[0], row[1]]) }], 'evaluations', 'mean log-likelihood', false),
    'The search in this page: the mean log-likelihood after each iteration.'));
  parts.push(h('div', { class: 'figures' }, figures));
  if (!fit.error) {
    const gaps = fit.observed.map((observed, k) => ({ k, observed, expected: fit.expected[k], gap: fit.expected[k] - observed })).sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap));
    parts.push(h('details', {}, h('summary', {}, 'Observed and expected features as a table'), table('observed and expected features',
      [['feature', false], ['observed', true], ['expected', true], ['difference', true]],
      gaps.slice(0, 100).map(row => [page.name(row.k), number(row.observed), number(row.expected), number(row.gap)]))));
  }
  return { element: parts };
}

export async function compareSection(page) {
  if (!page.hasDemos()) return null;
  const { visits, lengths } = await page.ask({ ask: 'compared' });
  const parts = [];
  const series = [{ name: 'data', kind: 'data', points: lengths.observed }];
  if (!lengths.expected.error) series.push({ name: 'model', kind: 'model', points: cut(lengths.expected, lengths.observed.at(-1)[0]) });
  const mean = rows => rows.reduce((sum, [length, p]) => sum + length * p, 0);
  parts.push(h('div', { class: 'figures' }, figure(curves('Lengths of model and data', series, 'states in a path', 'share of the paths'),
    ['How long paths are. Mean: ', number(mean(lengths.observed)), ' states in the data', lengths.expected_mean == null ? '' : [', ', number(lengths.expected_mean), ' in the model'], '. ', lengths.expected.error && `The model's curve is missing: ${lengths.expected.error}.`])));
  if (visits.expected.error) parts.push(h('p', { class: 'note refused' }, `No expected visits: ${visits.expected.error}`));
  else {
    const rows = visits.expected.map((expected, state) => ({ state, expected, observed: visits.observed[state], gap: expected - visits.observed[state] }));
    rows.sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap));
    parts.push(h('h3', {}, 'Visits that differ most'), table('visits that differ most', [['state', false], ['observed', true], ['expected', true], ['difference', true]],
      rows.slice(0, 8).map(row => [page.stateName(row.state), number(row.observed), number(row.expected), number(row.gap)])),
    h('p', { class: 'note' }, 'Mean visits of a path to a state, discounted as the problem says. The world above shows all of them: choose "Model less data".'));
  }
  return { element: parts };
}

// The long tail of a distribution that hardly any path is in.
function cut(rows, longest) {
  let sum = 0;
  const end = rows.findIndex(([length, p]) => { sum += p; return sum > 0.999 && length >= longest; });
  return end < 0 ? rows : rows.slice(0, end + 1);
}

const event = what => (what === 'stop' ? 'the end' : 'state' in what ? `state ${what.state}` : `action ${what.action}`);
const WORDS = { start: 'began in', choice: 'took', outcome: 'was led to', stop: 'came to' };

export async function surprisesSection(page) {
  if (!page.hasDemos()) return null;
  const scores = await page.ask({ ask: 'scores' });
  const rows = [...scores.demonstrations].sort((a, b) => (a.per_step ?? -Infinity) - (b.per_step ?? -Infinity));
  const impossible = rows.filter(row => row.log_likelihood === null);
  const worst = rows.filter(row => row.log_likelihood !== null).slice(0, 5);
  const name = row => `demonstration ${row.index}${row.id ? ` (id ${row.id})` : ''}`;
  const parts = [h('p', {}, 'The least likely by the step. A step that has a small probability is a place where the model is wrong, or the person did something unusual.')];
  if (impossible.length) parts.push(h('h3', {}, `${plural(impossible.length, 'demonstration')} that cannot happen in this model`),
    h('ul', {}, impossible.slice(0, 5).map(row => h('li', {}, `${name(row)}: ${row.impossible_because}`))));
  for (const row of worst) {
    // The step that is furthest below what the model expected: a start among many is unlikely, and no surprise.
    const gap = one => one.likeliest_log_probability - one.log_probability;
    const first = [...row.surprises].sort((a, b) => gap(b) - gap(a))[0];
    const place = h('div');
    const details = h('details', { 'data-demonstration': row.index, ontoggle: () => { if (details.open && !place.firstChild) steps(page, row.index, place); } },
      h('summary', {}, h('b', {}, name(row)), ': ', number(row.per_step), ' per step, ', number(row.log_likelihood), ` for ${plural(row.length, 'state')}. `,
        first && `At step ${first.t}, in state ${first.state}, it ${WORDS[first.kind]} ${event(first.happened)} (${chance(first.log_probability)}); the model expected ${event(first.likeliest)} (${chance(first.likeliest_log_probability)}).`), place);
    parts.push(details);
  }
  return { element: parts };
}

async function steps(page, index, place) {
  try {
    const found = await page.ask({ ask: 'steps', demonstration: index });
    const of = factor => number(Math.exp(factor.log_probability), percent(Math.exp(factor.log_probability)));
    const rows = found.steps.map(step => [String(step.t), `${step.state}`, `${step.action}`, of(step.choice), event(step.choice.likeliest), `${step.to}`, of(step.outcome)]);
    const last = found.steps.at(-1);
    rows.push([String(found.length), String(last ? last.to : ''), 'the end', of(found.stop), event(found.stop.likeliest), '', '']);
    put(place, table(`steps of demonstration ${index}`, [['t', true], ['state', false], ['action', false], ['p of the action', true], ['expected', false], ['led to', false], ['p of that', true]], rows),
      h('p', { class: 'note' }, arrows({ states: [...found.steps.map(step => step.state), last?.to ?? ''], actions: found.steps.map(step => step.action) })));
  } catch (error) {
    put(place, h('p', { class: 'note refused' }, `No answer: ${error.message}`));
  }
}

