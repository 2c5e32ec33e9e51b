// SPDX-License-Identifier: Apache-2.0
// Every program: --help from its settings, --version, and a clear line with an exit code of its
// own when it cannot start.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Session, lease, place, program, start, until } from './stack.mjs';

const programs = ['proofarc-mcp', 'proofarc-broker', 'proofarc-worker', 'proofarc-resolver', 'proofarc-platform', 'proofarc-agent', 'proofarc-launcher'];
const run = (name, args, options = {}) => spawnSync(program(name), args, { encoding: 'utf8', timeout: 20000, input: '', ...options });

// Runs a program that has to refuse to start; its last line says why.
function refused(name, args, code, sentence, options) {
  const { status, stderr } = run(name, args, options);
  assert.equal(status, code, `${name} ${args.join(' ')}: ${stderr}`);
  assert.match(stderr, sentence);
  assert.ok(stderr.trim().split('\n').every(line => line.length < 400), stderr);
}

describe('the command line', () => {
  for (const name of programs)
    test(`${name} explains itself`, () => {
      const help = run(name, ['--help']);
      assert.equal(help.status, 0);
      assert.match(help.stdout, new RegExp(`^${name}: `));
      for (const flag of ['--log-level', '--log-format', '--help', '--version']) assert.ok(help.stdout.includes(flag), flag);
      for (const [, flag] of help.stdout.matchAll(/^ {2}--([a-z-]+)/gm))
        if (!['help', 'version'].includes(flag)) assert.ok(help.stdout.includes(`PROOFARC_${flag.toUpperCase().replaceAll('-', '_')}`), flag);
      const version = run(name, ['--version']);
      assert.deepEqual([version.status, version.stdout], [0, `${name} 1.0.0\n`]);
    });

  for (const name of programs)
    test(`${name} refuses what it does not know`, () => {
      refused(name, ['--no-such-flag'], 2, /There is no flag --no-such-flag\.\nSee: .* --help/);
      refused(name, ['--log-level', 'loud'], 2, /one of error\|warning\|info\|debug/);
      refused(name, ['--log-level'], 2, /needs a value/);
      refused(name, [], 2, /./, { env: { ...process.env, PROOFARC_LOG_FORMAT: 'xml' } });
    });
});

describe('the demonstration', () => {
  const script = fileURLToPath(new URL('../../demo/main-job.mjs', import.meta.url));
  const demo = args => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', timeout: 20000 });

  test('says how it is called, and what is not there', () => {
    const bare = demo([]), lost = demo(['/nowhere/proofarc-mcp', path.join(place('demo'), 'work')]);
    assert.deepEqual([bare.status, lost.status], [2, 1]);
    assert.match(bare.stderr, /^usage: .*PROOFARC_MCP WORK_DIR/);
    assert.match(lost.stderr, /^\n?spawn \/nowhere\/proofarc-platform ENOENT\n$/);
  });
});

