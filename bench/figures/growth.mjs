// SPDX-License-Identifier: Apache-2.0
// How cost grows with workers and with what the platform holds; the queue alone.
import { median, program, run } from '../play/machine.mjs';
import { place, smallStack } from '../play/ours.mjs';
import { figure } from '../play/report.mjs';
import { byTurns } from '../play/rounds.mjs';
import { bodyFile, call } from '../play/rpc.mjs';

const whoami = { name: 'whoami', arguments: {} };
const load = (body, expect = '"result"') => ({ connections: 64, body, expect });

async function workers(prepared, pace) {
  const counts = [1, 2, 4], stacks = [];
  for (const count of counts) stacks.push(await smallStack({ workers: count }));
  const body = bodyFile('tools/call', whoami);
  const told = await byTurns(stacks.map(stack => [stack, load(body)]), pace);
  for (const [i, count] of counts.entries())
    figure(`small tool, 64 connections, ${count} worker${count > 1 ? 's' : ''}`, { unit: 'calls/s', ours: told[i].perSecond, peer: told[0].perSecond, against: 'one worker' });
  await Promise.all(stacks.map(stack => stack.stop()));
}

// A name among so many, found in a snapshot that is held, and one REST call; then the first
// call, which makes the snapshot.
async function snapshots(prepared, pace) {
  const sizes = [100, 1000, 10000, 100000], stacks = [], first = [];
  for (const projects of sizes) {
    const stack = await smallStack({ projects });
    const named = { name: 'list_project_applications', arguments: { project: `project ${String(projects >> 1).padStart(6, '0')}` } };
    const began = performance.now();
    await call(stack, 'tools/call', named);
    first.push(performance.now() - began);
    stacks.push([stack, load(bodyFile('tools/call', named), 'applications')]);
  }
  const told = await byTurns(stacks, pace);
  for (const [i, size] of sizes.entries()) {
    const name = `a name among ${size.toLocaleString('en')}, 64 connections`;
    figure(name, { unit: 'calls/s', ours: told[i].perSecond, peer: told[0].perSecond, against: 'among 100' });
    figure(`${name}: first call`, { unit: 'ms', ours: first[i], peer: first[0], against: 'among 100' });
  }
  await Promise.all(stacks.map(([stack]) => stack.stop()));
}

// The round trip DEALER → ROUTER, ROUTER → DEALER and back without anything of ours, beside it.
async function queue({ ours }, pace) {
  const dir = place(), body = bodyFile('tools/call', whoami);
  for (const flight of [1, 64]) {
    const bare = [], mine = [];
    for (let round = 0; round < pace.rounds; round++) {
      bare.push(JSON.parse((await run(program('bench-queue'), [dir, String(flight), String(pace.timeMs)], { timeout: 60000 })).stdout));
      mine.push((await byTurns([[ours, { ...load(body), connections: flight }]], { ...pace, rounds: 1 }))[0]);
    }
    const [a, b] = ['perSecond', 'p50'].map(key => [median(mine.map(one => one[key])), median(bare.map(one => one[key]))]);
    const against = 'bare ZeroMQ round trip';
    if (flight > 1) figure(`small tool, ${flight} under way`, { unit: 'calls/s', ours: a[0], peer: a[1], against });
    else figure('small tool, 1 under way: p50', { unit: 'ms', ours: b[0] / 1000, peer: b[1] / 1000, against });
  }
}

export async function growth(prepared, pace) {
  for (const part of [workers, snapshots, queue]) await part(prepared, pace);
}
