// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP as it is on the wire: requests of any version, and streams that are read event by
// event, for what no official client does.
import { until } from './stack.mjs';

const META = 'io.modelcontextprotocol';
let last = 0;

// A request and a notification of a version that begins with `initialize`.
export const message = (method, params, id = ++last) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
export const notice = (method, params) => ({ jsonrpc: '2.0', method, ...(params && { params }) });

// The body and headers of a request of 2026-07-28.
export function stateless(method, params = {}, { capabilities = {}, id = ++last } = {}) {
  const name = params.name ?? params.taskId ?? params.uri;
  return {
    body: message(method, { ...params, _meta: { ...params._meta, [`${META}/protocolVersion`]: '2026-07-28', [`${META}/clientCapabilities`]: capabilities } }, id),
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) },
  };
}

const eventsOf = text => text.split('\n\n').map(block => {
  const event = {};
  for (const line of block.split('\n')) {
    const [, key, value] = line.match(/^(\w*): ?(.*)$/) ?? [];
    if (key) event[key] = (event[key] ?? '') + value;
  }
  return event;
}).filter(event => event.data !== undefined);

// Opens an answer and reads it as it comes: {status, headers, events, next(what), ended, close}. An
// event is {id, data, message}.
export async function open(url, { method = 'POST', body, headers = {} } = {}) {
  const controller = new AbortController();
  const response = await fetch(url, {
    method, signal: controller.signal, body: body && JSON.stringify(body),
    headers: { ...(body && { 'Content-Type': 'application/json' }), Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream', ...headers },
  });
  const self = { status: response.status, headers: response.headers, text: '', events: [], isOver: false };
  const reading = (async () => {
    for await (const bytes of response.body ?? []) {
      self.text += Buffer.from(bytes).toString();
      self.events = eventsOf(self.text.slice(0, self.text.lastIndexOf('\n\n') + 2)).map(event => ({ ...event, message: event.data ? JSON.parse(event.data) : null }));
    }
  })().catch(() => {}).finally(() => { self.isOver = true; });
  self.next = (fits, sentence) => until(() => self.events.find(event => event.message && fits(event.message)), sentence ?? 'an event comes');
  self.ended = () => until(() => self.isOver, 'the stream ends');
  self.close = async () => {
    controller.abort();
    await reading;
  };
  return self;
}

// The same for an answer that ends: {status, headers, message}.
export async function ask(url, options) {
  const stream = await open(url, options);
  await stream.ended();
  const message = stream.events.length ? stream.events.at(-1).message : stream.text.startsWith('{') ? JSON.parse(stream.text) : null;
  return { status: stream.status, headers: stream.headers, events: stream.events, text: stream.text, message };
}

// Begins a session; the headers that name it.
export async function begin(url, { version = '2025-11-25', capabilities = {}, headers = {} } = {}) {
  const { headers: answered } = await ask(url, { headers, body: message('initialize', { protocolVersion: version, capabilities, clientInfo: { name: 'wire', version: '1' } }) });
  return { ...headers, 'Mcp-Session-Id': answered.get('mcp-session-id'), 'MCP-Protocol-Version': version };
}
