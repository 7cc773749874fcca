// Where states are drawn: on a grid, along roads, at points, by their distance from the start, or in the order of their
// numbers. A place is {x, y} in units of the drawing, whose width is 1000 or less.

const WIDTH = 1000;

export function placesOf(world, shapes) {
  if (shapes) return roads(shapes);
  const layout = world.layout;
  if (layout?.rows) return cells(world.n_states, layout.columns, layout.rows, 'grid');
  if (layout?.x) return points(layout.x, layout.y);
  if (world.transitions.length && world.n_states <= 80) return layers(world);
  return cells(world.n_states, Math.max(1, Math.ceil(Math.sqrt(1.6 * world.n_states))), 0, 'states in the order of their numbers');
}

function cells(n, columns, rows, kind) {
  const size = Math.min(110, WIDTH / columns);
  const all = Array.from({ length: n }, (_, state) => ({ x: (state % columns + 0.5) * size, y: (Math.floor(state / columns) + 0.5) * size }));
  return { kind, shape: 'cell', size, all, columns, width: columns * size, height: (rows || Math.ceil(n / columns)) * size };
}

// Keeps proportions, and puts north at the top.
function fitted(xs, ys, margin) {
  const range = values => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const [[x0, x1], [y0, y1]] = [range(xs), range(ys)];
  const scale = (WIDTH - 2 * margin) / Math.max(x1 - x0, (y1 - y0) * 0.8, 1e-12);
  const [width, height] = [(x1 - x0) * scale + 2 * margin, (y1 - y0) * scale + 2 * margin];
  return { at: (x, y) => ({ x: (x - x0) * scale + margin, y: (y1 - y) * scale + margin }), width, height, scale };
}

function roads({ lines }) {
  const ends = lines.flat();
  const { at, width, height, scale } = fitted(ends.map(place => place[0]), ends.map(place => place[1]), 12);
  // Both directions of a road are beside each other, on the right as traffic goes.
  const beside = Math.min(2.4, Math.max(0.8, 3 * scale));
  const drawn = lines.map(line => {
    const places = line.map(([x, y]) => at(x, y));
    return places.map((place, k) => {
      const [a, b] = [places[Math.max(0, k - 1)], places[Math.min(places.length - 1, k + 1)]];
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      return { x: place.x - ((b.y - a.y) / length) * beside, y: place.y + ((b.x - a.x) / length) * beside };
    });
  });
  const all = drawn.map(line => {
    const [a, b] = [line[Math.floor((line.length - 1) / 2)], line[Math.ceil((line.length - 1) / 2)]];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  });
  return { kind: 'map', shape: 'line', size: 14, lines: drawn, all, width, height, metres: 1 / scale };
}

function points(x, y) {
  const { at, width, height } = fitted(x, y, 40);
  const size = Math.max(6, Math.min(46, 420 / Math.sqrt(x.length)));
  return { kind: 'graph', shape: 'dot', size, all: x.map((_, state) => at(x[state], y[state])), width, height: Math.max(height, 90) };
}

// Columns by the number of steps from the start.
function layers(world) {
  const depth = new Array(world.n_states).fill(-1);
  let front = world.start.map(([state]) => state);
  front.forEach(state => { depth[state] = 0; });
  const next = new Map();
  world.transitions.forEach(([from, , to]) => next.set(from, [...(next.get(from) ?? []), to]));
  for (let step = 1; front.length; step += 1) {
    front = [...new Set(front.flatMap(state => next.get(state) ?? []))].filter(state => depth[state] < 0);
    front.forEach(state => { depth[state] = step; });
  }
  const deepest = Math.max(...depth, 0);
  depth.forEach((steps, state) => { if (steps < 0) depth[state] = deepest + 1; });
  const columns = [];
  depth.forEach((steps, state) => { (columns[steps] ??= []).push(state); });
  const most = Math.max(...columns.map(column => column?.length ?? 0));
  const gap = Math.min(120, WIDTH / columns.length, Math.max(44, 620 / most));
  const all = [];
  columns.forEach((column, step) => column?.forEach((state, row) => {
    all[state] = { x: (step + 0.5) * gap, y: (row + 0.5 + (most - column.length) / 2) * gap + 6 };
  }));
  return { kind: 'graph, by the number of steps from the start', shape: 'dot', size: gap * 0.55, all, width: columns.length * gap,
    height: most * gap + 12 };
}

// The state that is nearest in a direction: for the arrow keys.
export function neighbour({ all }, state, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let [best, least] = [state, Infinity];
  all.forEach((place, other) => {
    const [x, y] = [place.x - all[state].x, place.y - all[state].y];
    const along = x * dx + y * dy;
    const cost = along + 2.5 * Math.abs(x * dy - y * dx);
    if (other !== state && along > 1e-6 && cost < least) [best, least] = [other, cost];
  });
  return best;
}
