// SPDX-License-Identifier: Apache-2.0
// Measures ours and its peers by turns and prints the table: node run.mjs [--quick] [--only PART]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { apiRun } from './figures/api-run.mjs';
import { calls, prepare } from './figures/calls.mjs';
import { eras } from './figures/eras.mjs';
import { growth } from './figures/growth.mjs';
import { memory } from './figures/memory.mjs';
import { parts as partsAlone } from './figures/parts.mjs';
import { starts } from './figures/starts.mjs';
import { here, median } from './play/machine.mjs';
import { figures, markdown, notes, table } from './play/report.mjs';
import { noise } from './play/rounds.mjs';

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
const pace = flags.quick
  ? { rounds: 3, firstMs: 1500, warmMs: 300, timeMs: 1200, starts: 3, sessions: 2000, connections: [64] }
  : { rounds: 5, firstMs: 4000, warmMs: 1000, timeMs: 4000, starts: 7, sessions: 2000, connections: [1, 8, 64, 256] };
const parts = { calls, eras, starts, memory, growth, parts: partsAlone, apiRun };

const began = Date.now();
const prepared = await prepare();
for (const [name, part] of Object.entries(parts))
  if (!flags.only || flags.only.split(',').includes(name)) await part(prepared, pace);
await prepared.ours.stop();

const percent = numbers => `${(100 * median(numbers)).toFixed(1)} % (worst run ${(100 * Math.max(...numbers)).toFixed(1)} %)`;
notes.push(`${os.cpus().length} × ${os.cpus()[0].model}, Linux ${os.release()}, Node ${process.version}; ${flags.quick ? 'quick' : 'full'} run of ${Math.round((Date.now() - began) / 1000)} s, ${pace.rounds} rounds of ${pace.timeMs} ms`);
if (noise.outside.length) notes.push(`used by others while measuring: ${percent(noise.outside)}; taken by the host: ${percent(noise.stolen)}`);
console.log(`\n${table()}\n\n${notes.join('\n')}`);
if (!flags.only) fs.writeFileSync(path.join(here, 'results.md'), markdown('Measured'));
const build = path.join(here, '../build/bench');
fs.mkdirSync(build, { recursive: true });
fs.writeFileSync(path.join(build, 'results.json'), JSON.stringify(figures, null, 1) + '\n');
process.exit(0);
