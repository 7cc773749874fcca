// Settings, versions and commands.

import { h, table } from './dom.js';
import { number } from './numbers.js';

export function originSection(page) {
  const { model, data, world } = page;
  const { problem, demonstrations } = data.files;
  const rows = [
    ['problem', problem], ['its digest', world.digest], ['the model was learned on', model.problem_digest],
    ['model', data.files.model], ['demonstrations', demonstrations],
    ['inference', model.inference], ['ends', model.ends], ['horizon', String(model.horizon)], ['discount', model.discount ?? world.discount], ['L2 penalty', model.l2],
    ['bounds', model.bounds && (model.bounds.every(pair => String(pair) === String(model.bounds[0])) ? model.bounds[0].map(bound => bound ?? 'none').join(' to ') : 'one pair for each weight')],
    ['iterations', model.iterations], ['evaluations', model.evaluations], ['ended', model.stopped_because],
    ['largest free gradient', model.gradient_norm === null ? null : number(model.gradient_norm)], ['seconds', model.seconds === null ? null : number(model.seconds)],
    ['learned by version', model.version], ['page by version', `${data.version}${data.commit ? `, commit ${data.commit}` : ''}`],
  ].filter(([, value]) => value !== null && value !== undefined && value !== '');
  const quoted = text => (/^[\w./+=:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const same = model.bounds?.every(pair => String(pair) === String(model.bounds[0])) && model.bounds[0];
  const learn = problem && demonstrations && data.files.model && !model.worlds && !model.model_free && ['revealed learn', quoted(problem), quoted(demonstrations), '-o', quoted(data.files.model),
    '--inference', model.inference, '--ends', model.ends, '--horizon', model.horizon, model.l2 ? `--l2 ${model.l2}` : '',
    same ? `--bounds ${same[0] ?? '-inf'},${same[1] ?? 'inf'}` : ''].filter(Boolean).join(' ');
  const report = problem && data.files.model && ['revealed report', quoted(data.files.model), quoted(problem), demonstrations && quoted(demonstrations), '-o report.html'].filter(Boolean).join(' ');
  return { element: [table('settings and versions', [['', false], ['', false]], rows),
    (learn || report) && [h('p', {}, 'These commands make the model and this page again:'), h('pre', { tabindex: 0 }, [learn, report].filter(Boolean).join('\n'))],
    h('p', { class: 'note' }, 'Every number carries all its digits: point at it, or copy it from the page’s data. They are those of the command line with --json.')] };
}
