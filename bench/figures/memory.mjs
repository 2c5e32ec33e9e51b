// SPDX-License-Identifier: Apache-2.0
// Memory of the idle stack and of idle sessions.
import http from 'node:http';
import { nameOf, pss, rss, sleep } from '../play/machine.mjs';
import { localStack } from '../play/ours.mjs';
import { sdk } from '../play/peers.mjs';
import { figure } from '../play/report.mjs';
import { call, openSessions, openStreams } from '../play/rpc.mjs';

const SETTLE_MS = 1500;
const named = { name: 'list_project_applications', arguments: { project: 'Payments' } };

// Bytes that each of `count` new sessions adds. A first hundred has made the server ready.
async function perSession(server, measure, count) {
  await openSessions(server, 100);
  await sleep(SETTLE_MS);
  const before = measure(server.pids);
  const ids = await openSessions(server, count);
  await sleep(SETTLE_MS);
  return { bytes: Math.max(0, measure(server.pids) - before) / count, ids };
}

// What a session keeps once it has resolved a name: the snapshot of its resolver.
async function perSnapshot(server, ids) {
  const before = pss(server.pids);
  for (const session of ids) await call(server, 'tools/call', named, { session });
  await sleep(SETTLE_MS);
  return Math.max(0, pss(server.pids) - before) / ids.length;
}

// What each of their streams adds that waits for news.
async function perStream(server, measure, ids) {
  const agent = new http.Agent({ maxSockets: Infinity });
  const before = measure(server.pids);
  await openStreams(server, ids, agent);
  await sleep(SETTLE_MS);
  const bytes = Math.max(0, measure(server.pids) - before) / ids.length;
  agent.destroy();
  return bytes;
}

export async function memory({ dataFile }, pace) {
  const ours = await localStack();
  await ours.rest('POST', '/api/projects', { name: 'Payments' });
  const idle = pss(ours.pids);
  const programs = new Set(ours.pids.map(nameOf));
  const sdk1 = await sdk(dataFile, '1', '--sessions', '--sse'), sdk2 = await sdk(dataFile, '2', '--sessions', '--sse');
  figure('the idle stack: PSS of all ÷ RSS', { unit: 'MB', ours: idle / 1e6, peer: rss(sdk2.pids) / 1e6, against: `${sdk2.name}, idle` });
  for (const name of programs) figure(`idle: PSS of ${name}`, { unit: 'MB', ours: pss(ours.pids.filter(pid => nameOf(pid) === name)) / 1e6 });
  const mine = await perSession(ours, pss, pace.sessions);
  const one = await perSession(sdk1, rss, pace.sessions), two = await perSession(sdk2, rss, pace.sessions);
  figure(`idle session, of ${pace.sessions}`, { unit: 'bytes', ours: mine.bytes, peer: one.bytes, against: sdk1.name, goal: '≤ 1/50' });
  figure(`idle session, of ${pace.sessions}`, { unit: 'bytes', ours: mine.bytes, peer: two.bytes, against: sdk2.name });
  const [mineOpen, oneOpen, twoOpen] = [await perStream(ours, pss, mine.ids), await perStream(sdk1, rss, one.ids), await perStream(sdk2, rss, two.ids)];
  figure(`open stream (GET), of ${pace.sessions}`, { unit: 'bytes', ours: mineOpen, peer: oneOpen, against: sdk1.name });
  figure(`open stream (GET), of ${pace.sessions}`, { unit: 'bytes', ours: mineOpen, peer: twoOpen, against: sdk2.name });
  figure('session that has resolved a name', { unit: 'bytes', ours: await perSnapshot(ours, mine.ids.slice(0, 200)) });
  await Promise.all([ours.stop(), sdk1.stop(), sdk2.stop()]);
}
