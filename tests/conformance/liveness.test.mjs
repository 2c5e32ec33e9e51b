// SPDX-License-Identifier: Apache-2.0
// While something takes long: the transport answers pings by itself, tells how far a run is, and
// keeps its two directions apart.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { after, before, test } from 'node:test';
import { until } from '../e2e/stack.mjs';
import { ask, begin, message, notice, open } from '../e2e/http.mjs';
import { startStack } from './stack.mjs';

let stack;

before(async () => {
  stack = await startStack({ withFixtures: false });
  const session = await begin(stack.url);
  const call = async (name, args) => {
    const { result } = (await ask(stack.url, { headers: session, body: message('tools/call', { name, arguments: args }) })).message;
    assert.notEqual(result.isError, true, JSON.stringify(result));
  };
  await call('create_project', { name: 'p' });
  await call('create_environment', { name: 'dev', auth_requirement: 'PUBLIC', project: 'p' });
  await call('add_target', { environment: 'dev', name: 't', target_type: 'REST_SERVICE', base_url: 'http://127.0.0.1:9' });
  await call('create_api_scenario', { name: 's', project: 'p', environment: 'dev', steps: [{ method: 'GET', path: '/', expect: [200] }] });
});
after(() => stack.stop());

// There is no agent: whoever waits for this run waits until the call's time is up.
const longCall = (id, token = 'far') => message('tools/call',
  { name: 'execute_scenario', arguments: { scenario: 's', environment: 'dev', wait: true }, _meta: { progressToken: token } }, id);

// A client over stdio: send(message), lines, and the process.
function stdio() {
  const { command, args, env } = stack.stdio;
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const client = { child, lines: [], send: body => child.stdin.write(`${JSON.stringify(body)}\n`) };
  client.exited = new Promise(resolve => child.once('exit', resolve));
  client.read = () => readline.createInterface({ input: child.stdout }).on('line', line => client.lines.push(JSON.parse(line)));
  client.has = (fits, sentence) => until(() => client.lines.find(fits), sentence);
  return client;
}

test('a run that is waited for says how far it is, on the stream of its call', async () => {
  const session = await begin(stack.url);
  const stream = await open(stack.url, { headers: session, body: longCall('long', 7) });
  const { message: told } = await stream.next(got => got.method === 'notifications/progress');
  assert.strictEqual(told.params.progressToken, 7);
  assert.equal(stream.events.some(event => event.message?.id === 'long'), false);
  await ask(stack.url, { headers: session, body: notice('notifications/cancelled', { requestId: 'long' }) });
  await stream.ended();
  assert.equal(stream.events.some(event => event.message?.id === 'long'), false);
});

test('a ping over HTTP is answered while a call runs, and while the broker stands still', async () => {
  const session = await begin(stack.url);
  const stream = await open(stack.url, { headers: session, body: longCall('slow') });
  await stream.next(got => got.method === 'notifications/progress');
  stack.broker.child.kill('SIGSTOP');
  try {
    for (let i = 0; i < 20; i++) assert.equal((await ask(stack.url, { headers: session, body: message('ping') })).status, 200);
    assert.equal(stream.isOver, false);
  } finally {
    stack.broker.child.kill('SIGCONT');
  }
  await stream.close();
});

test('a ping over stdio overtakes calls, also while the broker stands still', async () => {
  const client = stdio();
  client.read();
  client.send(message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'hello'));
  client.send(longCall('slow'));
  await client.has(line => line.method === 'notifications/progress');
  client.send(message('ping', {}, 'one'));
  await client.has(line => line.id === 'one');
  stack.broker.child.kill('SIGSTOP');
  try {
    client.send(message('tools/call', { name: 'list_projects', arguments: {} }, 'held'));
    client.send(message('ping', {}, 'two'));
    await client.has(line => line.id === 'two');
    assert.equal(client.lines.some(line => ['slow', 'held'].includes(line.id)), false);
  } finally {
    stack.broker.child.kill('SIGCONT');
  }
  await client.has(line => line.id === 'held', 'the call is answered once the broker goes on');
  client.send(notice('notifications/cancelled', { requestId: 'slow' }));
  client.child.stdin.end();
  assert.equal(await client.exited, 0);
});

test('five hundred requests are taken before the first answer is read', async () => {
  const client = stdio(), count = 500;
  client.send(message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'hello'));
  const sent = new Promise(resolve => client.child.stdin.once('drain', resolve));
  for (let i = 0; i < count; i++) client.send(message('tools/call', { name: 'list_projects', arguments: {} }, i));
  await Promise.race([sent, until(() => client.child.stdin.writableLength === 0, 'all is sent').catch(() => {})]);
  client.read();
  await until(() => client.lines.length === count + 1, 'all are answered', 60000);
  const ids = new Set(client.lines.map(line => line.id));
  assert.equal(ids.size, count + 1);
  assert.ok(client.lines.slice(1).every(line => line.result.structuredContent.projects));
  client.child.stdin.end();
  assert.equal(await client.exited, 0);
});

test('a client that is gone takes its process with it, whatever is under way', async () => {
  const client = stdio();
  client.read();
  client.send(message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'hello'));
  client.send(longCall('slow'));
  await client.has(line => line.method === 'notifications/progress');
  client.child.stdout.destroy();
  client.child.stdin.on('error', () => {});
  client.send(message('ping', {}, 'nobody reads this'));
  await client.exited;
});
