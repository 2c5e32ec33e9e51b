// SPDX-License-Identifier: Apache-2.0
// The launcher with programs that misbehave: each world has a folder of programs of its own, in
// which some are scripts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { after, describe, test } from 'node:test';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Session, place, program, until } from './stack.mjs';

const names = ['mcp', 'broker', 'worker', 'resolver', 'platform', 'agent', 'launcher'].map(name => `proofarc-${name}`);
const copied = ['proofarc-mcp', 'proofarc-launcher'];  // they look for the others beside themselves

// A data directory and programs; `scripts` stand in for some: name → sh with $DIR and $REAL.
function world(name, scripts = {}) {
  const root = place(name), dir = path.join(root, 'data'), bin = path.join(root, 'bin');
  fs.mkdirSync(bin);
  fs.mkdirSync(dir, { mode: 0o700 });
  const replace = (file, script) => {
    const text = `#!/bin/sh\nDIR=${root}\nREAL=${program(file)}\n${script}\n`;
    fs.writeFileSync(path.join(bin, `${file}.new`), text, { mode: 0o755 });
    fs.renameSync(path.join(bin, `${file}.new`), path.join(bin, file));
  };
  for (const file of names)
    if (copied.includes(file)) fs.copyFileSync(program(file), path.join(bin, file));
    else fs.symlinkSync(program(file), path.join(bin, file));
  for (const [file, script] of Object.entries(scripts)) replace(file, script);
  return { root, dir, bin, replace, lines: file => fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8').trim().split('\n') : [] };
}

const started = [];
function launch({ dir, bin }, ...args) {
  const child = spawn(path.join(bin, 'proofarc-launcher'), ['--data-dir', dir, ...args], { stdio: 'ignore' });
  child.ended = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)));
  started.push(child);
  return child;
}
after(() => started.forEach(child => child.exitCode === null && child.kill()));

// A lease, with what it was told so far.
async function hold({ dir }) {
  const file = path.join(dir, 'stack.sock');
  await until(() => fs.existsSync(file), 'the stack listens');
  const socket = net.connect(file);
  const told = {};
  socket.on('error', () => {});
  readline.createInterface({ input: socket }).on('line', line => Object.assign(told, Object.fromEntries(Object.entries(JSON.parse(line)).filter(([, value]) => value !== null))));
  await until(() => told.version, 'the stack says who it is');
  return { told, say: object => socket.write(`${JSON.stringify(object)}\n`), close: () => socket.destroy() };
}

async function client({ dir, bin }) {
  const transport = new StdioClientTransport({ command: path.join(bin, 'proofarc-mcp'), args: ['--transport', 'stdio', '--data-dir', dir, '--log-level', 'error'], env: process.env, stderr: 'ignore' });
  const session = new Session(transport);
  await session.client.connect(transport);
  return session;
}

// Children that have ended and that nobody has asked about.
const zombies = parent => fs.readdirSync('/proc').filter(pid => {
  try { return /^\d+$/.test(pid) && new RegExp(`\\) Z ${parent} `).test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return false; }
}).length;

test('a program that keeps dying is started less and less often, and the others live on', async () => {
  const w = world('backoff', { 'proofarc-agent': 'date +%s%3N >> $DIR/starts; exit 1', 'proofarc-resolver': 'echo >> $DIR/resolvers; exec $REAL "$@"' });
  const launcher = launch(w, '--foreground');
  const lease = await hold(w);
  await until(() => w.lines('starts').length >= 7, 'the agent is started seven times');
  const times = w.lines('starts').map(Number);
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  [0, 50, 100, 200, 400, 800].forEach((least, i) => assert.ok(gaps[i] >= least && gaps[i] < least + 2000, `gap ${i}: ${gaps[i]} ms`));
  assert.equal(w.lines('resolvers').length, 1);
  await until(() => zombies(launcher.pid) === 0, 'those that died are reaped');
  lease.close();
  assert.equal(await launcher.ended, 0);
});

test('only a newer version ends a stack, and only one that nobody else uses', async () => {
  const w = world('drain');
  const launcher = launch(w, '--foreground');
  const user = await hold(w);
  user.say({ drain: '0.9.9' });
  user.say({ drain: user.told.version });
  const newer = await hold(w);
  newer.say({ drain: '9.0.0' });
  const third = await hold(w);  // it was greeted after what the others said was read
  assert.equal(third.told.pid, user.told.pid);
  third.close();
  user.close();
  assert.equal(await launcher.ended, 0);
  assert.ok(!fs.existsSync(path.join(w.dir, 'stack.sock')));
  newer.close();
});

test('a newer version that has left ends nothing', async () => {
  const w = world('drain-left');
  launch(w, '--foreground');
  const user = await hold(w);
  const newer = await hold(w);
  newer.say({ drain: '9.0.0' });
  await hold(w).then(third => third.close());
  newer.close();
  for (let i = 0; i < 3; i++) {
    const again = await hold(w);
    assert.equal(again.told.pid, user.told.pid);
    again.close();
  }
  user.close();
});

test('a port that was taken meanwhile is replaced, and everybody is told', async () => {
  const w = world('port', { 'proofarc-platform': 'echo "$2 $4" >> $DIR/args; test $(wc -l < $DIR/args) = 1 && exit 3; exec $REAL "$@"' });
  const session = await client(w);
  assert.equal((await session.call('list_projects')).total, 0);
  const lease = await hold(w);
  await until(() => lease.told.platform, 'the platform is there');
  const [first, second] = w.lines('args').map(line => line.match(/127\.0\.0\.1:\d+/)[0]);
  assert.notEqual(first, second);
  assert.equal(lease.told.platform, `http://${second}`);
  lease.close();
  await session.close();
});

describe('a stack that cannot start', () => {
  const w = world('give-up', { 'proofarc-platform': 'exit 5' });

  test('is told in the answer of a tool, with what is wrong and where to look', async () => {
    const session = await client(w);
    const began = Date.now();
    const error = await session.refuse('list_projects');
    assert.match(error.message, /^proofarc-platform cannot start: the database is from a newer version \(code 5\); .*\/stack\.log says more\.$/);
    assert.deepEqual([error.code, error.outcome], ['backend', 'not_sent']);
    assert.ok(Date.now() - began < 8000, 'and long before the time of the call is up');
    await assert.rejects(session.client.listResources(), /cannot start|not there/);
    await session.close();
  });

  test('serves the same client once it can', async () => {
    const session = await client(w);
    await session.refuse('list_projects');
    w.replace('proofarc-platform', 'exec $REAL "$@"');
    await until(async () => !(await session.raw('list_projects')).isError, 'the tools work', 30000);
    await session.close();
  });
});

test('the log starts anew when it has grown too large, and keeps what there was', async () => {
  const w = world('log', { 'proofarc-agent': 'head -c 9000000 /dev/zero | tr "\\0" x >&2; exec sleep 1000' });
  const launcher = launch(w);
  const lease = await hold(w);
  const size = name => fs.existsSync(path.join(w.dir, name)) ? fs.statSync(path.join(w.dir, name)).size : 0;
  await until(() => size('stack.log.1') > 8 * 1024 * 1024 && size('stack.log') < 1024 * 1024, 'the log was moved aside');
  assert.equal(fs.statSync(path.join(w.dir, 'stack.log.1')).mode & 0o777, 0o600);
  lease.close();
  assert.equal(await launcher.ended, 0);
});
