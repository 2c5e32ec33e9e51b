// SPDX-License-Identifier: Apache-2.0
// Figures: {figure, ours, peer, ratio, goal, met}; goal is "≥ 20" or "≤ 1/2" or null.
export const figures = [];
export const notes = [];

const limitOf = goal => {
  const [top, bottom = 1] = goal.slice(2).split('/').map(Number);
  return top / bottom;
};

export function isMet(ratio, goal) {
  if (!goal) return null;
  return goal.startsWith('≥') ? ratio >= limitOf(goal) : ratio <= limitOf(goal);
}

const round = number => (number === null ? null : Number(number.toPrecision(4)));

export function figure(name, { ours, peer = null, unit, against = '', goal = null }) {
  const ratio = peer === null ? null : ours / peer;
  const row = { figure: name, unit, against, ours: round(ours), peer: round(peer), ratio: round(ratio), goal, met: ratio === null ? null : isMet(ratio, goal) };
  figures.push(row);
  console.log(line(row).join('  '));
}

const shown = value => (value === null ? '–' : value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3))));
function ratioText(row) {
  if (row.ratio === null) return '–';
  return row.ratio < 1 && row.goal?.includes('/') && row.ratio > 0 ? `1/${shown(1 / row.ratio)}` : shown(row.ratio);
}
const line = row => [row.figure, row.unit, shown(row.ours), row.against, shown(row.peer), ratioText(row), row.goal ?? '', row.met === null ? '' : row.met ? 'yes' : 'NO'];
const heads = ['figure', 'unit', 'ours', 'beside', 'peer', 'ratio', 'goal', 'met'];

export function table() {
  const widths = heads.map((head, i) => Math.max(head.length, ...figures.map(row => line(row)[i].length)));
  const draw = cells => cells.map((cell, i) => (i === 0 || i === 3 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ').trimEnd();
  return [draw(heads), ...figures.map(row => draw(line(row)))].join('\n');
}

export function markdown(title) {
  const rows = list => [`| ${heads.join(' | ')} |`, `|${heads.map(() => '---').join('|')}|`, ...list.map(row => `| ${line(row).join(' | ')} |`)];
  return [`# ${title}`, '', 'Written by `./dev bench`; `docs/performance.md` says how to read it.', '', '## Goals', '', ...rows(figures.filter(row => row.goal)),
          '', '## Everything else', '', ...rows(figures.filter(row => !row.goal)), '', '## The machine', '', ...notes.map(note => `- ${note}`), ''].join('\n');
}
