// SPDX-License-Identifier: Apache-2.0
// tests/cases.tsv says which test proves which case of the logs that the product is built on:
// each test that it names has to stand in its file.
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

// A test in C is a function, one in JavaScript a call of test().
const isThere = (file, name, text) => (file.endsWith('.c') ? new RegExp(`^${escape(name)}\\(void \\*\\*state\\)`, 'm') : new RegExp(`test\\((['"\`])${escape(name)}\\1`)).test(text);

function finding(line, seen) {
  const [, id, file, name] = line.match(/^((?:N|[AB]-[A-Z])-?\d\d)\t(\S+) : (.+)$/) ?? [];
  if (!id) return 'is not "case <tab> file : test"';
  if (seen.has(line)) return 'stands there twice';
  seen.add(line);
  if (textOf(file) === null) return `${file} does not exist`;
  return isThere(file, name, textOf(file)) ? null : `${file} has no test "${name}"`;
}

const [head, ...lines] = fs.readFileSync(path.join(root, 'tests/cases.tsv'), 'utf8').trimEnd().split('\n');
const seen = new Set();
const findings = head === 'case\ttest' ? [] : ['line 1: is not the heading'];
lines.forEach((line, index) => {
  const found = finding(line, seen);
  if (found) findings.push(`line ${index + 2}: ${found}`);
});
findings.forEach(line => console.log(`tests/cases.tsv: ${line}`));
process.exitCode = findings.length ? 1 : 0;
