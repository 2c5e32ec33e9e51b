// SPDX-License-Identifier: Apache-2.0
// The program under clients that behave badly: closed descriptors, an early end, a death.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';
import { test } from 'node:test';
import { place, program, sleep, until } from '../e2e/stack.mjs';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}\n';
const nobody = `ipc://${place('nobody')}/broker.sock`;
const mcp = program('proofarc-mcp');
const alone = ['--broker', nobody, '--log-level', 'error'];  // no stack is needed for these

test('nothing but messages stands on stdout', () => {
  const { stdout, status } = spawnSync(mcp, alone, { input: ping + 'garbage\n' + ping, encoding: 'utf8' });
  assert.equal(status, 0);
  const lines = stdout.split('\n');
  assert.equal(lines.length, 4);
  assert.equal(lines[0] + '\n', pong);
  assert.equal(JSON.parse(lines[1]).error.code, -32700);
});

test('an end without a question is an end', () => {
  const started = Date.now();
  const { status, stdout } = spawnSync(mcp, alone, { input: '' });
  assert.equal(status, 0);
  assert.equal(stdout.length, 0);
  assert.ok(Date.now() - started < 2000);
});

for (const closed of ['0<&-', '1>&-', '2>&-', '0<&- 1>&-', '0<&- 1>&- 2>&-'])
  test(`descriptors that are closed at the start (${closed}) harm nothing`, () => {
    const { status, stdout } = spawnSync('sh', ['-c', `printf '%s' '${ping}' | { exec "$@" ${closed}; }`, 'sh', mcp, ...alone], { encoding: 'utf8', timeout: 20000 });
    assert.equal(status, 0);
    assert.equal(stdout, closed === '2>&-' ? pong : '');
  });

test('a file as stdin and stdout is served', () => {
  const dir = place('files');
  fs.writeFileSync(`${dir}/in`, ping + ping);
  const input = fs.openSync(`${dir}/in`, 'r'), output = fs.openSync(`${dir}/out`, 'w');
  assert.equal(spawnSync(mcp, alone, { stdio: [input, output, 'ignore'] }).status, 0);
  assert.equal(fs.readFileSync(`${dir}/out`, 'utf8'), pong + pong);
});

test('a client that closes its end of stdout ends the program', async () => {
  const child = spawn(mcp, alone, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = new Promise(resolve => child.once('exit', resolve));
  child.stdin.on('error', () => {});
  child.stdin.write(ping);
  await new Promise(resolve => child.stdout.once('data', resolve));
  child.stdout.destroy();
  await sleep(20);
  child.stdin.write(ping);
  assert.equal(await Promise.race([exited, sleep(5000).then(() => 'still there')]), 0);
});

test('an idle program costs next to nothing', async () => {
  const child = spawn(mcp, alone, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(ping);
  await new Promise(resolve => child.stdout.once('data', resolve));
  const ticks = () => fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((sum, value) => sum + Number(value), 0);
  await sleep(2000);  // the first connection has been given up
  const begin = ticks();
  await sleep(2000);
  assert.ok(ticks() - begin <= 4, `${ticks() - begin} ticks of 10 ms in two seconds`);
  child.stdin.end();
  await new Promise(resolve => child.once('exit', resolve));
});

test('initialize is answered with no stack and no network', async () => {
  const dir = place('no-platform');
  const child = spawn(mcp, ['--data-dir', dir, '--platform', 'http://127.0.0.1:1', '--log-level', 'error'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const started = Date.now();
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n');
  const first = await new Promise(resolve => child.stdout.once('data', resolve));
  assert.equal(JSON.parse(first).result.protocolVersion, '2025-11-25');
  assert.ok(Date.now() - started < 1000, `${Date.now() - started} ms`);
  child.stdin.end();
  assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0);
});

test('it works without HOME and XDG variables', () => {
  const dir = place('bare');
  const { status, stdout } = spawnSync(mcp, ['--data-dir', dir, '--log-level', 'error'], { input: ping, encoding: 'utf8', env: {} });
  assert.equal(status, 0);
  assert.equal(stdout, pong);
});

test('SIGTERM ends it', async () => {
  const child = spawn(mcp, alone, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(ping);
  await new Promise(resolve => child.stdout.once('data', resolve));
  child.kill('SIGTERM');
  assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0);
});

test('without a broker it ends, and what waits for one is told why', async () => {
  const child = spawn(mcp, alone);
  const exited = new Promise(resolve => child.once('exit', resolve));
  const answers = [];
  readline.createInterface({ input: child.stdout }).on('line', line => answers.push(JSON.parse(line)));
  child.stdin.write(ping);
  await until(() => answers.length === 1, 'it is there');
  await sleep(500);  // it has waited for longer than what is asked now
  child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_projects"}}\n');
  child.stdin.write('{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n');
  assert.equal(await exited, 6);
  assert.match(answers.find(({ id }) => id === 2).result.content[0].text, /"backend".*No broker answers/);
  assert.match(answers.find(({ id }) => id === 3).error.message, /No broker answers/);
});
