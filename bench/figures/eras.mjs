// SPDX-License-Identifier: Apache-2.0
// The small tool over every number of connections, in both eras, as JSON and as events.
import { sdk } from '../play/peers.mjs';
import { figure } from '../play/report.mjs';
import { byTurns } from '../play/rounds.mjs';
import { call, file, json, openSessions, post } from '../play/rpc.mjs';

const stateless = '2026-07-28';
const meta = { 'io.modelcontextprotocol/protocolVersion': stateless, 'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };
const headers = { 'mcp-protocol-version': stateless, 'mcp-method': 'tools/call', 'mcp-name': 'whoami' };
const request = params => ({ jsonrpc: '2.0', id: 100000000, method: 'tools/call', params: { name: 'whoami', arguments: {}, ...params } });

// name → what each server is asked; `ours` and `peer` add what only one side needs.
const ways = [
  { name: 'JSON', message: request({}), headers: {}, peer: 'json' },
  { name: `${stateless}, JSON`, message: request({ _meta: meta }), headers, peer: 'json' },
  { name: 'SSE with sessions', message: request({}), headers: {}, ours: { accept: 'text/event-stream' }, peer: 'streams', hasSessions: true },
];

// Both must give the tool's result, whatever stands around it.
async function check(server, way, session) {
  const { code, text } = await post({ ...server, headers: { ...server.headers, ...way.headers } }, way.message, { session, accept: way.ours && server.name === 'ours' ? way.ours.accept : undefined });
  if (code !== 200 || !json(text).result?.structuredContent?.username) throw new Error(`${server.name}, ${way.name}: ${code} ${text.slice(0, 300)}`);
}

async function side(server, way, connections) {
  const sessions = way.hasSessions ? await openSessions(server, connections) : [];
  await check(server, way, sessions[0]);
  const more = server.name === 'ours' ? way.ours : {};
  return [way.hasSessions ? { ...server, sessions: file(sessions.join('\n')) } : server,
          { connections, body: file(JSON.stringify(way.message)), expect: '"username', headers: { ...way.headers, ...more } }];
}

export async function eras({ ours, dataFile }, pace) {
  const peers = { json: await sdk(dataFile, '2'), streams: await sdk(dataFile, '2', '--sessions', '--sse') };
  await call(ours, 'tools/list', {});
  for (const connections of pace.connections)
    for (const way of ways) {
      const peer = peers[way.peer];
      const [a, b] = await byTurns([await side(ours, way, connections), await side(peer, way, connections)], pace);
      figure(`small tool, ${way.name}, ${connections} connection${connections > 1 ? 's' : ''}`, { unit: 'calls/s', ours: a.perSecond, peer: b.perSecond, against: peer.name });
      figure(`small tool, ${way.name}, ${connections} connection${connections > 1 ? 's' : ''}: p99`, { unit: 'ms', ours: a.p99 / 1000, peer: b.p99 / 1000, against: peer.name });
    }
  for (const peer of Object.values(peers)) await peer.stop();
}
