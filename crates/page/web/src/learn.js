// Learning in the page, from the demonstrations that it came with or from a file.

import { h } from './dom.js';
import { plural } from './numbers.js';

export async function learnSection(page) {
  if (!page.engine.isAlive) return null;
  const { model } = page;
  const said = h('p', { id: 'learn-said', role: 'status' });
  const first = model.bounds?.[0] ?? [null, null];
  const field = (id, label, value, hint) => [h('label', { for: id }, label), h('input', { type: 'number', id, step: 'any', value: value ?? '', placeholder: hint })];
  const file = h('input', { type: 'file', id: 'file', accept: '.jsonl', onchange: async () => {
    if (file.files[0]) await take(file.files[0]);
    // The same file, corrected, can be chosen again.
    file.value = '';
  } });
  const valueOf = id => { const { value } = document.getElementById(id); return value === '' ? null : +value; };

  async function take(dropped) {
    try {
      const lines = await dropped.text();
      const found = await page.engine.ask({ ask: 'demonstrations', lines });
      page.memory.clear();
      await learn({ name: dropped.name, n: found.n_demonstrations });
    } catch (error) {
      said.className = 'refused';
      said.textContent = `${dropped.name}: ${error.message}`;
    }
  }

  async function learn(from) {
    said.className = '';
    said.textContent = 'learning …';
    // The words are drawn before the work begins.
    await new Promise(done => setTimeout(done, 20));
    const [low, high, l2] = ['low', 'high', 'l2'].map(valueOf);
    const begun = performance.now();
    try {
      const bounds = low === null && high === null ? null : [low, high];
      const { model, trace } = await page.engine.ask({ ask: 'learn', ...(bounds && { bounds }), ...(l2 !== null && { l2 }) });
      const ms = performance.now() - begun;
      page.memory.clear();
      page.model = model;
      page.isMoved = false;
      page.learnedHere = { ...from, trace };
      document.getElementById('moved').hidden = true;
      await page.drawAll();
      const now = document.getElementById('learn-said');
      now.dataset.milliseconds = ms;
      now.textContent = `Learned from ${from.name} (${plural(from.n, 'demonstration')}) in ${ms.toFixed(0)} ms: ${plural(model.iterations, 'iteration')}, ${plural(model.evaluations, 'evaluation')}. ${model.stopped_because}`;
    } catch (error) {
      said.className = 'refused';
      said.textContent = `No model: ${error.message}`;
    }
  }

  const drop = h('div', { class: 'drop', id: 'drop', ondragover: event => event.preventDefault(), ondrop: event => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  } }, h('label', { for: 'file' }, 'Drop a file of demonstrations (.jsonl) here, or choose one: '), file);
  const known = page.data.demonstrations;
  const again = known && h('button', { type: 'button', id: 'again', onclick: async () => {
    const found = await page.engine.ask({ ask: 'demonstrations', lines: known });
    await learn({ name: 'the demonstrations of the report', n: found.n_demonstrations });
  } }, 'learn again from the report’s demonstrations');
  return { element: [
    h('p', {}, 'The engine in this page learns, too. Nothing leaves your computer.'), drop,
    h('p', { class: 'controls' }, field('low', 'weights from', first[0], 'no bound'), field('high', 'to', first[1], 'no bound'), field('l2', 'L2 penalty', model.l2 ?? 0, '0'), again,
      page.learnedHere && h('button', { type: 'button', onclick: () => page.reset() }, 'back to the report')), said] };
}
