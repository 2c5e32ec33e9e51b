// SPDX-License-Identifier: Apache-2.0
// Processes and memory, from /proc; the load client; medians.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { promisify } from 'node:util';

export const here = path.dirname(path.dirname(new URL(import.meta.url).pathname));
export const bin = process.env.PROOFARC_BIN ?? path.join(here, '../build/release/bin');
export const program = name => path.join(bin, name);
export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
export const run = promisify(execFile);

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export async function until(probe, sentence, ms = 20000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(5)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(`waited ${ms} ms in vain: ${sentence}`);
}

const read = file => { try { return fs.readFileSync(file, 'utf8'); } catch { return ''; } };

// The process and all that descend from it.
export function family(root) {
  const children = new Map();
  for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const parent = read(`/proc/${pid}/stat`).match(/\) \S (\d+)/)?.[1];
    if (parent) children.set(Number(parent), [...children.get(Number(parent)) ?? [], Number(pid)]);
  }
  const found = [root];
  for (const pid of found) found.push(...children.get(pid) ?? []);
  return found;
}

const kib = (text, name) => Number(text.match(new RegExp(`^${name}:\\s+(\\d+)`, 'm'))?.[1] ?? 0);
export const rss = pids => pids.reduce((sum, pid) => sum + kib(read(`/proc/${pid}/status`), 'VmRSS'), 0) * 1024;
export const pss = pids => pids.reduce((sum, pid) => sum + kib(read(`/proc/${pid}/smaps_rollup`), 'Pss'), 0) * 1024;
export const nameOf = pid => read(`/proc/${pid}/comm`).trim();

const started = new Set();
process.on('exit', () => started.forEach(child => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

// Starts a process that says "ready WHERE" on stdout, or on descriptor 3 with `readyFd`.
export async function start(file, args, { env = {}, readyFd = false } = {}) {
  const child = spawn(file, readyFd ? [...args, '--ready-fd', '3'] : args,
                      { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let log = '', code = null;
  started.add(child);
  child.stderr.on('data', bytes => { log = (log + bytes).slice(-4000); });
  const exited = new Promise(resolve => child.once('exit', (number, signal) => { code = number ?? signal; started.delete(child); resolve(code); }));
  const line = new Promise(resolve => readline.createInterface({ input: readyFd ? child.stdio[3] : child.stdout }).once('line', resolve));
  const first = await Promise.race([line, exited, sleep(20000)]);
  if (code !== null || first === undefined) throw new Error(`${path.basename(file)} does not start (${code}): ${log}`);
  if (readyFd) child.stdout.resume();
  const stop = async () => {
    if (code === null) child.kill('SIGTERM');
    await Promise.race([exited, sleep(7000)]);
    if (code === null) child.kill('SIGKILL');
    return exited;
  };
  return { pid: child.pid, where: String(first).replace(/^ready /, ''), stop };
}

// One run of the load client against {port, headers, pids, sessions}; throws if an answer was wrong.
export async function load(server, { body, expect, connections, headers = {} }, { warmMs, timeMs }) {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25', ...server.headers, ...headers };
  const args = ['--port', server.port, '--body', body, '--expect', expect, '--connections', connections, '--warm-ms', warmMs, '--time-ms', timeMs,
                '--pids', server.pids.join(','), ...Object.entries(all).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
                ...(server.sessions ? ['--sessions', server.sessions] : [])].map(String);
  const { stdout } = await run(program('bench-load'), args, { timeout: 60000 }).catch(error => error);
  const told = JSON.parse(stdout);
  if (told.errors || !told.calls) throw new Error(`${server.name}: ${told.errors} errors, first: ${told.wrong}`);
  const cores = 2e6 * told.seconds;
  return { ...told, cpuUs: told.serverUs / told.calls, outside: (told.machineUs - told.serverUs - told.clientUs) / cores, stolen: told.stolenUs / cores };
}
