// SPDX-License-Identifier: Apache-2.0
// Two transports with one session key: a session begins at one of them and goes on at the other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Session, until } from '../e2e/stack.mjs';
import { ask, begin, message, open, stateless } from '../e2e/http.mjs';
import { startStack } from './stack.mjs';

let stack, one, other, fixtures;

before(async () => {
  stack = await startStack({ replicas: 2, withFixtures: false });
  [one, other] = stack.urls;
});
after(() => stack.stop());

const isChange = kind => got => got.method === `notifications/${kind}/list_changed`;
const namesAt = async (url, headers) => (await ask(url, { headers, body: message('tools/list') })).message.result.tools.map(tool => tool.name);

// A stream of changes at each of them, of sessions that began at the one and at the other, and a
// subscription of the newest version.
async function listeners() {
  const listen = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const streams = [
    await open(one, { method: 'GET', headers: await begin(other) }),
    await open(other, { method: 'GET', headers: await begin(one) }),
    await open(one, listen),
    await open(other, listen),
  ];
  for (const stream of streams.slice(2)) await stream.next(got => got.method === 'notifications/subscriptions/acknowledged');
  return streams;
}

async function allHear(streams) {
  for (const stream of streams) await stream.next(isChange('tools'), 'the tools have changed');
  for (const stream of streams.slice(2)) assert.ok(stream.events.at(-1).message.params._meta['io.modelcontextprotocol/subscriptionId']);
  for (const stream of streams) await stream.close();
}

test('clients of both hear of a category that is added, and of one that is deployed anew', async () => {
  const before = await namesAt(one);
  let streams = await listeners();
  fixtures = await stack.startFixtures({ PROOFARC_FIXTURES: 'few' });
  await allHear(streams);
  const added = await namesAt(other);
  assert.ok(added.includes('test_simple_text') && !added.includes('test_elicitation'));
  assert.deepEqual(added.slice(0, before.length), before);

  streams = await listeners();
  await fixtures.stop();
  fixtures = await stack.startFixtures();
  await allHear(streams);
  assert.ok((await namesAt(one)).includes('test_elicitation'));
});

test('a session that began at one is served by the other, and ends at both', async () => {
  const session = await begin(one);
  const stream = await open(one, { method: 'GET', headers: session });
  assert.equal((await ask(other, { headers: session, body: message('ping') })).status, 200);
  assert.equal((await ask(other, { method: 'DELETE', headers: session })).status, 204);
  await until(async () => (await ask(one, { headers: session, body: message('ping') })).status === 404, 'the first hears that the session is over');
  assert.equal((await ask(one, { method: 'DELETE', headers: session })).status, 404);
  assert.equal((await ask(other, { headers: session, body: message('ping') })).status, 404);
  await stream.ended();
});

test('the stream of changes of a session is in one place', async () => {
  const session = await begin(one);
  const first = await open(one, { method: 'GET', headers: session });
  const second = await open(other, { method: 'GET', headers: session });
  await first.ended();
  await ask(one, { headers: session, body: message('tools/call', { name: 'test_trigger_prompt_change', arguments: {} }) });
  await second.next(isChange('prompts'));
  await second.close();
});

// A call that asks, begun at `url` and left with its question open.
async function leaveQuestion(url, session) {
  const stream = await open(url, { headers: session, body: message('tools/call', { name: 'test_elicitation', arguments: { message: 'who?' } }, 'left') });
  const { message: question } = await stream.next(got => got.method === 'elicitation/create');
  const id = stream.events.at(-1).id;
  await stream.close();
  return { id, answer: { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { username: 'ann', email: 'a@b.example' } } } };
}

test('a stream that was lost at one is read on at the other', async () => {
  const session = await begin(one, { capabilities: { elicitation: {} } });
  const { id, answer } = await leaveQuestion(one, session);
  const rest = await open(other, { method: 'GET', headers: { ...session, 'Last-Event-ID': id } });
  assert.equal((await ask(other, { headers: session, body: answer })).status, 202);
  const result = await rest.next(got => got.id === 'left');
  assert.match(JSON.stringify(result.message.result), /ann/);
  await rest.ended();
  assert.equal(rest.events.filter(event => event.message).length, 1);

  const again = await open(other, { method: 'GET', headers: { ...session, 'Last-Event-ID': id } });
  await again.next(got => got.id === 'left', 'what is over is kept for a while');
  await again.ended();
});

test('the official client comes back through the proxy for what it has lost', async () => {
  const session = await Session.http(stack.url);
  assert.ok((await session.client.listTools()).tools.length > 36);
  await Promise.all(Array.from({ length: 20 }, () => session.call('list_projects')));
  for (let i = 0; i < 2; i++) {
    const call = session.raw('test_reconnection', {}, { timeout: 20000 });
    await until(() => stack.proxy.drop(), 'the answer has begun as a stream');
    assert.equal((await call).isError, undefined);
  }
  await session.transport.terminateSession();
  await session.close();
});

test('a stream whose transport is gone becomes one of changes', async () => {
  const session = await begin(one, { capabilities: { elicitation: {} } });
  const { id } = await leaveQuestion(one, session);
  await stack.mcps[0].stop('SIGKILL');
  const rest = await open(other, { method: 'GET', headers: { ...session, 'Last-Event-ID': id } });
  await until(async () => {
    await ask(other, { headers: session, body: message('tools/call', { name: 'test_trigger_prompt_change', arguments: {} }) });
    return rest.events.some(event => event.message && isChange('prompts')(event.message));
  }, 'the stream carries changes');
  await rest.close();
});
