// SPDX-License-Identifier: Apache-2.0
// tests/cases.tsv says which test proves which case of the logs that the product is built on: each
// test that it names has to stand in its file. tests/cases-left.tsv holds the cases that no test
// proves, and why. With --print both are counted, and the second is printed.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const texts = new Map();
const textOf = file => {
  if (!texts.has(file)) texts.set(file, fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8') : null);
  return texts.get(file);
};
const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const ID = '(?:N|[AB]-[A-Z])-?\\d\\d';

// A test in C is a function, one in JavaScript a call of test().
const isThere = (file, name, text) => (file.endsWith('.c') ? new RegExp(`^${escape(name)}\\(void \\*\\*state\\)`, 'm') : new RegExp(`test\\((['"\`])${escape(name)}\\1`)).test(text);

function provenFinding([, , file, name]) {
  if (textOf(file) === null) return `${file} does not exist`;
  return isThere(file, name, textOf(file)) ? null : `${file} has no test "${name}"`;
}

// The rows of a table and what is wrong with them. `finding` judges one row that has the form.
function read(file, heading, form, formName, finding) {
  const [head, ...lines] = textOf(file).trimEnd().split('\n');
  const seen = new Set();
  const findings = head === heading ? [] : [`${file}: line 1: is not the heading`];
  const rows = [];
  lines.forEach((line, index) => {
    const row = line.match(form);
    const found = !row ? `is not "${formName}"` : seen.has(line) ? 'stands there twice' : finding(row);
    if (found) findings.push(`${file}: line ${index + 2}: ${found}`);
    if (row) rows.push(row);
    seen.add(line);
  });
  return { rows, findings };
}

const proven = read('tests/cases.tsv', 'case\ttest', new RegExp(`^(${ID})\t(\\S+) : (.+)$`), 'case <tab> file : test', provenFinding);
const provenIds = new Set(proven.rows.map(row => row[1]));
const left = read('tests/cases-left.tsv', 'case\twhy no test proves it', new RegExp(`^(${ID})\t(\\S.*)$`), 'case <tab> reason',
  ([, id]) => (provenIds.has(id) ? `${id} has a test in tests/cases.tsv` : null));

const findings = [...proven.findings, ...left.findings];
findings.forEach(line => console.log(line));
process.exitCode = findings.length ? 1 : 0;

if (process.argv.includes('--print')) {
  console.log(`${provenIds.size} cases are proven by ${new Set(proven.rows.map(row => row[0].split('\t')[1])).size} tests, ${left.rows.length} by none:`);
  left.rows.forEach(([, id, reason]) => console.log(`${id}  ${reason}`));
}
