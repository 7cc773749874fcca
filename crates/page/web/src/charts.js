// Small charts. Colours come from the style sheet.

import { picture, s } from './dom.js';
import { short, tick as words } from './numbers.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [520, 260, 52, 12, 26, 40];

// Round ticks of an axis.
function ticks(low, high) {
  const rough = (high - low) / 5 || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(times => times * unit).find(step => step >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => +((first + at) * step).toPrecision(12));
}

// The axes, with their titles, and where a point is.
function axes([x0, x1], [y0, y1], xTitle, yTitle) {
  const x = value => LEFT + ((value - x0) / (x1 - x0 || 1)) * (WIDTH - LEFT - RIGHT);
  const y = value => HEIGHT - BOTTOM - ((value - y0) / (y1 - y0 || 1)) * (HEIGHT - TOP - BOTTOM);
  const lines = [
    ...ticks(y0, y1).map(tick => [
      s('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
      s('text', { class: 'tick', x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, words(tick))]),
    ...ticks(x0, x1).map(tick => s('text', { class: 'tick', x: x(tick), y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle' }, words(tick))),
    s('text', { class: 'axis', x: 4, y: 14 }, yTitle),
    s('text', { class: 'axis', x: WIDTH - RIGHT, y: HEIGHT - 6, 'text-anchor': 'end' }, xTitle),
  ];
  return { x, y, lines };
}

// Lines over one axis. `series` are {name, kind, points: [[x, y], ...]}; kinds differ in dashes too, not in colour alone.
export function curves(name, series, xTitle, yTitle, from0 = true) {
  const points = series.flatMap(one => one.points).filter(point => point.every(Number.isFinite));
  if (!points.length) return null;
  const range = (at, zero) => {
    const values = points.map(point => point[at]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? [low - 1, high + 1] : [zero ? Math.min(0, low) : low, high];
  };
  const { x, y, lines } = axes(range(0, false), range(1, from0), xTitle, yTitle);
  const drawn = series.map(({ kind, points }) => [
    s('path', { class: `curve ${kind}`, d: points.map(([a, b], at) => `${at ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('') }),
    points.length <= 40 && points.map(([a, b]) => s('circle', { class: `point ${kind}`, cx: x(a), cy: y(b), r: 2.5 }))]);
  const legend = series.length > 1 && series.map(({ name, kind }, at) => [
    s('line', { class: `curve ${kind}`, x1: WIDTH - 240 + 120 * at, x2: WIDTH - 216 + 120 * at, y1: 10, y2: 10 }),
    s('text', { class: 'tick', x: WIDTH - 210 + 120 * at, y: 14 }, name)]);
  return picture(name, WIDTH, HEIGHT, { class: 'chart' }, lines, drawn, legend);
}

// Expected against observed, and the diagonal where a model that fits has its points.
export function scatter(name, points, xTitle, yTitle) {
  const values = points.flatMap(({ x, y }) => [x, y]).filter(Number.isFinite);
  if (!values.length) return null;
  const range = [Math.min(0, ...values), Math.max(...values, 1e-12)];
  const { x, y, lines } = axes(range, range, xTitle, yTitle);
  const diagonal = s('line', { class: 'diagonal', x1: x(range[0]), y1: y(range[0]), x2: x(range[1]), y2: y(range[1]) });
  const dots = points.map(point => s('circle', { class: 'dot', cx: x(point.x), cy: y(point.y), r: 4 }, s('title', {}, point.title)));
  return picture(name, WIDTH, HEIGHT, { class: 'chart' }, lines, diagonal, dots);
}

// How many values are in each of some bins.
export function histogram(name, values, xTitle) {
  if (!values.length) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const n = Math.min(24, Math.max(1, Math.ceil(2 * Math.cbrt(values.length))));
  const width = (high - low) / n || 1;
  const counts = new Array(n).fill(0);
  values.forEach(value => { counts[Math.min(n - 1, Math.floor((value - low) / width))] += 1; });
  const { x, y, lines } = axes([low, low + n * width], [0, Math.max(...counts)], xTitle, 'demonstrations');
  const bars = counts.map((count, at) => s('rect', { class: 'bar', x: x(low + at * width) + 0.5, y: y(count),
    width: Math.max(1, x(low + (at + 1) * width) - x(low + at * width) - 1), height: y(0) - y(count) },
    s('title', {}, `${count} between ${short(low + at * width)} and ${short(low + (at + 1) * width)}`)));
  return picture(name, WIDTH, HEIGHT, { class: 'chart' }, lines, bars);
}

// An estimate and its interval on an axis that all rows of a table share.
export function whisker(name, value, interval, [low, high]) {
  const x = value => 4 + ((Math.max(low, Math.min(high, value)) - low) / (high - low || 1)) * 152;
  return picture(name, 160, 16, { class: 'whisker' },
    s('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: 16 }),
    interval && s('line', { class: 'interval', x1: x(interval[0]), x2: x(interval[1]), y1: 8, y2: 8 }),
    s('circle', { class: 'estimate', cx: x(value), cy: 8, r: 3.5 }));
}
