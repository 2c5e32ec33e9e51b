// SPDX-License-Identifier: Apache-2.0
// The official client over stdio and HTTP, against the whole local stack.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { Session, lease, login, place, start, until } from '../e2e/stack.mjs';

const dir = place('clients');
let server, token, local;

before(async () => {
  server = await start('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir]);
  await until(() => fs.existsSync(`${dir}/stack.sock`), 'the stack is started');
  local = await lease(dir);
  token = await until(() => login(local.platform, dir).catch(() => null), 'the platform lets the owner in');
});
after(async () => {
  local?.close();
  await server?.stop();
});

const url = () => `http://${server.endpoint}/mcp`;
const connections = {
  stdio: () => Session.stdio(dir),
  http: () => Session.http(url(), token),
  'http with a slash behind': () => Session.http(`${url()}/`, token),
};

for (const [name, connect] of Object.entries(connections))
  describe(`over ${name}`, () => {
    let session;
    before(async () => { session = await connect(); });
    after(() => session.close());

    test('it says who it is and what it can do', async () => {
      assert.equal(session.client.getServerVersion().name, 'proofarc-mcp');
      assert.deepEqual(session.client.getServerCapabilities(), {
        tools: { listChanged: true }, resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true }, logging: {}, completions: {},
      });
      assert.ok(session.client.getInstructions().includes('ask_user'));
      assert.deepEqual(await session.client.ping(), {});
    });

    test('its lists pass the schemas of the client', async () => {
      const { tools } = await session.client.listTools();
      assert.ok(tools.length > 30);
      for (const tool of tools) {
        assert.match(tool.name, /^[a-z][a-z0-9_]{0,39}$/);
        assert.ok(tool.description && tool.title && tool.outputSchema && tool.annotations, tool.name);
      }
      assert.deepEqual((await session.client.listResources()).resources, []);
      assert.equal((await session.client.listResourceTemplates()).resourceTemplates[0].uriTemplate, 'proofarc://execution/{execution_id}');
    });

    test('a call has text and structure that the client checks against the outputSchema', async () => {
      await session.client.listTools();
      const { total } = await session.call('list_projects');
      assert.equal(typeof total, 'number');
    });

    test('an unknown tool, a wrong cursor and a resource that is not there are errors of the protocol', async () => {
      await assert.rejects(session.client.callTool({ name: 'no_such_tool', arguments: {} }), error => error instanceof McpError && error.code === -32602);
      await assert.rejects(session.client.listTools({ cursor: 'bogus' }), error => error.code === -32602);
      await assert.rejects(session.client.readResource({ uri: 'proofarc://execution/999999' }), error => error.code === -32002);
      await assert.rejects(session.client.readResource({ uri: 'file:///etc/passwd' }), error => error.code === -32002);
      assert.deepEqual(await session.client.setLoggingLevel('warning'), {});
    });

    test('wrong arguments are a failure of the tool', async () => {
      const error = await session.refuse('list_projects', { nonsense: 1 });
      assert.equal(error.code, 'bad_args');
      assert.equal(error.outcome, 'failed');
    });

    test('a hundred calls at once are all answered', async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => session.call('list_projects')));
      assert.equal(answers.length, 100);
    });

    test('a call that the client gives up does no harm to the next', async () => {
      const given = new AbortController();
      const call = session.raw('list_environments', {}, { signal: given.signal });
      given.abort('changed my mind');
      await assert.rejects(call);
      assert.equal(typeof (await session.call('list_projects')).total, 'number');
    });

    test('the client\'s key makes a write happen once', async () => {
      const key = `once-${name.replaceAll(' ', '-')}`;
      const first = await session.call('create_project', { name: `Once ${name}`, idempotency_key: key });
      const second = await session.call('create_project', { name: `Once ${name}`, idempotency_key: key });
      assert.equal(second.id, first.id);
    });
  });

describe('a session over HTTP', () => {
  test('ends with DELETE, and the client begins another', async () => {
    const session = await Session.http(url(), token);
    const id = session.transport.sessionId;
    assert.match(id, /^[\x21-\x7e]+$/);
    await session.transport.terminateSession();
    const answer = await fetch(url(), {
      method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'mcp-session-id': id },
    });
    assert.equal(answer.status, 404);
    await session.close();
    await (await Session.http(url(), token)).close();
  });

  test('without a token there is none', async () => {
    await assert.rejects(Session.http(url()), /401|Unauthorized|Authorization/);
    await assert.rejects(Session.http(url(), 'nonsense'), /401|Unauthorized|token/);
  });
});

test('one list is the same bytes over both transports and in every process', async () => {
  const list = async connect => {
    const session = await connect();
    const text = JSON.stringify((await session.client.listTools()).tools);
    await session.close();
    return text;
  };
  const texts = await Promise.all([connections.stdio, connections.stdio, connections.http].map(list));
  assert.equal(texts[0], texts[1]);
  assert.equal(texts[0], texts[2]);
});
