// SPDX-License-Identifier: Apache-2.0
// Runs the official suites against the product with the fixtures and prints what passed.
// run.mjs [--replicas N | --stdio] [--scenario NAME] [--keep DIR]; the exit code is 1 if a check failed, scored or not.
// With --stdio the suites, which talk HTTP alone, reach a program that is spoken to by lines.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBridge } from './bridge.mjs';
import { isAboutHttp, unusedRows } from './http-only.mjs';
import { startStack } from './stack.mjs';
import { play, suites } from './suites.mjs';

const { values: options } = parseArgs({ options: { scenario: { type: 'string' }, keep: { type: 'string' }, stdio: { type: 'boolean' }, replicas: { type: 'string', default: '1' } } });
const count = (checks, status) => checks.filter(check => check.status === status).length;

const stack = await startStack({ replicas: Number(options.replicas) });
const bridge = options.stdio ? await startBridge(stack.stdio) : null;
const kept = options.keep ?? path.join(stack.dir, 'out');
let passed = 0, failed = 0, log = '';
try {
  for (const suite of suites) {
    const played = await play(suite, bridge?.url ?? stack.url, path.join(kept, suite[0]), options.scenario);
    const checks = bridge ? played.checks.filter(check => !isAboutHttp(check)) : played.checks;
    const [good, bad] = ['SUCCESS', 'FAILURE'].map(status => count(checks, status));
    console.log(`${suite[0]}: ${good} passed, ${bad} failed, ${count(checks, 'WARNING')} warnings, ${played.checks.length - checks.length} left out, exit code ${played.code}`);
    for (const { scenario, id, status, text } of checks)
      if (['FAILURE', 'WARNING'].includes(status)) console.log(`  ${status} ${scenario} ${id}: ${text}`.slice(0, 300));
    passed += good;
    failed += bad + (good ? 0 : 1);
  }
} finally {
  const findings = bridge ? [...await bridge.close(), ...(options.scenario ? [] : unusedRows())] : [];
  findings.forEach(finding => console.log(`  ${finding}`));
  failed += findings.length;
  log = await stack.stop();
  fs.mkdirSync(kept, { recursive: true });
  fs.writeFileSync(path.join(kept, 'log.txt'), log);
}
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