describe('what cannot start says why', () => {
  const dir = place('start');
  const file = name => path.join(dir, name);
  const platform = (listen, database) => ['--listen', listen, '--database', `sqlite:${database}`, '--vault-key', file('vault.key'),
    '--token-key', file('token.key'), '--credentials', file('credentials')];

  test('a port that is taken', async () => {
    const server = net.createServer();
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    const taken = `127.0.0.1:${server.address().port}`;
    refused('proofarc-platform', platform(taken, file('a.db')), 3, new RegExp(String(server.address().port)));
    refused('proofarc-mcp', ['--transport', 'http', '--listen', taken, '--data-dir', file('d1')], 3, new RegExp(String(server.address().port)));
    server.close();
  });

  test('an endpoint that another broker serves', async () => {
    fs.mkdirSync(file('run'), { mode: 0o700 });
    const args = ['--transports', `ipc://${file('run/t.sock')}`, '--workers', `ipc://${file('run/w.sock')}`, '--categories', 'explore'];
    const first = await start('proofarc-broker', args);
    refused('proofarc-broker', args, 3, /another process serves/);
    assert.equal(await first.stop(), 0);
  });

  test('a data directory that is not ours', () => {
    fs.mkdirSync(file('open'), { mode: 0o755 });
    fs.chmodSync(file('open'), 0o755);
    fs.writeFileSync(file('plain'), '');
    refused('proofarc-launcher', ['--data-dir', file('open')], 4, /chmod 700/);
    refused('proofarc-launcher', ['--data-dir', file('plain')], 4, /no directory/);
    refused('proofarc-launcher', ['--data-dir', '/proc/nonexistent/x'], 4, /./);
  });

  test('a database from a newer version, or none at all', async () => {
    const first = await start('proofarc-platform', platform('127.0.0.1:0', file('newer.db')));
    await first.stop();
    const { status } = spawnSync('node', ['-e', `
      const fs = require('fs'); const f = ${JSON.stringify(file('newer.db'))};
      const b = fs.readFileSync(f); b.writeUInt32BE(9999, 60); fs.writeFileSync(f, b);`]);  // user_version
    assert.equal(status, 0);
    for (const suffix of ['-wal', '-shm']) fs.rmSync(file(`newer.db${suffix}`), { force: true });
    refused('proofarc-platform', platform('127.0.0.1:0', file('newer.db')), 5, /newer/);
    fs.writeFileSync(file('text.db'), 'this is not a database, whatever its name says'.repeat(100));
    const { stderr } = run('proofarc-platform', platform('127.0.0.1:0', file('text.db')));
    assert.match(stderr, /not a database|no database/);
  });

  test('keys that others can read', async () => {
    fs.writeFileSync(file('open.key'), `${'ab'.repeat(32)}\n`, { mode: 0o644 });
    refused('proofarc-platform', ['--listen', '127.0.0.1:0', '--database', `sqlite:${file('k.db')}`, '--vault-key', file('open.key'),
      '--token-key', file('token.key'), '--credentials', file('credentials')], 8, /others/);
    fs.writeFileSync(file('open.token'), 'x', { mode: 0o644 });
    refused('proofarc-agent', ['--platform', 'http://127.0.0.1:1', '--token', file('open.token')], 8, /others/);
    const tcp = ['--broker', 'tcp://127.0.0.1:1', '--platform', 'http://127.0.0.1:1', '--curve-dir', file('no-keys')];
    refused('proofarc-worker', ['explore', '--resolver', 'tcp://127.0.0.1:1', ...tcp], 8, /no-keys/);
    refused('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', ...tcp], 8, /no-keys/);
  });

  test('no broker', () => {
    refused('proofarc-worker', ['explore', '--broker', `ipc://${file('run/nobody.sock')}`, '--resolver', `ipc://${file('run/r.sock')}`,
      '--platform', 'http://127.0.0.1:1'], 6, /broker/);
  });

  test('tcp without keys', () => {
    refused('proofarc-broker', ['--transports', 'tcp://127.0.0.1:0', '--workers', `ipc://${file('run/w2.sock')}`, '--categories', 'explore'], 7, /--curve-dir/);
    refused('proofarc-resolver', ['--bind', 'tcp://127.0.0.1:0', '--platform', 'http://127.0.0.1:1'], 7, /--curve-dir/);
    refused('proofarc-worker', ['explore', '--broker', 'tcp://127.0.0.1:1', '--resolver', `ipc://${file('run/r.sock')}`, '--platform', 'http://127.0.0.1:1'], 7, /--curve-dir/);
    refused('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--broker', 'tcp://127.0.0.1:1', '--platform', 'http://127.0.0.1:1'], 7, /--curve-dir/);
  });

  test('an open door on all addresses', () => {
    refused('proofarc-mcp', ['--transport', 'http', '--listen', '0.0.0.0:0', '--auth', 'none', '--data-dir', file('d2')], 2, /loopback/);
  });
});

// All programs that were started with this directory.
function pidsOf(dir) {
  const { stdout } = spawnSync('pgrep', ['-f', dir], { encoding: 'utf8' });
  return stdout.trim().split('\n').map(Number).filter(pid => pid !== process.pid);
}

describe('the launcher', () => {
  test('two clients share one stack, which leaves when both have', async () => {
    const dir = place('shared');
    const [one, two] = await Promise.all([Session.stdio(dir), Session.stdio(dir)]);
    await one.call('create_project', { name: 'seen by both' });
    assert.equal((await two.call('list_projects')).projects[0].name, 'seen by both');
    const told = await lease(dir);
    await one.close();
    assert.equal((await two.call('list_projects')).total, 1);
    await two.close();
    told.close();
    await until(() => !fs.existsSync(path.join(dir, 'stack.sock')), 'the stack has left', 8000);
    for (const name of ['platform.db', 'vault.key', 'token.key', 'credentials', 'agent.token'])
      assert.equal(fs.statSync(path.join(dir, name)).mode & 0o777, 0o600, name);
    assert.equal(fs.statSync(dir).mode & 0o777, 0o700);
  });

  test('what was stored is there at the next start', async () => {
    const dir = place('again');
    for (const expected of [0, 1, 2]) {
      const session = await Session.stdio(dir);
      assert.equal((await session.call('list_projects')).total, expected);
      await session.call('create_project', { name: `project ${expected}` });
      await session.close();
    }
  });

  test('secrets of the environment do not reach the programs of the stack', async () => {
    const dir = place('scrubbed');
    const session = await Session.stdio(dir, { env: { PROOFARC_TOKEN: 'not for children' } });
    try {
      await session.client.listTools();
      const pids = pidsOf(dir);
      assert.ok(pids.length > 8);
      for (const pid of pids) assert.ok(!fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes('not for children'), String(pid));
    } finally {
      await session.close();
    }
  });

  test('a program that crashes leaves no core file, which would hold secrets', async () => {
    const dir = place('cores');
    spawnSync('prlimit', ['--pid', String(process.pid), '--core=unlimited']);  // children inherit what may be
    const session = await Session.stdio(dir);
    try {
      await session.client.listTools();
      const pids = pidsOf(dir);
      assert.ok(pids.length > 8);
      for (const pid of pids) assert.match(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m, String(pid));
    } finally {
      await session.close();
    }
  });
});
