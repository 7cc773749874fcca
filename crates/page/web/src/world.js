// The world with the values of its states, and what one can ask by clicking on it.

import { h, put, s, table } from './dom.js';
import { brief, number, percent, plural, tiny } from './numbers.js';
import { neighbour, placesOf } from './places.js';
import { scaleOf } from './scales.js';

const LARGEST_WITH_VALUES = 150;

// What the colours may show. Each gives the values of the states, a unit, and a sentence.
const SHOWN = {
  reward: ['Reward', 'reward of a visit', async page => {
    const reward = await page.ask({ ask: 'reward' });
    if (!reward.transition.length) return { values: reward.state };
    // A reward of transitions is shown where they begin.
    const [sums, counts] = [reward.state.map(() => 0), reward.state.map(() => 0)];
    page.world.transitions.forEach(([from], at) => { sums[from] += reward.transition[at]; counts[from] += 1; });
    const values = reward.state.map((value, state) => value + (counts[state] ? sums[state] / counts[state] : 0));
    return { values, note: 'The reward of a state, and the mean reward of the transitions from it.' };
  }],
  visits: ['Expected visits', 'expected visits of a path, discounted', async page => {
    const { state } = await page.ask({ ask: 'marginals', t: null, ...page.ends() });
    return { values: state, note: page.aboutEnds() };
  }],
  time: ['Visits at one time', 'probability of being there', async page => {
    const { state } = await page.ask({ ask: 'marginals', t: page.view.t, ...page.ends() });
    const there = state.reduce((sum, p) => sum + p, 0);
    return { values: state, note: `${percent(there)} of the paths have ${plural(page.view.t, 'state')} or more. ${page.aboutEnds()}` };
  }],
  difference: ['Model less data', 'expected less observed visits of a path, discounted', async page => {
    const { visits } = await page.ask({ ask: 'compared' });
    if (visits.expected.error) throw new Error(visits.expected.error);
    const values = visits.expected.map((value, state) => value - visits.observed[state]);
    return { values, note: 'Orange: the model goes there more often than the demonstrations. Blue: less often.' };
  }],
  observed: ['Observed visits', 'visits of a demonstration, discounted', async page => ({ values: (await page.ask({ ask: 'compared' })).visits.observed })],
  policy: ['Policy', 'probability that the path ends there', async page => {
    const policy = await page.ask({ ask: 'policy', t: page.view.t, ...page.ends() });
    return { values: policy.stop, policy, note: `Lines lead to the likely next states; the wider, the likelier. Colours show where paths end. ${page.aboutEnds()}` };
  }],
  destinations: ['Destinations', 'probability of ending there', async page => {
    const prefix = page.view.prefix;
    if (!prefix.states.length) throw new Error('draw the beginning of a path first: choose "begin a path" and click on states');
    const answer = await page.ask({ ask: 'destinations', ...prefix, top: null });
    const values = new Array(page.world.n_states).fill(0);
    answer.posterior.forEach(([state, p]) => { values[state] = p; });
    return { values, answer, note: answer.prior === 'uniform' ? 'Before the first step, all destinations are taken to be equally likely.' : null };
  }],
};

