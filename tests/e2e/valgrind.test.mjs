// SPDX-License-Identifier: Apache-2.0
// A short run of the whole stack with every program under valgrind: nothing read before it was
// written, nothing lost. For programs without sanitizers (the debug preset).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Session, bin, login, place, start, until } from './stack.mjs';

const isSanitized = () => execFileSync('nm', ['-D', path.join(bin, 'proofarc-broker')], { encoding: 'utf8', maxBuffer: 64 << 20 }).includes('__asan_');

// A program that runs `name` under valgrind.
function wrap(dir, name) {
  const file = path.join(dir, name);
  fs.writeFileSync(file, `#!/bin/sh\nexec valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --log-file=${dir}/${name}.%p.log ${path.join(bin, name)} "$@"\n`, { mode: 0o755 });
  return file;
}

test('a short run under valgrind finds nothing', { skip: isSanitized() && 'the programs have sanitizers' }, async () => {
  const dir = place('valgrind');
  const file = name => path.join(dir, name);
  fs.mkdirSync(file('run'), { mode: 0o700 });
  const running = [];
  const up = async (name, ...args) => {
    const process = await start(name, args, { file: wrap(dir, name) });
    running.push(process);
    return process.endpoint.replace(/^(?!http)/, 'http://');
  };
  try {
    const platform = await up('proofarc-platform', '--listen', '127.0.0.1:0', '--database', `sqlite:${file('platform.db')}`, '--vault-key', file('vault.key'),
      '--token-key', file('token.key'), '--credentials', file('credentials'), '--agent-token', file('agent.token'), '--allow-private');
    await up('proofarc-broker', '--transports', `ipc://${file('run/t')}`, '--workers', `ipc://${file('run/w')}`, '--categories', 'explore,act,report,api_authoring,setup,environments');
    await up('proofarc-resolver', '--bind', `ipc://${file('run/r')}`, '--platform', platform);
    await up('proofarc-worker', 'explore', 'act', 'report', 'api_authoring', 'setup', 'environments', '--broker', `ipc://${file('run/w')}`, '--resolver', `ipc://${file('run/r')}`, '--platform', platform);
    await up('proofarc-agent', '--platform', platform, '--token', file('agent.token'));
    const url = await up('proofarc-mcp', '--transport', 'http', '--listen', '127.0.0.1:0', '--broker', `ipc://${file('run/t')}`, '--token-key', file('token.key'), '--platform', platform);
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the transport is ready', 60000);
    const session = await Session.http(`${url}/mcp`, await login(platform, dir));
    await session.call('create_project', { name: 'short' });
    await session.call('create_environment', { name: 'here', auth_requirement: 'PUBLIC', project: 'short' });
    await session.call('add_target', { environment: 'here', name: 'self', target_type: 'REST_SERVICE', base_url: platform, app_tag: 'self' });
    await session.call('create_scenario_from_yaml', { project: 'short', yaml_text: 'name: up\nappTag: self\ntags: [smoke]\nsteps:\n  - {name: up, method: GET, path: /api/health, expect: [200]}\n' });
    assert.equal((await session.call('run_by_tag', { tags: ['smoke'] })).reason, 'missing_required');
    const run = await session.call('run_by_tag', { tags: ['smoke'], environment: 'here' });
    assert.equal((await session.ended(run.queued[0].executionId)).status, 'COMPLETED');
    const imported = await session.call('create_scenario_from_swagger', { project: 'short', environment: 'here', url: `${platform}/api/openapi.json`, path_globs: ['GET /api/h*'] });
    assert.equal(imported.created.length, 1);
    await session.close();
  } finally {
    for (const process of running.reverse()) await process.stop();
  }
  const found = fs.readdirSync(dir).filter(name => name.endsWith('.log')).map(name => fs.readFileSync(file(name), 'utf8')).join('');
  assert.equal(found, '');
  for (const { child, code } of running) assert.equal(code, 0, child.spawnfile);
});
