// SPDX-License-Identifier: Apache-2.0
// Calls per second, times and processor time, over HTTP.
import { nameOf, pss, rss } from '../play/machine.mjs';
import { localStack } from '../play/ours.mjs';
import { bareHttp, sdk } from '../play/peers.mjs';
import { figure } from '../play/report.mjs';
import { byTurns } from '../play/rounds.mjs';
import { bodyFile, call, compare, file, openSessions, post } from '../play/rpc.mjs';

const whoami = { name: 'whoami', arguments: {} };
const named = { name: 'list_project_applications', arguments: { project: 'Payments' } };

// Our stack with a little in it, and what the peers have to know of it.
export async function prepare() {
  const ours = await localStack();
  for (const name of ['Payments', 'Payroll', 'Shop']) await ours.rest('POST', '/api/projects', { name });
  for (const name of ['ledger', 'gateway', 'reports'])
    await ours.rest('POST', '/api/applications', { projectId: 1, name, appTag: name, applicationInterfaces: ['REST'] });
  const { tools } = (await call(ours, 'tools/list', {})).result;
  const { structuredContent } = (await call(ours, 'tools/call', whoami)).result;
  const data = { tools, whoami: structuredContent, platform: ours.platform, token: ours.token };
  return { ours, tools, dataFile: file(JSON.stringify(data)), stdioFile: file(JSON.stringify({ tools, whoami: structuredContent })) };
}

const over = (connections, body, more) => ({ connections, body, expect: '"result"', ...more });

async function smallTool({ ours, sdk1, sdk2, bare }, pace) {
  const body = bodyFile('tools/call', whoami), at64 = over(64, body, { expect: '"username\\' }), at1 = over(1, body);
  const [a, one, two, http] = await byTurns([[ours, at64], [sdk1, at64], [sdk2, at64], [bare, over(64, body)]], pace);
  const memory = { ours: pss(ours.pids), peer: rss(sdk2.pids) };
  figure('small tool, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: two.perSecond, against: sdk2.name, goal: '≥ 20' });
  figure('small tool, 64 connections: p99', { unit: 'ms', ours: a.p99 / 1000, peer: two.p99 / 1000, against: sdk2.name, goal: '≤ 1/15' });
  figure('small tool, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: http.perSecond, against: bare.name, goal: '≥ 0.33' });
  figure('small tool: processor time per call, all processes', { unit: 'µs', ours: a.cpuUs, peer: http.cpuUs, against: bare.name, goal: '≤ 5' });
  figure('memory under this load: PSS of all ÷ RSS', { unit: 'MB', ours: memory.ours / 1e6, peer: memory.peer / 1e6, against: sdk2.name, goal: '≤ 1' });
  figure('small tool, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: one.perSecond, against: sdk1.name });
  figure('small tool: processor time per call', { unit: 'µs', ours: a.cpuUs, peer: two.cpuUs, against: sdk2.name });
  for (const [pid, us] of Object.entries(a.processes).filter(([, used]) => used / a.calls >= 1))
    figure(`small tool: processor time per call in ${nameOf(pid)}`, { unit: 'µs', ours: us / a.calls });
  const [a1, two1, http1] = await byTurns([[ours, at1], [sdk2, at1], [bare, at1]], pace);
  figure('small tool, 1 connection: p50', { unit: 'ms', ours: a1.p50 / 1000, peer: two1.p50 / 1000, against: sdk2.name, goal: '≤ 1/2' });
  figure('small tool, 1 connection: p50', { unit: 'ms', ours: a1.p50 / 1000, peer: http1.p50 / 1000, against: bare.name });
  for (const connections of [8, 256]) {
    const [b, peer] = await byTurns([[ours, over(connections, body)], [sdk2, over(connections, body)]], pace);
    figure(`small tool, ${connections} connections`, { unit: 'calls/s', ours: b.perSecond, peer: peer.perSecond, against: sdk2.name });
  }
}

// One event per answer, with sessions on both sides. Ours sends JSON to clients that take both.
async function events({ ours, streams1, streams2 }, pace) {
  const sides = [];
  for (const server of [ours, streams2, streams1]) {
    const sessions = await openSessions(server, 64);
    const headers = server === ours ? { accept: 'text/event-stream' } : {};
    sides.push([{ ...server, sessions: file(sessions.join('\n')) }, over(64, bodyFile('tools/call', whoami), { headers })]);
    const { text } = await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: whoami }, { session: sessions[0], accept: headers.accept });
    if (!/^data: \{/m.test(text)) throw new Error(`${server.name} does not answer with an event: ${text.slice(0, 200)}`);
  }
  const [a, two, one] = await byTurns(sides, pace);
  figure('small tool, SSE answers with sessions, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: two.perSecond, against: streams2.name, goal: '≥ 10' });
  figure('small tool, SSE answers with sessions, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: one.perSecond, against: streams1.name });
}

async function behind({ ours, sdk2 }, pace) {
  await compare(ours, sdk2, 'tools/call', named);
  const what = over(64, bodyFile('tools/call', named), { expect: 'gateway' });
  const [a, two] = await byTurns([[ours, what], [sdk2, what]], pace);
  figure('a name resolved and one REST call behind, 64 connections', { unit: 'calls/s', ours: a.perSecond, peer: two.perSecond, against: sdk2.name, goal: '≥ 14' });
  figure('a name resolved and one REST call behind: p99', { unit: 'ms', ours: a.p99 / 1000, peer: two.p99 / 1000, against: sdk2.name });
}

async function list({ ours, sdk2 }, pace) {
  const what = over(8, bodyFile('tools/list', {}));
  const [a, two] = await byTurns([[ours, what], [sdk2, what]], pace);
  figure('tools/list, 8 connections', { unit: 'calls/s', ours: a.perSecond, peer: two.perSecond, against: sdk2.name, goal: '≥ 300' });
}

export async function calls(prepared, pace) {
  const { ours, dataFile, tools } = prepared;
  const answer = (await post(ours, { jsonrpc: '2.0', id: 100000000, method: 'tools/call', params: whoami })).text;
  const all = { ours, sdk1: await sdk(dataFile, '1'), sdk2: await sdk(dataFile, '2'), streams1: await sdk(dataFile, '1', '--sessions', '--sse'),
                streams2: await sdk(dataFile, '2', '--sessions', '--sse'), bare: await bareHttp(answer) };
  for (const peer of [all.sdk1, all.sdk2, all.bare]) await compare(ours, peer, 'tools/call', whoami);
  const count = (await call(all.sdk2, 'tools/list', {})).result.tools.length;
  if (count !== tools.length) throw new Error(`the peer has ${count} tools, ours ${tools.length}`);
  for (const part of [smallTool, events, behind, list]) await part(all, pace);
  for (const name of ['sdk1', 'sdk2', 'streams1', 'streams2', 'bare']) await all[name].stop();
}
