// SPDX-License-Identifier: Apache-2.0
// A broker alone and a resolver alone, under generated load; beside them the queue without anything of ours.
import { median, program, run } from '../play/machine.mjs';
import { place, resolverAlone, brokerAlone } from '../play/ours.mjs';
import { figure } from '../play/report.mjs';

const FLIGHT = 64;

const told = async (name, ...args) => JSON.parse((await run(program(name), args.map(String), { timeout: 120000 })).stdout);
const medians = rounds => Object.fromEntries(['perSecond', 'p50', 'p99', 'cpuUs'].map(key => [key, median(rounds.map(round => round[key]))]));

async function broker(pace) {
  const ours = await brokerAlone(), dir = place(), mine = [], bare = [];
  for (let round = 0; round < pace.rounds; round++) {
    mine.push(await told('bench-parts', 'broker', ours.pid, FLIGHT, pace.timeMs, ours.transports, ours.workers));
    bare.push(await told('bench-queue', dir, FLIGHT, pace.timeMs));
  }
  await ours.stop();
  const [a, b] = [medians(mine), medians(bare)];
  figure(`a broker alone, ${FLIGHT} under way`, { unit: 'calls/s', ours: a.perSecond, peer: b.perSecond, against: 'bare ZeroMQ round trip' });
  figure('a broker alone: p99', { unit: 'ms', ours: a.p99 / 1000, peer: b.p99 / 1000, against: 'bare ZeroMQ round trip' });
  figure('a broker alone: its processor time per call', { unit: 'µs', ours: a.cpuUs });
}

async function resolver(pace) {
  const sizes = [100, 100000], sides = [];
  for (const count of sizes) sides.push({ count, server: await resolverAlone(count), rounds: [] });
  for (let round = 0; round < pace.rounds; round++)
    for (const { count, server, rounds } of sides)
      rounds.push(await told('bench-parts', 'resolver', server.pid, FLIGHT, pace.timeMs, server.endpoint, server.token, `project ${String(count >> 1).padStart(6, '0')}`));
  for (const { server } of sides) await server.stop();
  const [few, many] = sides.map(side => medians(side.rounds));
  const against = 'among 100';
  figure('a resolver alone, a name among 100,000', { unit: 'names/s', ours: many.perSecond, peer: few.perSecond, against });
  figure('a resolver alone, among 100,000: p99', { unit: 'ms', ours: many.p99 / 1000, peer: few.p99 / 1000, against });
  figure('a resolver alone, among 100,000: its processor time per name', { unit: 'µs', ours: many.cpuUs, peer: few.cpuUs, against });
}

export async function parts(prepared, pace) {
  await broker(pace);
  await resolver(pace);
}
