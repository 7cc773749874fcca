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

// With a real minus sign, which is as wide as a plus.
export const minus = text => String(text).replace(/^-/, '−');

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