export function worldSection(page) {
  const { world, data } = page;
  page.places ??= placesOf(world, data.shapes);
  page.view ??= { shown: 'reward', t: 1, tool: 'ends', from: null, to: null, prefix: { states: [], actions: [] }, cursor: world.start[0]?.[0] ?? 0, paths: [], turn: 0 };
  const { view, places } = page;

  const drawing = s('g');
  const above = s('g');
  const cursor = s('circle', { class: 'cursor', r: Math.max(6, places.size * (places.shape === 'cell' ? 0.44 : 0.6)) });
  const svg = s('svg', { viewBox: `0 0 ${places.width.toFixed(1)} ${places.height.toFixed(1)}`, class: `world ${places.shape}`, tabindex: 0,
    role: 'application', 'aria-label': 'the world: arrow keys move between states, Enter chooses one', 'aria-describedby': 'state-said' }, drawing, above, cursor);
  const widest = `${Math.min(1100, Math.max(320, places.width * 1.1))}px`;
  const legend = h('div', { class: 'legend' });
  const note = h('p', { class: 'note' });
  const said = h('p', { id: 'state-said', 'aria-live': 'polite' });
  const answer = h('div', { class: 'answer', id: 'answer' });

  const map = h('div', { class: 'map' }, svg, said);
  // Not wider than it needs, so that the answer has a place beside it.
  map.style.maxWidth = widest;

  const elements = drawStates(drawing, page);
  const time = h('input', { type: 'range', id: 'time', min: 1, max: page.longest(), step: 1, value: view.t, oninput: () => {
    view.t = +time.value;
    timeValue.textContent = `t = ${view.t}`;
    if (view.shown !== 'policy') view.shown = 'time';
    choice.value = view.shown;
    page.soon('colours', colours);
  } });
  const timeValue = h('output', { for: 'time' }, `t = ${view.t}`);
  const timeLine = h('label', { class: 'time control', for: 'time' }, 'time ', time, timeValue);
  const offered = Object.entries(SHOWN).filter(([key]) => (page.engine.isAlive || ['reward', 'visits', 'difference', 'observed', 'policy'].includes(key))
    && (page.hasDemos() || !['difference', 'observed'].includes(key)) && (page.engine.isAlive || key !== 'policy' || page.isKnown('policy')));
  const choice = h('select', { id: 'shown', onchange: () => { view.shown = choice.value; colours(); } },
    offered.map(([key, [title]]) => h('option', { value: key }, title)));
  choice.value = view.shown;

  async function colours() {
    const [title, unit, find] = SHOWN[view.shown];
    timeLine.hidden = !(page.engine.isAlive && ['time', 'policy'].includes(view.shown));
    note.className = 'note';
    const asked = ++view.turn;
    try {
      const found = await find(page);
      // A later choice may have been answered already.
      if (asked !== view.turn) return;
      page.values = found.values;
      const scale = scaleOf(found.values);
      const order = found.values.map((value, state) => [Math.abs(value), state]).sort((a, b) => a[0] - b[0]);
      elements.forEach((element, state) => {
        element.shape.setAttribute('class', `state ${scale.of(found.values[state])}`);
        element.shape.setAttribute('data-value', found.values[state]);
        element.text?.replaceChildren(brief(found.values[state]));
        element.text?.setAttribute('class', `value on-${scale.of(found.values[state])}`);
        put(element.title, `${page.stateName(state)}: ${found.values[state]} (${unit})`);
      });
      // What is large is drawn last, where lines cross.
      if (places.shape === 'line') order.forEach(([, state]) => elements[state].shape.parentNode.append(elements[state].shape));
      put(legend, h('b', {}, `${title}: `), `${unit} `, scale.entries.map(([kind, words]) =>
        h('span', { class: 'entry' }, s('svg', { viewBox: '0 0 14 14', class: 'swatch', 'aria-hidden': 'true' }, s('rect', { class: `state ${kind}`, width: 14, height: 14 })), words)));
      put(note, found.note ?? '');
      flows(found.policy);
    } catch (error) {
      if (asked !== view.turn) return;
      page.values = null;
      elements.forEach(element => { element.shape.setAttribute('class', 'state d4'); element.text?.replaceChildren(''); });
      put(legend, h('b', {}, title));
      flows(null);
      note.className = 'note refused';
      put(note, `No answer: ${error.message}`);
    }
    tell();
  }

  // Lines to the likely next states.
  const flowLayer = s('g', { class: 'flows' });
  drawing.append(flowLayer);
  function flows(policy) {
    put(flowLayer);
    if (!policy || places.shape === 'line' || world.n_states > 1200) return;
    const chosen = new Map(policy.policy.map(([state, action, p]) => [`${state} ${action}`, p]));
    const undefinedStates = new Set(policy.undefined);
    const to = new Map();
    world.transitions.forEach(([from, action, next, p]) => {
      if (undefinedStates.has(from) || from === next) return;
      const key = `${from} ${next}`;
      to.set(key, (to.get(key) ?? 0) + p * (chosen.get(`${from} ${action}`) ?? 0) * (1 - policy.stop[from]));
    });
    for (const [key, p] of to) {
      if (p < 0.05) continue;
      const [a, b] = key.split(' ').map(state => places.all[state]);
      const reach = places.shape === 'cell' ? 0.42 : 0.8;
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const most = places.shape === 'cell' ? Math.min(1, places.size / length) : 1;
      flowLayer.append(s('line', { class: 'flow', x1: a.x, y1: a.y, x2: a.x + (b.x - a.x) * reach * most, y2: a.y + (b.y - a.y) * reach * most,
        'stroke-width': (places.size * 0.13 * p + 0.6).toFixed(2) }));
    }
  }

  // What is known of the state under the cursor.
  function tell() {
    const state = view.cursor;
    const { x, y } = places.all[state];
    cursor.setAttribute('cx', x);
    cursor.setAttribute('cy', y);
    const value = page.values?.[state];
    put(said, `${page.stateName(state)}${world.terminal.includes(state) ? ', terminal' : ''}`,
      value === undefined || value === null ? '' : ': ', value === undefined || value === null ? '' : number(value), value === undefined || value === null ? '' : ` ${SHOWN[view.shown][1]}`);
  }

  function line(path, kind) {
    const d = path.states.map((state, at) => `${at ? 'L' : 'M'}${places.all[state].x.toFixed(1)} ${places.all[state].y.toFixed(1)}`).join('');
    return s('path', { class: `route ${kind}`, d });
  }

  function mark(state, letter) {
    const { x, y } = places.all[state];
    const r = Math.max(9, Math.min(18, places.size * 0.24));
    return [s('circle', { class: 'mark', cx: x, cy: y, r }), s('text', { class: 'mark-text', x, y: y + r * 0.4, 'text-anchor': 'middle', 'font-size': r * 1.2 }, letter)];
  }

  function drawAbove() {
    put(above, ...[
      ...[...view.paths].reverse().map((path, at) => line(path, `k${view.paths.length - at}`)),
      view.prefix.states.length > 1 ? [line(view.prefix, 'prefix')] : [],
      view.from !== null && view.tool === 'ends' ? mark(view.from, 'A') : [],
      view.to !== null && view.tool === 'ends' ? mark(view.to, 'B') : [],
      view.tool === 'begin' && view.prefix.states.length ? mark(view.prefix.states.at(-1), view.prefix.states.length) : [],
    ].flat(2));
  }

  async function route() {
    view.paths = [];
    drawAbove();
    if (view.from === null || view.to === null) {
      put(answer, h('p', {}, view.from === null ? 'Choose where paths begin.' : 'Choose where they end.'));
      return;
    }
    try {
      const found = await page.ask({ ask: 'path', from: view.from, to: view.to, k: 3 });
      view.paths = found.paths;
      drawAbove();
      put(answer, h('h3', {}, `The likeliest paths from ${page.stateName(view.from)} to ${page.stateName(view.to)}`),
        table('the likeliest paths', [['', false], ['probability', true], ['states', true], ['path', false]], found.paths.map((path, at) => [
          h('span', { class: `key k${at + 1}` }, `${at + 1}.`), path.probability === null ? '–' : number(path.probability, tiny(path.probability)),
          String(path.n_states), arrows(path)])),
        h('p', { class: 'note' }, 'Probabilities are given that a path begins and ends there.'));
    } catch (error) {
      put(answer, h('p', { class: 'note refused' }, `No answer: ${error.message}`));
    }
  }

  async function begin() {
    drawAbove();
    view.shown = 'destinations';
    choice.value = 'destinations';
    await colours();
    const prefix = view.prefix;
    if (!prefix.states.length) {
      put(answer, h('p', {}, 'Choose the first state of a path, then the next ones.'));
      return;
    }
    try {
      const found = await page.ask({ ask: 'destinations', ...prefix, top: 5 });
      put(answer, h('h3', {}, `Where a path ends that begins ${prefix.states.length > 12 ? '… ' : ''}${prefix.states.slice(-12).join(' → ')}`),
        table('the likeliest destinations', [['destination', false], ['probability', true]],
          found.posterior.map(([state, p]) => [page.stateName(state), number(p, percent(p))])),
        h('p', { class: 'note' }, 'Expected length: ', number(found.expected_length), ' states, of which ', number(found.expected_remaining), ' are still to come.'));
    } catch (error) {
      put(answer, h('p', { class: 'note refused' }, `No answer: ${error.message}`));
    }
  }

  function choose(state) {
    view.cursor = state;
    tell();
    if (!page.engine.isAlive) return;
    if (view.tool === 'ends') {
      if (view.from === null || view.to !== null) Object.assign(view, { from: state, to: null });
      else view.to = state;
      fields();
      route();
      return;
    }
    const { states, actions } = view.prefix;
    if (states.length) {
      const steps = world.transitions.filter(([from, , to]) => from === states.at(-1) && to === state);
      if (!steps.length) {
        put(said, `No step leads from ${page.stateName(states.at(-1))} to ${page.stateName(state)}: choose a next state, or start again.`);
        return;
      }
      // Of several actions that lead there, the one that most probably does.
      actions.push(steps.reduce((best, step) => (step[3] > best[3] ? step : best))[1]);
    }
    states.push(state);
    begin();
  }

  const stateField = (id, label, name) => {
    const input = h('input', { type: 'number', id, min: 0, max: world.n_states - 1, step: 1, value: view[name] ?? '', onchange: () => {
      view[name] = input.value === '' ? null : Math.max(0, Math.min(world.n_states - 1, Math.round(+input.value)));
      route();
    } });
    return [h('label', { for: id }, label), input];
  };
  const [fromLabel, fromField] = stateField('from', 'from', 'from');
  const [toLabel, toField] = stateField('to', 'to', 'to');
  const fields = () => { fromField.value = view.from ?? ''; toField.value = view.to ?? ''; };
  const tool = (value, words) => h('label', {}, h('input', { type: 'radio', name: 'tool', value, checked: view.tool === value, onchange: () => {
    view.tool = value;
    ends.hidden = value !== 'ends';
    again.hidden = value !== 'begin';
    view.paths = [];
    if (value === 'begin') begin(); else { if (view.shown === 'destinations') view.shown = choice.value = 'reward'; colours(); route(); }
  } }), ` ${words}`);
  const ends = h('span', { class: 'ends', hidden: view.tool !== 'ends' }, fromLabel, fromField, toLabel, toField);
  const again = h('button', { type: 'button', hidden: view.tool !== 'begin', onclick: () => { view.prefix = { states: [], actions: [] }; begin(); } }, 'start again');

  svg.addEventListener('click', event => {
    const element = event.target.closest('[data-state]');
    const state = element ? +element.dataset.state : nearest(svg, places, event);
    if (state !== null) choose(state);
  });
  svg.addEventListener('keydown', event => {
    if (event.key in { ArrowLeft: 1, ArrowRight: 1, ArrowUp: 1, ArrowDown: 1 }) {
      view.cursor = neighbour(places, view.cursor, event.key);
      tell();
    } else if (event.key === 'Enter' || event.key === ' ') choose(view.cursor);
    else return;
    event.preventDefault();
  });

  page.refreshWorld = async () => {
    await colours();
    if (view.tool === 'ends' && view.from !== null && view.to !== null) await route();
    if (view.tool === 'begin' && view.prefix.states.length) await begin();
  };
  drawAbove();
  const ready = colours();
  const controls = page.engine.isAlive && h('fieldset', { class: 'control tools' }, h('legend', {}, 'click on states to'),
    tool('ends', 'find paths between two'), tool('begin', 'begin a path, and see where it leads'), ends, again);
  return { ready, element: [
    h('p', { class: 'controls' }, h('label', { for: 'shown' }, 'colours show '), choice, timeLine),
    controls, legend, note, h('div', { class: 'beside' }, map, answer),
    data.shapes?.attribution && h('p', { class: 'note' }, data.shapes.attribution),
    h('p', { class: 'note' }, `${plural(world.n_states, 'state')} (${places.kind}), ${plural(world.n_transitions, 'transition')}. Start: ${listed(world.start.map(([state]) => state))}. Terminal: ${listed(world.terminal) || 'none'}.`)] };
}

