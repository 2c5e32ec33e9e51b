// SPDX-License-Identifier: Apache-2.0
// Clients of other makers and other generations, each over every transport and protocol era it has.
// All play one conversation.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { EventSource } from 'eventsource';
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

// Each connects and resolves to {names, call, close}: the names of all tools, and one call of one.
const sessionOf = client => ({
  names: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => parse(await client.callTool({ name, arguments: args })),
  close: () => client.close(),
});

async function connectOld(transport) {
  const client = new OldClient(who);
  await client.connect(transport);
  return sessionOf(client);
}

// The official SDKs as they were when a revision was the newest: what they list is what it has.
globalThis.EventSource ??= EventSource;
const ofRevision = async (revision, ...files) => Object.assign({}, ...await Promise.all(files.map(file => import(`sdk-${revision}/client/${file}.js`))));
const past = {
  '2024-11-05': await ofRevision('2024-11-05', 'index', 'stdio', 'sse'),
  '2025-03-26': await ofRevision('2025-03-26', 'index', 'stdio', 'sse', 'streamableHttp'),
  '2025-06-18': await ofRevision('2025-06-18', 'index', 'stdio', 'sse', 'streamableHttp'),
};
async function connectPast(open, revision) {
  const client = new past[revision].Client(who, { capabilities: {} });
  await client.connect(open(past[revision]));
  const [tool] = (await client.listTools()).tools;
  assert.deepEqual([tool.annotations, tool.outputSchema, tool.icons].map(member => member !== undefined), [revision >= '2025-03-26', revision >= '2025-06-18', false]);
  return sessionOf(client);
}

async function connectNew(transport, era) {
  const versionNegotiation = { legacy: undefined, auto: { mode: 'auto' }, pin: { mode: { pin: '2026-07-28' } } }[era];
  const client = new Client(who, { versionNegotiation });
  await client.connect(transport);
  assert.equal(client.getProtocolEra(), era === 'legacy' ? 'legacy' : 'modern');
  return sessionOf(client);
}

// The AI SDK makes functions of the tools. Over SSE it does not look for newer versions.
async function connectAi(transport, era) {
  const client = await createMCPClient({ transport, protocolVersionDiscovery: era === 'auto', onUncaughtError: () => {} });
  assert.equal(client.initializeResult.protocolVersion, era === 'legacy' || transport.type === 'sse' ? '2025-11-25' : '2026-07-28');
  const tools = await client.tools();
  return {
    names: () => Object.keys(tools),
    call: async (name, args) => parse(await tools[name].execute(args, { toolCallId: '1', messages: [] })),
    close: () => client.close(),
  };
}

// The Inspector is a program that does one thing each time; its look at the list is a strict one.
function inspect(target, era, ...args) {
  const child = spawn(process.execPath, [tool('mcp-inspector'), '--cli', ...target, '--protocol-era', era, ...args], { env: { ...process.env, HOME: dir } });
  let out = '', err = '';
  child.stdout.on('data', bytes => { out += bytes; });
  child.stderr.on('data', bytes => { err += bytes; });
  return new Promise((resolve, reject) => child.once('exit', code => code ? reject(new Error(`${code}: ${err}${out}`)) : resolve(JSON.parse(out))));
}
const connectInspector = (target, era) => ({
  names: async () => (await inspect(target, era, '--method', 'tools/list', '--strict')).tools.map(({ name }) => name),
  call: async (name, args) => parse(await inspect(target, era, '--method', 'tools/call', '--tool-name', name,
    ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]))),
  close: () => {},
});

// Who connects, in which eras, and over what.
const kinds = [
  ['SDK 1', connectOld, [''], {
    stdio: () => new OldStdio(command),
    HTTP: () => new OldHttp(new URL(url())),
    SSE: () => new OldSse(new URL(url('sse'))),
    'mcp-remote and HTTP': () => new OldStdio(remote('mcp', 'http-only')),
    'mcp-remote and SSE': () => new OldStdio(remote('sse', 'sse-only')),
  }],
  ['SDK of the revision', connectPast, Object.keys(past), {
    stdio: () => sdk => new sdk.StdioClientTransport(command),
    SSE: () => sdk => new sdk.SSEClientTransport(new URL(url('sse'))),
  }],
  ['SDK of the revision', connectPast, ['2025-03-26', '2025-06-18'], {
    HTTP: () => sdk => new sdk.StreamableHTTPClientTransport(new URL(url())),
  }],
  ['SDK 2', connectNew, ['legacy', 'auto', 'pin'], {
    stdio: () => new StdioClientTransport(command),
    HTTP: () => new StreamableHTTPClientTransport(new URL(url())),
    SSE: () => new SSEClientTransport(new URL(url('sse'))),
    'mcp-remote and HTTP': () => new StdioClientTransport(remote('mcp', 'http-only')),
  }],
  ['AI SDK', connectAi, ['legacy', 'auto'], {
    stdio: () => new Experimental_StdioMCPTransport(command),
    HTTP: () => ({ type: 'http', url: url() }),
    SSE: () => ({ type: 'sse', url: url('sse') }),
  }],
  ['Inspector', connectInspector, ['legacy', 'auto', 'modern'], {
    stdio: () => [command.command, '-e', `PROOFARC_DATA_DIR=${dir}`, '-e', 'PROOFARC_LOG_LEVEL=error'],
    HTTP: () => [url(), '--transport', 'http'],
    SSE: () => [url('sse'), '--transport', 'sse'],
  }],
];

before(async () => {
  server = await start('proofarc-mcp', ['--transport', 'http', '--auth', 'none', '--listen', '127.0.0.1:0', '--data-dir', dir]);
  await until(() => fs.existsSync(`${dir}/stack.sock`), 'the stack is started');
  const session = await connectOld(new OldHttp(new URL(url())));
  for (const name of ['Pay', 'Shop']) {
    const project = await session.call('create_project', { name });
    await session.call('create_environment', { project: String(project.id), name: `${name} staging`, base_url: 'http://127.0.0.1:9' });
  }
  await session.call('create_application', { project: 'Shop', name: 'Till', app_tag: 'till', application_interfaces: ['REST'] });
  await session.close();
});
after(() => server?.stop());

// What is there, a question that is left, and its answer.
async function talk(session) {
  assert.ok((await session.names()).length > 30);
  const { projects } = await session.call('list_projects', {});
  assert.deepEqual(projects.map(project => project.name).sort(), ['Pay', 'Shop']);
  const question = await session.call('list_project_applications', {});
  assert.ok(question.ask_user, JSON.stringify(question));
  assert.deepEqual(question.candidates.map(candidate => candidate.name).sort(), ['Pay', 'Shop']);
  const chosen = question.candidates.find(candidate => candidate.name === 'Shop');
  const answer = await session.call('list_project_applications', { project: String(chosen.id) });
  assert.equal(answer.ask_user, undefined);
  assert.deepEqual(answer.applications?.map(application => application.name), ['Till'], JSON.stringify(answer));
}

for (const [name, connect, eras, transports] of kinds)
  describe(`the conversation of three turns: ${name}`, () => {
    for (const [where, open] of Object.entries(transports))
      for (const era of eras)
        test(`over ${where} ${era}`.trim(), async () => {
          const session = await connect(open(), era);
          await talk(session);
          await session.close();
        });
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
