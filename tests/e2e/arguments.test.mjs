// SPDX-License-Identifier: Apache-2.0
// What clients really send as arguments, and what they get when it is wrong: always a result
// that a model can act on, in the same words in both of its forms.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Session, place, stack } from './stack.mjs';

let world, session, tools;

before(async () => {
  world = await stack('arguments');
  session = world.session;
  ({ tools } = await session.client.listTools());
  for (const name of ['one', 'two', 'three']) await session.call('create_project', { name });
});
after(() => world?.close());

describe('a number', () => {
  for (const limit of [2, 2.0, '2', '2.0', ' 2 ']) test(`${JSON.stringify(limit)} is one`, async () =>
    assert.equal((await session.call('list_projects', { limit })).returned, 2));

  for (const limit of ['2px', '0x10', 2.5, '9999999999999999999', 1e300, true, [2], { n: 2 }, '٣']) test(`${JSON.stringify(limit)} is none`, async () =>
    assert.match((await session.refuse('list_projects', { limit })).message, /^limit: expected an integer/));

  test('1e2 is one hundred', async () => assert.equal((await session.call('list_projects', { limit: 1e2 })).returned, 3));
});

describe('nothing', () => {
  test('is null, blank, or left out', async () => {
    for (const nothing of [null, '', ' ', undefined]) {
      assert.equal((await session.call('list_projects', { query: nothing, limit: nothing, cursor: nothing, include_archived: nothing })).total, 3, JSON.stringify(nothing));
      assert.match((await session.refuse('create_project', { name: nothing })).message, /needs name/);
    }
  });

  test('is never passed on as a word', async () => {
    const made = await session.call('create_project', { name: 'four', description: null });
    assert.equal(made.description, '');
    const listed = await session.call('find_scenarios', { name: null, tags: [null, ''], auth_type: null });
    assert.equal(listed.total, 0);
  });
});

describe('what a tool says it takes', () => {
  test('is all that it takes', async () => {
    for (const { name, inputSchema, annotations } of tools) {
      const error = await session.refuse(name, { no_such_argument: 1 });
      const known = Object.keys(inputSchema.properties ?? {});
      const told = error.message.match(/; it takes (.*)$/)?.[1].split(', ') ?? [];
      if (!known.length) assert.match(error.message, /no argument/i, name);
      else assert.deepEqual(told.filter(word => word !== 'nothing'), known.includes('idempotency_key') || annotations.readOnlyHint ? known : [...known, 'idempotency_key'], name);
    }
  });

  test('leaves out no argument that has to be there', async () => {
    for (const { name, inputSchema } of tools.filter(t => t.inputSchema.required?.length)) {
      const error = await session.refuse(name, {});
      for (const required of inputSchema.required) assert.ok(error.message.includes(required), `${name}: ${error.message}`);
    }
  });

  test('is not disturbed by what clients add', async () => {
    const added = { _meta: {}, toolCallId: 'x', sessionId: 'y', chatInput: 'z', action: 'sendMessage' };
    assert.equal((await session.call('list_projects', { ...added, query: 'one' })).total, 1);
  });
});

describe('a failure', () => {
  const failing = [['create_project', {}], ['create_project', { name: 'one' }], ['get_execution_status', { execution_id: '999' }],
    ['validate_scenario_yaml', {}], ['parse_swagger', { content: 'x' }], ['list_projects', { limit: 'many' }]];

  test('is a result with code, sentence and outcome, in both of its forms', async () => {
    for (const [name, args] of failing) {
      const result = await session.raw(name, args);
      assert.equal(result.isError, true, name);
      const { error } = JSON.parse(result.content[0].text);
      assert.deepEqual(result.structuredContent ?? { error }, { error });
      assert.ok(error.code && error.message.length > 10 && error.outcome === 'failed', JSON.stringify(error));
    }
  });

  test('of the platform names parameters as the tool does', async () => {
    await session.call('create_environment', { name: 'of words', auth_requirement: 'PUBLIC' });
    const login = { environment: 'of words', tag: 'x' };
    assert.match((await session.refuse('add_environment_credential', login)).message, /password, token, api_key or secret_ref$/);
    assert.match((await session.refuse('add_environment_credential', { ...login, secret_ref: 'SHOP' })).message, /^secret_ref must be/);
    const target = { environment: 'of words', name: 'the baseUrl', target_type: 'REST_SERVICE', base_url: 'http://127.0.0.1:9/a' };
    await session.call('add_target', target);
    assert.match((await session.refuse('add_target', { ...target, base_url: 'http://127.0.0.1:9/b' })).message, /"the baseUrl"/, 'a name in quotes is a name');
  });

  test('of the protocol is one of the protocol', async () => {
    await assert.rejects(session.raw('no_such_tool'), error => error.code === -32602);
  });

  test('is none when a question is left', async () => {
    const result = await session.raw('list_project_applications', { project: 'no such project' });
    assert.ok(!result.isError);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    assert.deepEqual(Object.keys(result.structuredContent), ['reason', 'ask_user', 'candidates', 'scoped_by']);
  });
});

test('a cursor is given back as it is, or left out', async () => {
  const first = await session.call('list_projects', { limit: 1 });
  for (const cursor of ['0', 'start', `${first.nextCursor}x`, first.nextCursor.slice(0, -1), 'ünknown']) {
    const result = await session.raw('list_projects', { cursor });
    assert.ok(result.isError, `${cursor}: ${result.content[0].text}`);
    assert.match(result.content[0].text, /leave it out for the first page/, cursor);
  }
});

test('who may only read is told so when it writes, and goes on reading', async () => {
  const made = await world.rest('POST', '/api/users', { username: 'vera', password: 'vera-12345678', role: 'viewer' });
  assert.equal(made.status, 201, made.text);
  const answer = await world.rest('POST', '/api/auth/login', { username: 'vera', password: 'vera-12345678' });
  const reader = await Session.stdio(place('arguments-viewer'), { args: ['--platform', world.platform], env: { PROOFARC_TOKEN: answer.body.token } });
  const { username, role } = await reader.call('whoami');
  assert.deepEqual([username, role], ['vera', 'viewer']);
  assert.ok((await reader.call('list_projects')).total >= 3);
  const error = await reader.refuse('create_project', { name: 'not hers' });
  assert.equal(error.outcome, 'failed');
  assert.match(error.message, /viewer|role|may/);
  assert.equal((await reader.call('list_projects', { query: 'not hers' })).total, 0);
  await reader.close();
});