const listed = states => states.slice(0, 12).join(', ') + (states.length > 12 ? ` and ${states.length - 12} more` : '');

// `0 –(2)→ 1 –(0)→ 5`, without its middle if it is long.
export function arrows({ states, actions }) {
  const step = at => (at === 0 ? `${states[0]}` : ` –(${actions[at - 1]})→ ${states[at]}`);
  const all = states.map((_, at) => step(at));
  return all.length <= 24 ? all.join('') : `${all.slice(0, 12).join('')} … ${all.length - 24} more … ${all.slice(-12).join('')}`;
}

function drawStates(drawing, page) {
  const { places, world } = page;
  const ground = s('g', { class: 'ground' });
  drawing.append(ground);
  if (places.shape === 'dot' && world.transitions.length <= 4000) {
    const seen = new Set();
    for (const [from, , to] of world.transitions) {
      if (from === to || seen.has(`${from} ${to}`) || seen.has(`${to} ${from}`)) continue;
      seen.add(`${from} ${to}`);
      const [a, b] = [places.all[from], places.all[to]];
      ground.append(s('line', { class: 'edge', x1: a.x, y1: a.y, x2: b.x, y2: b.y }));
    }
  }
  const layer = s('g');
  drawing.append(layer);
  const terminal = new Set(world.terminal);
  return places.all.map(({ x, y }, state) => {
    const title = s('title', {}, page.stateName(state));
    const half = places.size / 2;
    const shape = places.shape === 'cell' ? s('rect', { x: x - half + 1, y: y - half + 1, width: places.size - 2, height: places.size - 2, rx: 2 }, title)
      : places.shape === 'line' ? s('path', { d: places.lines[state].map((place, at) => `${at ? 'L' : 'M'}${place.x.toFixed(1)} ${place.y.toFixed(1)}`).join('') }, title)
        : s('circle', { cx: x, cy: y, r: half }, title);
    shape.setAttribute('data-state', state);
    layer.append(shape);
    let text = null;
    if (places.shape !== 'line' && places.size >= 26 && world.n_states <= LARGEST_WITH_VALUES) {
      const size = Math.min(24, places.size * (places.shape === 'cell' ? 0.2 : 0.24));
      text = s('text', { x, y: y + (places.shape === 'cell' ? half - size * 0.45 : size * 0.35), 'text-anchor': 'middle', 'font-size': size });
      layer.append(text);
      if (places.shape === 'cell') {
        const letter = world.start.some(([first]) => first === state) ? 'start' : terminal.has(state) ? 'end' : null;
        layer.append(s('text', { class: 'number', x: x - half + 6, y: y - half + size * 0.85 + 2, 'font-size': size * 0.62 }, `${state}${letter ? ` ${letter}` : ''}`));
      }
    }
    return { shape, text, title };
  });
}

function nearest(svg, places, event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  let [best, least] = [null, Math.max(16, places.size) ** 2];
  places.all.forEach(({ x, y }, state) => {
    const far = (x - place.x) ** 2 + (y - place.y) ** 2;
    if (far < least) [best, least] = [state, far];
  });
  return best;
}

