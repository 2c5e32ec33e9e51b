// SPDX-License-Identifier: Apache-2.0
// MCP requests by hand: bodies for the load client, single calls, sessions, answers as bytes.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { place } from './ours.mjs';

export const version = '2025-11-25';
const dir = place();
let count = 0;

// Files for the load client.
export function file(text) {
  const name = path.join(dir, `file-${++count}`);
  fs.writeFileSync(name, text);
  return name;
}
export const bodyFile = (method, params) => file(JSON.stringify({ jsonrpc: '2.0', id: 100000000, method, params }));

export function post(server, message, { accept = 'application/json, text/event-stream', agent, session } = {}) {
  const body = JSON.stringify(message);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), accept, 'mcp-protocol-version': version, ...server.headers, ...(session && { 'mcp-session-id': session }) };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, path: '/mcp', method: 'POST', agent, headers }, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', part => { text += part; });
      answer.on('end', () => resolve({ code: answer.statusCode, session: answer.headers['mcp-session-id'], text }));
    });
    request.on('error', reject).end(body);
  });
}

// The JSON of an answer, whether it came bare or as one event.
export const json = text => JSON.parse(text.startsWith('{') ? text : text.match(/^data: (.*)$/m)[1]);

export async function call(server, method, params, options) {
  const { code, text } = await post(server, { jsonrpc: '2.0', id: 100000000, method, params }, options);
  if (code !== 200) throw new Error(`${server.name}: ${method}: ${code} ${text.slice(0, 300)}`);
  return json(text);
}

// Throws unless both answer the same: equal results, and as JSON the same number of bytes.
export async function compare(ours, peer, method, params, { sessions = {} } = {}) {
  const [a, b] = await Promise.all([call(ours, method, params, { session: sessions.ours }), call(peer, method, params, { session: sessions.peer })]);
  if (!a.result || !isDeepStrictEqual(a.result, b.result)) throw new Error(`${method}: ours ${JSON.stringify(a).slice(0, 600)}\n${peer.name} ${JSON.stringify(b).slice(0, 600)}`);
  if (JSON.stringify(a).length !== JSON.stringify(b).length) throw new Error(`${method}: answers differ in size`);
}

export async function openSession(server, agent) {
  const hello = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { code, session, text } = await post(server, { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }, { agent });
  if (code !== 200 || !session) throw new Error(`${server.name}: initialize: ${code} ${text.slice(0, 300)}`);
  await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, { agent, session });
  return session;
}

// Opens many, some at a time, over connections that are closed behind them.
export async function openSessions(server, number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 }), ids = [];
  let left = number;
  await Promise.all(Array.from({ length: 16 }, async () => { while (left-- > 0) ids.push(await openSession(server, agent)); }));
  agent.destroy();
  return ids;
}

// A GET stream for each session; they stay open until the connections of `agent` are ended.
export async function openStreams(server, sessions, agent) {
  const left = [...sessions];
  const open = session => new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'mcp-protocol-version': version, 'mcp-session-id': session, ...server.headers };
    http.get({ host: '127.0.0.1', port: server.port, path: '/mcp', agent, headers }, answer => {
      answer.resume().on('error', () => {});
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`${server.name}: a stream is answered with ${answer.statusCode}`));
    }).on('error', reject);
  });
  await Promise.all(Array.from({ length: 16 }, async () => { while (left.length) await open(left.pop()); }));
}
