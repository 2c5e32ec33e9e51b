// SPDX-License-Identifier: Apache-2.0
// The lists as a client gets them: what other clients refuse is not in it, and it weighs no
// more than they can be asked to carry.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { budget, findings, menuFindings, unproven } from '../lint/schemas.mjs';
import { Session, lease, place, start, until } from './stack.mjs';

const dir = place('list');
const profiles = ['core', 'standard', 'wide', 'full'];
let server, local;

before(async () => {
  server = await start('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir, '--auth', 'none']);
  await until(() => fs.existsSync(`${dir}/stack.sock`), 'the stack is started');
  local = await lease(dir);
});
after(async () => {
  local?.close();
  await server?.stop();
});

// The answer as it came, and the tools in it.
async function listed(headers = {}, path = '/mcp') {
  const answer = await fetch(`http://${server.endpoint}${path}`, {
    method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const text = await answer.text();
  return { text, tools: JSON.parse(text).result.tools };
}

// Bytes of the answer without the output schemas, cut out of it where they stand.
function weight({ text, tools }) {
  let rest = text;
  for (const { name, outputSchema } of tools) {
    const schema = `,"outputSchema":${JSON.stringify(outputSchema)}`;
    assert.ok(!outputSchema || rest.includes(schema), `${name}: its output schema stands in the answer`);
    if (outputSchema) rest = rest.replace(schema, () => '');
  }
  return Buffer.byteLength(rest);
}

const names = ({ tools }) => tools.map(tool => tool.name);

test('each rule is broken by its example', () => {
  assert.deepEqual(unproven(), []);
});

test('no client refuses what is listed', async () => {
  const smallest = new Map();
  for (const profile of profiles) {
    const { tools } = await listed({ 'x-proofarc-profile': profile });
    for (const { name } of tools) if (!smallest.has(name)) smallest.set(name, profile);
  }
  const { tools } = await listed();
  assert.ok(tools.length > 30, `${tools.length} tools`);
  assert.deepEqual(findings(tools.map(tool => ({ ...tool, profile: smallest.get(tool.name) }))), []);
  const { tools: core } = await listed({ 'x-proofarc-profile': 'core' });
  assert.deepEqual(findings(core), [], 'with the tools that reach the others');
});

test('no client refuses what stands in its menus', async () => {
  const session = await Session.stdio(dir);
  const { prompts } = await session.client.listPrompts();
  const { resourceTemplates } = await session.client.listResourceTemplates();
  await session.close();
  assert.ok(prompts.length > 3 && resourceTemplates.length > 0);
  assert.deepEqual(menuFindings([...prompts, ...resourceTemplates]), []);
});

test('the instructions, which no client shows beyond 2,048 characters, name what no tool repeats', async () => {
  const session = await Session.stdio(dir);
  const instructions = session.client.getInstructions();
  await session.close();
  assert.ok(instructions.length <= 2048, `${instructions.length} characters`);
  for (const word of ['ask_user', 'name or id', 'idempotency_key']) assert.ok(instructions.includes(word), word);
});

test('members of an object that are shown in one line are looked at all the same', async () => {
  const session = await Session.stdio(dir);
  const { message } = await session.refuse('create_api_scenario', { name: 'x', project: 'x', steps: [{ path: '/x' }] });
  await session.close();
  assert.match(message, /^steps\[0\]\.method is missing/);
});

describe('what a list weighs without its output schemas', () => {
  test('is 550 bytes for a tool, so that 173 of them fit', async () => {
    const whole = await listed();
    const average = weight(whole) / whole.tools.length;
    assert.ok(average <= budget.average, `${average} bytes`);
    assert.ok(average * budget.tools <= budget.list);
  });

  test('is 24 KiB in the profile core, however it is asked for', async () => {
    const small = await Session.stdio(dir, { args: ['--profile', 'core'] });
    const bound = names(await small.client.listTools());
    await small.close();
    for (const core of [await listed({ 'x-proofarc-profile': 'core' }), await listed({}, '/mcp/core')]) {
      assert.deepEqual(names(core), bound);
      assert.ok(bound.length > 15 && weight(core) <= budget.core, `${weight(core)} bytes`);
    }
  });
});
