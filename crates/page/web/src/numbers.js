// Numbers as texts. Every number carries all its digits: those that the command line prints with --json.

import { h } from './dom.js';

// About four digits.
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(2)
    : value.toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(size)))));
  return minus(text);
}

// Of an axis or a legend: a round number, without zeros that say nothing.
export const tick = value => minus(Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4) ? value.toExponential() : String(+value.toPrecision(6)));

// At most six characters, for a cell.
export function brief(value) {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.0005) return '≈ 0';
  if (size >= 1e5) return minus(value.toExponential(0).replace('+', ''));
  return minus(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size === 0 ? 0 : 3));
}

// A probability that may be tiny, as the command line prints it.
export const tiny = p => (p >= 1e-3 || p === 0 ? percent(p) : p.toExponential(1));

// With a real minus sign, which is as wide as a plus.
export const minus = text => String(text).replace(/^-/, '−');

// In a sentence: p = 3.2 %.
export const chance = logarithm => { const text = percent(Math.exp(logarithm)); return /^[<>]/.test(text) ? `p ${text}` : `p = ${text}`; };

export const percent = p => p >= 0.9995 && p < 1 ? '> 99.9 %' : p > 0 && p < 0.0005 ? '< 0.1 %' : `${(100 * p).toFixed(1)} %`;

// A number whose digits are all in its title and its data.
export const number = (value, shown = short(value)) =>
  h('data', { value: String(value), 'data-value': String(value), title: String(value) }, shown);

// As many digits after the point as the command line prints.
export const digits = (value, after) => number(value, value === null ? '–' : minus(value.toFixed(after)));

// A round number of one digit, 1, 2 or 5, that is not below.
export function round(value) {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value) + 1e-12);
  const times = [1, 2, 5, 10].find(times => times * unit >= value * (1 - 1e-9));
  return times * unit;
}

export const plural = (n, one, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
