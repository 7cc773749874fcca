// The weights: sorted, named, with intervals, and with sliders where the engine answers.

import { whisker } from './charts.js';
import { h, put, table } from './dom.js';
import { number, plural, tick } from './numbers.js';

const FIRST = 20;

export async function summaryOf(page) {
  if (page.isMoved) return null;
  if (page.model.summary) return page.model.summary;
  if (!page.hasDemos() || page.model.worlds || page.model.model_free) return null;
  // What would take long when the page was written takes longer here.
  if (page.data.answers.some(row => row.question.ask === 'summary' && row.error) && !page.learnedHere) return null;
  if (page.model.theta.length > 300) return null;
  return page.ask({ ask: 'summary', level: 0.95 }).catch(() => null);
}

export async function thetaSection(page) {
  const summary = await summaryOf(page);
  const { model, world } = page;
  const theta = [...model.theta];
  const truth = world.true_theta;
  const order = theta.map((_, k) => k).sort((a, b) => Math.abs(theta[b]) - Math.abs(theta[a]) || a - b);
  const ends = order.slice(0, 200).flatMap(k => [theta[k], ...(summary?.intervals[k] ?? [])]).filter(Number.isFinite);
  const size = theta.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  // Wide intervals of few weights should not make all the others points.
  const range = [Math.max(-6 * size, Math.min(0, ...ends)), Math.min(6 * size, Math.max(0, ...ends))];
  const used = summary && (summary.errors === 'robust' && summary.robust_standard_errors) ? summary.robust_standard_errors : summary?.standard_errors;
  const columns = [['feature', false], ['weight', true], page.engine.isAlive && ['try another', false, 'tries'], summary && ['standard error', true], summary && [`${tick(100 * summary.level)} % interval`, true],
    ['on one axis', false], truth && ['true weight', true]].filter(Boolean);
  const row = k => {
    const value = h('span', {}, number(theta[k]));
    const interval = summary?.intervals[k];
    const slider = page.engine.isAlive && h('input', { type: 'range', class: 'slider', min: -2 * size, max: 2 * size, step: 'any', value: theta[k], 'aria-label': `weight of ${page.name(k)}`,
      'data-feature': k, oninput: () => {
        theta[k] = +slider.value;
        put(value, number(theta[k]));
        page.soon('theta', () => page.setTheta([...theta]));
      } });
    return [page.name(k), value, slider, summary && (used[k] === null ? summary.standing[k] : number(used[k])),
      summary && (interval ? [number(interval[0]), ' to ', number(interval[1])] : '–'), whisker(`weight and interval of ${page.name(k)}`, theta[k], interval, range),
      truth && number(truth[k])].filter(cell => cell !== null && cell !== false && cell !== undefined);
  };
  const place = h('div');
  const show = many => {
    const rest = order.length - many;
    put(place, table('the weights', columns, order.slice(0, many).map(row)),
      rest > 0 ? h('p', { class: 'controls' }, h('button', { type: 'button', onclick: () => show(order.length) }, `show ${plural(rest, 'smaller weight')} too`)) : '');
  };
  show(Math.min(order.length, FIRST + 4 > order.length ? order.length : FIRST));
  const errors = summary && (summary.errors === 'robust' ? 'Robust (sandwich) standard errors.' : 'Standard errors of the model: if it is right, and demonstrations are independent.');
  return { element: [
    h('p', {}, 'A weight is what one unit of a feature adds to the reward of a path; the probability of a path grows by e to the power of it. The largest come first.',
      page.engine.isAlive ? ' Move a slider, and everything below follows.' : ''), place,
    h('p', { class: 'note' }, 'The dot is the weight, the line its interval, the thin rule is 0. ', errors,
      !summary && !page.isMoved && ' There are no intervals: they need the demonstrations that the model was learned from.',
      model.worlds && ` The model was learned in ${plural(model.worlds.length, 'world')}; learn with --summary for intervals.`,
      model.model_free && ' The model was learned from samples: see the note of its file on their errors.')] };
}

export async function identifiedSection(page) {
  const summary = await summaryOf(page);
  const { model } = page;
  const notes = page.isMoved ? [] : [...model.notes, ...(summary?.notes ?? [])];
  const parts = [];
  if (notes.length) parts.push(h('ul', {}, notes.map(note => h('li', {}, note))));
  const directions = (title, rows) => rows?.length && parts.push(h('h3', {}, title),
    table(title, [['direction', false], ['changes rewards', false]], rows.slice(0, 20).map(one => [one.words, one.changes_rewards ? 'yes, but the data do not say how' : 'no'])));
  if (summary) {
    directions('Directions of the weights that are not identified', summary.unidentified);
    if (summary.weak.length) parts.push(h('h3', {}, 'Directions that are weakly identified'), table('weak directions', [['direction', false], ['share of the information', true]],
      summary.weak.slice(0, 20).map(one => [one.words, number(one.share)])));
    if (summary.correlations.length) parts.push(h('h3', {}, 'Estimates that move together'), table('correlations', [['weights', false], ['correlation', true]],
      summary.correlations.slice(0, 10).map(([a, b, r]) => [`${page.name(a)}, ${page.name(b)}`, number(r)])));
  }
  if (model.luck) parts.push(h('p', {}, 'Luck: of the ', number(model.luck.explained), ' by which the model explains a demonstration, ', number(model.luck.luck), ' is the likelihood of outcomes that nobody chose.'));
  if (!parts.length) {
    if (!summary) {
      const why = page.isMoved ? 'These are your weights, which no data have chosen.' : 'Without standard errors, the page cannot say what is identified.';
      const asked = page.data.answers.find(row => row.question.ask === 'summary' && row.error);
      parts.push(h('p', {}, why, asked ? ` ${asked.error}.` : ''));
    } else parts.push(h('p', {}, 'Every direction of the weights is identified by these demonstrations.'));
  }
  return { element: parts };
}

