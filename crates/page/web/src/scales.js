// Classes of values with round edges. Lightness alone orders the sequential ones, so that they read the same in grey.
// The style sheet has the colours, for light and for dark: q0 to q8, and d0 (low) to d8 (high) around d4.

import { round, tick } from './numbers.js';

const MANY = 8;

// From 0 on. A few large values among many small ones have edges that grow.
function sequential(values) {
  const positive = values.filter(value => value > 0).sort((a, b) => a - b);
  const most = positive.at(-1) ?? 0;
  const middle = positive[positive.length >> 1] ?? 0;
  let edges;
  if (most > 30 * middle) {
    edges = [round(most)];
    while (edges.length < MANY) {
      const [digit, unit] = [+edges[0].toExponential().split('e')[0], 10 ** Math.floor(Math.log10(edges[0]) + 1e-9)];
      edges.unshift(digit >= 5 ? 2 * unit : digit >= 2 ? unit : unit / 2);
    }
  } else {
    const step = round(most / MANY);
    edges = Array.from({ length: Math.max(1, Math.ceil(most / step - 1e-9)) }, (_, at) => +((at + 1) * step).toPrecision(12));
  }
  const spread = at => Math.max(1, Math.round(((at + 1) * MANY) / edges.length));
  const of = value => {
    // Next to nothing is drawn as nothing.
    if (!(value > edges[0] / 20)) return 'q0';
    const at = edges.findIndex(edge => value <= edge * (1 + 1e-12));
    return `q${spread(at < 0 ? edges.length - 1 : at)}`;
  };
  const entries = [['q0', '≈ 0'], ...edges.map((edge, at) => [`q${spread(at)}`, `≤ ${tick(edge)}`])];
  return { of, entries };
}

// Around 0.
function diverging(values) {
  const most = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const step = round(most / 4);
  const many = Math.max(1, Math.ceil(most / step - 1e-9));
  const spread = size => (size ? Math.max(1, Math.round((4 * size) / many)) : 0);
  const all = Array.from({ length: many }, (_, at) => at + 1);
  const of = value => {
    const size = Math.abs(value) < 1e-9 * most || value === 0 ? 0 : Math.min(many, Math.ceil(Math.abs(value) / step - 1e-9));
    return `d${4 + Math.sign(value) * spread(size)}`;
  };
  const low = [...all].reverse().map(at => [`d${4 - spread(at)}`, `≥ ${tick(-at * step)}`]);
  const high = all.map(at => [`d${4 + spread(at)}`, `≤ ${tick(at * step)}`]);
  return { of, entries: most > 0 ? [...low, ['d4', '0'], ...high] : [['d4', '0']] };
}

// By the values: around 0 if some are below it.
export function scaleOf(values) {
  const finite = values.filter(Number.isFinite);
  return finite.some(value => value < 0) ? diverging(finite) : sequential(finite);
}
