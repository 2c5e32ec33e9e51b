// SPDX-License-Identifier: Apache-2.0
// Several servers under the same load, by turns.
import { load, median } from './machine.mjs';

export const noise = { outside: [], stolen: [] };
const keys = ['perSecond', 'p50', 'p99', 'cpuUs'];

const warmed = new Set();

// A server compiles itself while it is first used: each is kept busy for a while before it counts.
async function warm(server, what, { firstMs }) {
  const key = `${server.port} ${what.body}`;
  if (!warmed.has(key)) await load(server, what, { warmMs: firstMs - 1000, timeMs: 1000 });
  warmed.add(key);
}

// sides: [[server, load]], pace: {rounds, firstMs, warmMs, timeMs}. Gives the medians of each side, in order.
export async function byTurns(sides, pace) {
  const runs = sides.map(() => []);
  for (const [server, what] of sides) await warm(server, what, pace);
  for (let round = 0; round < pace.rounds; round++)
    for (const [i, [server, what]] of sides.entries()) {
      const told = await load(server, what, pace);
      noise.outside.push(told.outside);
      noise.stolen.push(told.stolen);
      runs[i].push(told);
    }
  return runs.map(side => ({ ...Object.fromEntries(keys.map(key => [key, median(side.map(told => told[key]))])),
                             processes: side.at(-1).pids, calls: side.at(-1).calls }));
}
