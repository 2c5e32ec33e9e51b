// SPDX-License-Identifier: Apache-2.0
// An MCP server on the official SDK, as its documentation shows it.
//   node server.mjs --data FILE --sdk 1|2 [--sessions] [--sse] [--stdio]
// Serves /mcp on a free port of 127.0.0.1 and prints "ready PORT", or speaks over stdio.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { parseArgs } from 'node:util';
import { toolsOf } from './tools.mjs';

const LIFE_MS = 15 * 60 * 1000;  // a forgotten server ends by itself
const { values: flags } = parseArgs({ options: {
  data: { type: 'string' }, sdk: { type: 'string', default: '2' },
  sessions: { type: 'boolean', default: false }, sse: { type: 'boolean', default: false }, stdio: { type: 'boolean', default: false },
} });
const tools = await toolsOf(JSON.parse(fs.readFileSync(flags.data, 'utf8')));
const info = { name: `sdk-${flags.sdk}`, version: '1.0.0' };

// A function that makes a server with all tools; schemas are made once and shared.
async function maker() {
  const z = await import('zod');
  const { McpServer } = await import(flags.sdk === '1' ? '@modelcontextprotocol/sdk/server/mcp.js' : '@modelcontextprotocol/server');
  const schema = json => (flags.sdk === '1' ? z.fromJSONSchema(json).shape : z.fromJSONSchema(json));
  const rows = tools.map(tool => ({ ...tool, inputSchema: schema(tool.inputSchema), outputSchema: schema(tool.outputSchema) }));
  return () => register(new McpServer(info), rows);
}

function register(server, rows) {
  for (const { name, run, ...config } of rows) server.registerTool(name, config, run);
  return server;
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : undefined;
}

function refuse(response, code, message) {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}

// One server and transport for each request.
function stateless(make, Transport) {
  return async (request, response) => {
    const body = await bodyOf(request);
    const transport = new Transport({ sessionIdGenerator: undefined, enableJsonResponse: !flags.sse });
    const server = make();
    response.on('close', () => { transport.close(); server.close(); });
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  };
}

// One server and transport for each session.
function withSessions(make, Transport) {
  const sessions = new Map();
  return async (request, response) => {
    const body = await bodyOf(request);
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (!transport) {
      if (id || body?.method !== 'initialize') return refuse(response, id ? 404 : 400, 'no such session');
      transport = new Transport({ sessionIdGenerator: randomUUID, enableJsonResponse: !flags.sse, onsessioninitialized: made => sessions.set(made, transport) });
      transport.onclose = () => sessions.delete(transport.sessionId);
      await make().connect(transport);
    }
    return transport.handleRequest(request, response, body);
  };
}

async function handler(make) {
  if (flags.sdk === '1') {
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    return (flags.sessions ? withSessions : stateless)(make, StreamableHTTPServerTransport);
  }
  const node = await import('@modelcontextprotocol/node');
  if (flags.sessions) return withSessions(make, node.NodeStreamableHTTPServerTransport);
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  return node.toNodeHandler(createMcpHandler(make, { responseMode: flags.sse ? 'auto' : 'json' }));
}

async function overStdio(make) {
  const { StdioServerTransport } = await import(flags.sdk === '1' ? '@modelcontextprotocol/sdk/server/stdio.js' : '@modelcontextprotocol/server/stdio');
  await make().connect(new StdioServerTransport());
}

setTimeout(() => process.exit(0), LIFE_MS).unref();
const make = await maker();
if (flags.stdio) await overStdio(make);
else {
  const handle = await handler(make);
  const server = http.createServer((request, response) => Promise.resolve(handle(request, response)).catch(error => {
    if (!response.headersSent) refuse(response, 500, String(error));
  }));
  server.listen(0, '127.0.0.1', 4096, () => console.log(`ready ${server.address().port}`));
}
