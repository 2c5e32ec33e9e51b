// SPDX-License-Identifier: Apache-2.0
// The keys that were seen in answers over a whole test run are those that the outputSchemas
// declare, both ways. `begin` empties the record that every test appends to, `check` compares.
// Usage: PROOFARC_ANSWERS=FILE node answers.mjs begin|check
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { program } from './stack.mjs';

// Members that the runtime adds to every tool's answer; that each was seen at all is enough.
const shared = ['.error', '.reason', '.ask_user', '.candidates', '.scoped_by', '.truncated'];
const isShared = key => shared.some(word => key === word || key.startsWith(`${word}.`) || key.startsWith(`${word}[`));
// `returned` comes with `truncated` to tools that do not count what they answer themselves.
const isAdded = (key, schema) => key === '.returned' && schema.properties.returned.description === 'Items in this answer.';

// All keys of a schema; `open` are those below which anything may stand.
export function declaredKeys(schema, prefix = '', found = { keys: new Set(), open: new Set() }) {
  if (schema.type === 'array') declaredKeys(schema.items, `${prefix}[]`, found);
  else if (schema.properties)
    for (const [key, member] of Object.entries(schema.properties)) {
      found.keys.add(`${prefix}.${key}`);
      declaredKeys(member, `${prefix}.${key}`, found);
    }
  else if (schema.type === undefined || schema.type === 'object') found.open.add(prefix);
  return found;
}

// Findings as sentences, none if all is well. `schemas` maps tools to outputSchemas, `seen` maps
// tools to sets of keys.
export function compare(schemas, seen) {
  const findings = [];
  const unseen = new Map();
  for (const [tool, schema] of schemas) {
    const { keys, open } = declaredKeys(schema);
    const answered = seen.get(tool) ?? new Set();
    const isOpen = key => [...open].some(prefix => key.startsWith(`${prefix}.`) || key.startsWith(`${prefix}[`));
    for (const key of answered)
      if (!keys.has(key) && !isOpen(key)) findings.push(`${tool}: ${key} was answered and is not declared`);
    for (const key of keys) {
      const was = answered.has(key);
      if (isShared(key)) unseen.set(key, unseen.get(key) !== false && !was);
      else if (!was && !isAdded(key, schema)) findings.push(`${tool}: ${key} is declared and was never answered`);
    }
  }
  for (const [key, never] of unseen) if (never) findings.push(`every tool: ${key} is declared and was never answered`);
  for (const tool of seen.keys()) if (!schemas.has(tool)) findings.push(`${tool}: was answered and does not exist`);
  return findings;
}

function readSchemas() {
  const lines = execFileSync(program('proofarc-worker'), ['--schemas'], { encoding: 'utf8' }).trim().split('\n').map(line => JSON.parse(line));
  return new Map(lines.filter(line => line.kind === 'tool').map(({ entry }) => [entry.name, entry.outputSchema]));
}

function readSeen(file) {
  const seen = new Map();
  for (const line of fs.readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)) {
    const { tool, keys } = JSON.parse(line);
    if (!seen.has(tool)) seen.set(tool, new Set());
    keys.forEach(key => seen.get(tool).add(key));
  }
  return seen;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.env.PROOFARC_ANSWERS;
  if (process.argv[2] === 'begin') fs.writeFileSync(file, '');
  else {
    const findings = compare(readSchemas(), readSeen(file));
    findings.forEach(finding => console.log(finding));
    process.exitCode = findings.length ? 1 : 0;
  }
}
