// Elements. Texts become text nodes, never markup: a name from a file shows as itself.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

// Other children instead of those that an element has.
export function put(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// A picture with a name for those who cannot see it.
export const picture = (name, width, height, attributes, ...children) =>
  s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': name, ...attributes }, s('title', {}, name), children);

// A table that scrolls where it is too wide. `columns` are [title, is a number, class].
export function table(name, columns, rows) {
  const kind = ([, isNumber, name]) => [isNumber && 'number', name].filter(Boolean).join(' ') || null;
  const head = columns.map(column => h('th', { scope: 'col', class: kind(column) }, column[0]));
  const row = cells => h('tr', {}, cells.map((cell, at) =>
    h(at === 0 ? 'th' : 'td', { scope: at === 0 && 'row', class: kind(columns[at]) }, cell)));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
    h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows.map(row))));
}
