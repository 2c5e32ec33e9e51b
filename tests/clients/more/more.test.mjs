// SPDX-License-Identifier: Apache-2.0
// Clients of other makers and other generations, each over every transport and protocol era it has.
// All play one conversation: what is there, a question that is left, and its answer.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { place, program, start, until } from '../../e2e/stack.mjs';

const dir = place('more-clients');
const command = { command: program('proofarc-mcp'), args: ['--data-dir', dir, '--log-level', 'error'] };
const tool = name => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const who = { name: 'test', version: '1' };
let server;
const url = (where = 'mcp') => `http://${server.endpoint}/${where}`;
const remote = (where, kind) => ({
  command: process.execPath,
  args: [tool('mcp-remote'), url(where), '--transport', kind, '--allow-http'],
  env: { ...process.env, MCP_REMOTE_CONFIG_DIR: path.join(dir, 'remote') },
});

const parse = result => JSON.parse(result.content[0].text);

async function connectOld(transport) {
  const client = new OldClient(who);
  await client.connect(transport);
  return { call: async (name, args) => parse(await client.callTool({ name, arguments: args })), close: () => client.close() };
}

async function connectNew(transport, era) {
  const versionNegotiation = { legacy: undefined, auto: { mode: 'auto' }, pin: { mode: { pin: '2026-07-28' } } }[era];
  const client = new Client(who, { versionNegotiation });
  await client.connect(transport);
  assert.equal(client.getProtocolEra(), era === 'legacy' ? 'legacy' : 'modern');
  return { call: async (name, args) => parse(await client.callTool({ name, arguments: args })), close: () => client.close() };
}

// The AI SDK makes functions of the tools.
async function connectAi(transport) {
  const client = await createMCPClient({ transport, onUncaughtError: () => {} });
  const tools = await client.tools();
  return { call: async (name, args) => parse(await tools[name].execute(args, { toolCallId: '1', messages: [] })), close: () => client.close() };
}

// The Inspector is a program that makes one call.
function inspect(target, era, ...args) {
  const flags = target ? [target, '--transport', 'http', '--protocol-era', era] : [command.command, ...command.args, '--protocol-era', era];
  const child = spawn(process.execPath, [tool('mcp-inspector'), '--cli', ...flags, ...args], { env: { ...process.env, HOME: dir } });
  let out = '', err = '';
  child.stdout.on('data', bytes => { out += bytes; });
  child.stderr.on('data', bytes => { err += bytes; });
  return new Promise((resolve, reject) => child.once('exit', code => code ? reject(new Error(`${code}: ${err}${out}`)) : resolve(out)));
}
const connectInspector = (target, era) => ({
  call: async (name, args) => parse(JSON.parse(await inspect(target, era, '--method', 'tools/call', '--tool-name', name,
    ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`])))),
  close: () => {},
});

const clients = {
  'SDK 1 over stdio': () => connectOld(new OldStdio(command)),
  'SDK 1 over HTTP': () => connectOld(new OldHttp(new URL(url()))),
  'SDK 1 over SSE': () => connectOld(new SSEClientTransport(new URL(url('sse')))),
  'AI SDK over stdio': () => connectAi(new Experimental_StdioMCPTransport(command)),
  'AI SDK over HTTP': () => connectAi({ type: 'http', url: url() }),
  'AI SDK over SSE': () => connectAi({ type: 'sse', url: url('sse') }),
  'mcp-remote over HTTP': () => connectOld(new OldStdio(remote('mcp', 'http-only'))),
  'mcp-remote over SSE': () => connectOld(new OldStdio(remote('sse', 'sse-only'))),
  'mcp-remote, SDK 2 behind it': () => connectNew(new StdioClientTransport(remote('mcp', 'http-only')), 'auto'),
};
for (const era of ['legacy', 'auto', 'pin']) {
  clients[`SDK 2 over stdio, ${era}`] = () => connectNew(new StdioClientTransport(command), era);
  clients[`SDK 2 over HTTP, ${era}`] = () => connectNew(new StreamableHTTPClientTransport(new URL(url())), era);
}
for (const era of ['legacy', 'auto', 'modern']) {
  clients[`Inspector over HTTP, ${era}`] = () => connectInspector(url(), era);
}

before(async () => {
  server = await start('proofarc-mcp', ['--transport', 'http', '--auth', 'none', '--listen', '127.0.0.1:0', '--data-dir', dir]);
  await until(() => fs.existsSync(`${dir}/stack.sock`), 'the stack is started');
  const session = await connectOld(new OldHttp(new URL(url())));
  for (const name of ['Pay', 'Shop']) {
    const project = await session.call('create_project', { name });
    await session.call('create_environment', { project: String(project.id), name: `${name} staging`, base_url: 'http://127.0.0.1:9' });
  }
  await session.close();
});
after(() => server?.stop());

describe('the conversation of three turns', () => {
  for (const [name, connect] of Object.entries(clients))
    test(name, async () => {
      const session = await connect();
      const { projects } = await session.call('list_projects', {});
      assert.deepEqual(projects.map(project => project.name).sort(), ['Pay', 'Shop']);
      const question = await session.call('list_project_applications', {});
      assert.ok(question.ask_user, JSON.stringify(question));
      assert.deepEqual(question.candidates.map(candidate => candidate.name).sort(), ['Pay', 'Shop']);
      const chosen = question.candidates.find(candidate => candidate.name === 'Shop');
      const answer = await session.call('list_project_applications', { project: String(chosen.id) });
      assert.equal(answer.ask_user, undefined);
      assert.ok(!answer.error, JSON.stringify(answer));
      await session.close();
    });
});

test('the Inspector finds nothing in the list that any client would refuse', async () => {
  for (const era of ['legacy', 'modern'])
    assert.ok(JSON.parse(await inspect(url(), era, '--method', 'tools/list', '--strict')).tools.length > 30);
});

describe('a question that is left, as a form', () => {
  let asking;
  before(async () => {
    asking = await start('proofarc-mcp', ['--transport', 'http', '--auth', 'none', '--listen', '127.0.0.1:0', '--data-dir', dir, '--narrow', 'elicit']);
  });
  after(() => asking?.stop());

  for (const era of ['legacy', 'auto'])
    for (const action of ['accept', 'decline'])
      test(`${era}, ${action}`, async () => {
        const client = new Client(who, { versionNegotiation: era === 'legacy' ? undefined : { mode: 'auto' }, capabilities: { elicitation: { form: {} } } });
        const asked = [];
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message);
          const [name, property] = Object.entries(params.requestedSchema.properties)[0];
          return action === 'accept' ? { action, content: { [name]: property.oneOf.find(choice => choice.title === 'Shop').const } } : { action };
        });
        await client.connect(new StreamableHTTPClientTransport(new URL(`http://${asking.endpoint}/mcp`)));
        const answer = parse(await client.callTool({ name: 'list_project_applications', arguments: {} }));
        assert.equal(asked.length, 1);
        assert.equal(answer.ask_user, action === 'accept' ? undefined : asked[0]);
        await client.close();
      });
});
