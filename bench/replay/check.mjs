// SPDX-License-Identifier: Apache-2.0
// Counts the instructions of the recorded calls and compares them with instructions.tsv:
//   node check.mjs PATH-OF-bench-replay [--update]
// The numbers are those of Debian 12's compiler and libraries. Libraries choose code by the processor;
// what differs most between processors is turned off, so that the numbers travel.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const COUNT = 500, ALLOWED = 0.05;
const table = fileURLToPath(new URL('instructions.tsv', import.meta.url));
const { values: flags, positionals: [program] } = parseArgs({ allowPositionals: true, options: { update: { type: 'boolean', default: false } } });
const plain = { GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM' };

// [name, instructions a call] of each row.
function measure() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'proofarc-replay-'));
  try {
    execFileSync('valgrind', ['--tool=callgrind', `--callgrind-out-file=${dir}/profile`, program, String(COUNT)], { env: { ...process.env, ...plain }, stdio: ['ignore', 'inherit', 'pipe'], timeout: 300000 });
    return fs.readdirSync(dir).sort().map(name => fs.readFileSync(path.join(dir, name), 'utf8')).flatMap(text => {
      const name = text.match(/^desc: Trigger: Client Request: (.+)$/m)?.[1];
      return name ? [[name, Math.round(Number(text.match(/^summary: (\d+)$/m)[1]) / COUNT)]] : [];
    });
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

const read = () => new Map(fs.readFileSync(table, 'utf8').trimEnd().split('\n').slice(1).map(line => line.split('\t')).map(([name, count]) => [name, Number(count)]));

const counted = measure();
if (flags.update) fs.writeFileSync(table, `call\tinstructions\n${counted.map(row => row.join('\t')).join('\n')}\n`);
const known = read();
for (const [name, count] of counted) {
  const ratio = count / known.get(name), isFine = ratio <= 1 + ALLOWED;
  console.log(`${isFine ? 'ok  ' : 'FAIL'} ${name.padEnd(20)} ${count.toLocaleString('en').padStart(9)} instructions a call, ${(100 * (ratio - 1)).toFixed(1)} % over what was last written down`);
  if (!isFine) process.exitCode = 1;
}
if (counted.length !== known.size) throw new Error(`${counted.length} calls were counted, instructions.tsv has ${known.size}`);
if (process.exitCode) console.log('Look for the reason with callgrind_annotate. If it is worth it, ./dev instructions --update writes the new numbers.');
