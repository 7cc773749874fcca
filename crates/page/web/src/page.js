// The page: its sections in order, and what connects them.

import { frozenEngine, wasmEngine } from './engine.js';
import { h, put } from './dom.js';
import { compareSection, fitSection, surprisesSection } from './fit.js';
import { learnSection } from './learn.js';
import { identifiedSection, thetaSection } from './theta.js';
import { originSection } from './origin.js';
import { summary } from './summary.js';
import { worldSection } from './world.js';

const SECTIONS = [
  ['summary', 'In short', summary, true],
  ['theta', 'What was learned', thetaSection, false],
  ['fit', 'How well it fits', fitSection, true],
  ['world', 'The world', worldSection, false],
  ['compare', 'Where model and data differ', compareSection, true],
  ['surprises', 'The most surprising demonstrations', surprisesSection, true],
  ['identified', 'What the data cannot say', identifiedSection, true],
  ['learn', 'Learn here', learnSection, false],
  ['origin', 'How to make this again', originSection, false],
];

class Page {
  constructor(data) {
    this.data = data;
    this.model = data.model;
    this.learnedHere = null;
    this.isMoved = false;
    this.memory = new Map();
    this.timers = new Map();
    this.engine = frozenEngine(data.answers, data.not_alive_because ?? 'its engine has not started');
  }

  // The answer to a question. It is asked once for each theta.
  ask(question) {
    const key = JSON.stringify(question);
    if (!this.memory.has(key)) this.memory.set(key, this.engine.ask(question));
    return this.memory.get(key);
  }

  isKnown(ask) { return this.data.answers.some(row => row.question.ask === ask && 'ok' in row); }
  hasDemos() { return this.learnedHere !== null || this.data.answers.some(row => row.question.ask === 'fit'); }
  name(k) { return this.world.names[k]; }
  stateName(state) {
    const road = this.data.shapes?.names[state];
    return road ? `state ${state} (${road})` : `state ${state}`;
  }

  // A model of paths between given ends is asked about one pair of them.
  ends() { return this.model.ends === 'goal' ? this.data.ends : { from: null, to: null }; }
  aboutEnds() {
    const { from, to } = this.ends();
    return this.model.ends === 'goal' && from !== null ? `Of paths from ${this.stateName(from)} to ${this.stateName(to)}, the commonest ends in the data.` : '';
  }
  longest() { return typeof this.model.horizon === 'number' ? this.model.horizon : Math.max(2, this.quantile ?? 50); }

  // Does work when the reader pauses, not for every movement of a slider.
  soon(name, work) {
    clearTimeout(this.timers.get(name));
    this.timers.set(name, setTimeout(work, 30));
  }

  // Other parameters, for all sections but the one with the sliders.
  async setTheta(theta) {
    this.memory.clear();
    await this.engine.ask({ ask: 'theta', theta });
    this.model = { ...this.model, theta };
    this.isMoved = true;
    await this.refresh();
  }

  async refresh() {
    await Promise.all([this.refreshWorld?.(), ...SECTIONS.filter(([,,, follows]) => follows).map(([id]) => this.draw(id))]);
    document.getElementById('moved').hidden = !this.isMoved;
  }

  async draw(id) {
    const [, title, build] = SECTIONS.find(([name]) => name === id);
    const section = document.getElementById(id);
    let found;
    try {
      found = await build(this);
    } catch (error) {
      found = { element: h('p', { class: 'note refused' }, `No answer: ${error.message}`) };
    }
    section.hidden = found === null;
    if (found === null) return;
    put(section, h('h2', {}, title), ...[found.element].flat(Infinity).filter(Boolean));
    await found.ready;
  }

  async drawAll() { for (const [id] of SECTIONS) await this.draw(id); }

  // Everything as it was when the page was opened.
  async reset() {
    this.memory.clear();
    await this.engine.open();
    Object.assign(this, { model: this.data.model, isMoved: false, learnedHere: null });
    document.getElementById('moved').hidden = true;
    await this.drawAll();
  }
}

async function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  const page = new Page(data);
  const status = h('p', { id: 'status', role: 'status' }, data.not_alive_because ? `This page is still: ${data.not_alive_because}.` : 'The engine is starting …');
  const moved = h('p', { id: 'moved', hidden: true }, 'You have moved the weights: everything here follows from yours, not from the learned ones. ',
    h('button', { type: 'button', onclick: () => page.reset() }, 'back to what was learned'));
  put(document.getElementById('page'),
    h('header', {}, h('h1', {}, 'What the demonstrations reveal'), h('p', { class: 'about' }, data.title), status),
    h('nav', { 'aria-label': 'sections' }, h('ul', {}, SECTIONS.map(([id, title]) => h('li', {}, h('a', { href: `#${id}` }, title))))), moved,
    ...SECTIONS.map(([id]) => h('section', { id })));
  page.world = await page.ask({ ask: 'world' });
  page.names = page.world.names;
  const base64 = document.getElementById('engine').textContent;
  if (base64) {
    try {
      page.engine = await wasmEngine(base64, data);
      page.memory.clear();
      remember(page, data.answers);
      status.textContent = `Alive: this page contains the engine (version ${page.engine.version}), and computes with it here, without a network.`;
    } catch (error) {
      status.textContent = `The engine could not start (${error.message}): the page shows what it came with.`;
    }
  }
  const lengths = await page.ask({ ask: 'lengths', ...page.ends() }).catch(() => null);
  // Later times have hardly any paths.
  page.quantile = lengths && quantile(lengths.length, 0.995);
  await page.drawAll();
  for (const item of document.querySelectorAll('nav li')) item.hidden = document.querySelector(item.firstChild.getAttribute('href')).hidden;
  document.documentElement.dataset.ready = page.engine.isAlive ? 'alive' : 'still';
}

// What the page came with needs not be asked again.
function remember(page, answers) {
  for (const row of answers) if ('ok' in row) page.memory.set(JSON.stringify(row.question), Promise.resolve(row.ok));
}

function quantile(rows, share) {
  let sum = 0;
  for (const [length, p] of rows) if ((sum += p) >= share) return length;
  return rows.at(-1)?.[0];
}

start().catch(error => {
  document.getElementById('page').append(h('p', { class: 'note refused' }, `This page could not be drawn: ${error.message}`));
  document.documentElement.dataset.ready = 'failed';
});
