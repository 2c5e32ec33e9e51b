// SPDX-License-Identifier: Apache-2.0
// The table of docs/reliability.md between <!-- NAME --> and <!-- end -->: one row for each cell of
// the matrix, with all that calls were told in any run.
import fs from 'node:fs';

const file = new URL('../../docs/reliability.md', import.meta.url);
const head = ['killed', 'how', 'calls were', 'read', 'write', 'write with a key', 'served again after s', 'settled after s'];
const KEYS = 3;   // columns that name the row
const TIMES = 6;  // the first column that is a time

const place = name => new RegExp(`(<!-- ${name} -->\n)([^]*?)(<!-- end -->)`);

function load(name) {
  const [, , text] = fs.readFileSync(file, 'utf8').match(place(name));
  const rows = text.trim().split('\n').slice(2).map(line => line.slice(2, -2).split(' | '));
  return new Map(rows.map(row => [row.slice(0, KEYS).join(' '), row]));
}

const both = (a, b) => [...new Set([...a.split(', '), ...b.split(', ')])].sort().join(', ');
const later = (a, b) => (Number(a) > Number(b) ? a : b);

// Adds what this run saw to the table, which then says what was seen in several runs.
export function writeTable(name, rows) {
  const known = load(name);
  const lines = rows.map(row => {
    const old = known.get(row.slice(0, KEYS).join(' '));
    return old ? row.map((cell, i) => (i < KEYS ? cell : i < TIMES ? both(cell, old[i]) : later(cell, old[i]))) : row;
  });
  const table = [head, head.map(() => '---'), ...lines].map(row => `| ${row.join(' | ')} |`).join('\n').replace('| --- |', '|---|').replaceAll(' --- |', '---|');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(place(name), (all, begin, old, end) => `${begin}${table}\n${end}`));
}

// From what says most to what says least.
const words = ['ok', 'not_sent', 'failed', 'unknown', 'connection lost'];
const rank = cell => Math.max(...cell.split(', ').map(text => words.indexOf(text.split('/')[0])));

// Where a call was told less than the table promises, as sentences.
export function worse(name, rows) {
  const known = load(name);
  return rows.flatMap(row => {
    const key = row.slice(0, KEYS).join(' ');
    const old = known.get(key);
    if (!old) return [`${key}: the table has no such row`];
    return row.map((cell, i) => i >= KEYS && i < TIMES && rank(cell) > rank(old[i]) ? `${key}: ${head[i]} was ${cell}, the table has ${old[i]}` : null).filter(Boolean);
  });
}
