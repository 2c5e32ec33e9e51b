// SPDX-License-Identifier: Apache-2.0
// compose.yaml is valid for docker-compose 1.29 and Compose v2, and its command lines work: they
// are run here as plain processes, with the paths and host names of this machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { Session, login, place, start, until } from './stack.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('docker-compose accepts the file', () => {
  const rendered = execFileSync('docker-compose', ['-f', path.join(root, 'compose.yaml'), 'config'], { encoding: 'utf8' });
  const { services } = parse(rendered);
  assert.deepEqual(Object.keys(services).sort(), ['agent', 'broker', 'mcp', 'platform', 'resolver', 'worker-act', 'worker-api-authoring',
    'worker-environments', 'worker-explore', 'worker-report', 'worker-setup']);
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.image, 'proofarc-mcp:1.0.0', name);
    for (const port of service.ports ?? []) assert.match(JSON.stringify(port), /127\.0\.0\.1/, `${name} is published on loopback alone`);
  }
});

test('the command lines of the services work as plain processes', async () => {
  const dir = place('compose');
  const { services } = parse(fs.readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { merge: true });
  fs.mkdirSync(path.join(dir, 'run'), { mode: 0o700 });
  const running = [];
  let platform;
  const here = word => word.replace('/run/proofarc', path.join(dir, 'run')).replace(/^(sqlite:)?\/data/, `$1${dir}`)
    .replace('0.0.0.0:8800', '127.0.0.1:0').replace('0.0.0.0:8808', '127.0.0.1:0').replace('http://platform:8800', platform ?? '');
  const up = async name => {
    const [program, ...args] = services[name].command;
    const process = await start(program, args.map(here));
    running.push(process);
    return process;
  };
  try {
    platform = `http://${(await up('platform')).endpoint.replace(/^http:\/\//, '')}`;
    for (const name of Object.keys(services).filter(n => n !== 'platform' && n !== 'mcp')) await up(name);
    const url = `http://${(await up('mcp')).endpoint.replace(/^http:\/\//, '')}`;
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the transport is ready');
    const session = await Session.http(`${url}/mcp`, await login(platform, dir));
    assert.deepEqual((await session.call('list_projects')).projects, []);
    await session.close();
  } finally {
    for (const process of running.reverse()) assert.equal(await process.stop(), 0, process.log);
  }
});
