// SPDX-License-Identifier: Apache-2.0
// From the start of a process until it has answered tools/list over stdio.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';
import { median, program, until } from '../play/machine.mjs';
import { lease, place } from '../play/ours.mjs';
import { serverFile } from '../play/peers.mjs';
import { figure } from '../play/report.mjs';
import { version } from '../play/rpc.mjs';

const hello = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'bench', version: '1' } } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
].map(message => JSON.stringify(message) + '\n').join('');

// Milliseconds until `count` tools are listed. `meanwhile` is awaited before the process ends.
async function firstList(file, args, count, meanwhile = async () => {}) {
  const began = performance.now();
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const limit = setTimeout(() => child.kill('SIGKILL'), 20000);
  child.stdin.on('error', () => {}).write(hello);
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    const took = performance.now() - began;
    if (result.tools.length !== count) throw new Error(`${file} lists ${result.tools.length} tools, not ${count}`);
    await meanwhile();
    child.stdin.end();
    await ended;
    clearTimeout(limit);
    return took;
  }
  throw new Error(`${file} ended before it listed its tools`);
}

const oursArgs = dir => ['--transport', 'stdio', '--data-dir', dir, '--log-level', 'error'];

// A stack that is not running, with the data of an earlier one; waits until it has left again.
async function cold(dir, count) {
  let pid;
  const took = await firstList(program('proofarc-mcp'), oursArgs(dir), count, async () => {
    const local = await lease(dir);
    pid = local.pid;
    local.close();
  });
  await until(() => !fs.existsSync(`/proc/${pid}`), 'the stack leaves', 10000);
  return took;
}

export async function starts({ ours, stdioFile, tools }, pace) {
  const node = version => [process.execPath, [serverFile, '--data', stdioFile, '--sdk', version, '--stdio'], tools.length];
  const times = { warm: [], cold: [], first: [], sdk2: [], sdk1: [] };
  const dir = place();
  await cold(dir, tools.length);
  await firstList(...node('2'));  // its files are in memory now, as ours are
  for (let round = 0; round < pace.starts; round++) {
    times.warm.push(await firstList(program('proofarc-mcp'), oursArgs(ours.dir), tools.length));
    times.sdk2.push(await firstList(...node('2')));
    times.cold.push(await cold(dir, tools.length));
    times.sdk1.push(await firstList(...node('1')));
    times.first.push(await cold(place(), tools.length));
  }
  const of = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
  figure('warm start to tools/list answered (stdio)', { unit: 'ms', ours: of.warm, peer: of.sdk2, against: 'SDK 2.4.0, stdio', goal: '≤ 1/10' });
  figure('cold start of the whole stack to tools/list answered', { unit: 'ms', ours: of.cold, peer: of.sdk2, against: 'SDK 2.4.0, stdio', goal: '≤ 1' });
  figure('the same without any data yet', { unit: 'ms', ours: of.first, peer: of.sdk1, against: 'SDK 1.32.2, stdio' });
}
