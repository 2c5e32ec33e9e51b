// SPDX-License-Identifier: Apache-2.0
// What every end-to-end test needs: programs from the build tree, a data directory of its own,
// the official client over stdio or HTTP, and a record of every answer's keys.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const bin = process.env.PROOFARC_BIN ?? fileURLToPath(new URL('../../build/asan/bin', import.meta.url));
export const program = name => path.join(bin, name);
export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// Waits until `probe` gives something true; fails with the sentence after a generous while.
export async function until(probe, sentence, ms = 20000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain: ${sentence}`);
    await sleep(20);
  }
}

// Processes whose command line holds all `words`, as {pid, line}; a zombie has none.
export function processes(...words) {
  return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(pid => {
    try { return { pid: Number(pid), line: fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }; } catch { return { line: '' }; }
  }).filter(({ line }) => line && words.every(word => line.includes(word)));
}

const places = [];
export function place(name = 'e2e') {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `proofarc-${name}-`));
  places.push(dir);
  return dir;
}
process.on('exit', () => places.forEach(dir => fs.rmSync(dir, { recursive: true, force: true })));

// Starts a program with --ready-fd 3; resolves to {child, endpoint, log}.
export async function start(name, args, { env = {}, file = program(name) } = {}) {
  const child = spawn(file, [...args, '--ready-fd', '3'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const state = { child, log: '', code: null };
  child.stderr.on('data', bytes => { state.log += bytes; });
  child.stdout.resume();
  const exited = new Promise(resolve => child.once('exit', (code, signal) => { state.code = code ?? signal; resolve(state.code); }));
  state.exited = exited;
  const line = new Promise(resolve => readline.createInterface({ input: child.stdio[3] }).once('line', resolve));
  const first = await Promise.race([line, exited]);
  if (state.code !== null) throw new Error(`${name} left with ${state.code}: ${state.log}`);
  state.endpoint = String(first).replace(/^ready /, '');
  state.stop = async (signal = 'SIGTERM') => {
    if (state.code === null) child.kill(signal);
    return exited;
  };
  return state;
}

// Keys of all answers, one JSON line each, for the comparison with the outputSchemas.
const record = process.env.PROOFARC_ANSWERS;
function keysOf(value, prefix = '', keys = new Set()) {
  if (Array.isArray(value)) value.forEach(item => keysOf(item, `${prefix}[]`, keys));
  else if (value && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      keys.add(`${prefix}.${key}`);
      keysOf(item, `${prefix}.${key}`, keys);
    }
  return keys;
}
export function recordAnswer(tool, result) {
  if (!record || !result?.structuredContent) return;
  fs.appendFileSync(record, JSON.stringify({ tool, keys: [...keysOf(result.structuredContent)] }) + '\n');
}

// The official client with two short cuts: call() gives the structured result, refuse() the
// error of a call that has to fail.
export class Session {
  constructor(transport) {
    this.transport = transport;
    this.client = new Client({ name: 'e2e', version: '1' });
    this.progress = [];
  }
  static async stdio(dataDir, { args = [], env = {} } = {}) {
    const transport = new StdioClientTransport({
      command: program('proofarc-mcp'), args: ['--transport', 'stdio', '--data-dir', dataDir, '--log-level', 'warning', ...args],
      env: { ...process.env, ...env }, stderr: process.env.E2E_LOG ? 'inherit' : 'ignore',
    });
    const self = new Session(transport);
    await self.client.connect(transport);
    return self;
  }
  static async http(url, token) {
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } });
    const self = new Session(transport);
    await self.client.connect(transport);
    return self;
  }
  async raw(name, args = {}, options = {}) {
    const result = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 60000, ...options });
    recordAnswer(name, result);
    return result;
  }
  async call(name, args = {}, options = {}) {
    const result = await this.raw(name, args, options);
    if (result.isError) throw new Error(`${name}(${JSON.stringify(args)}): ${result.content[0].text}`);
    const text = JSON.parse(result.content[0].text);
    if (JSON.stringify(text) !== JSON.stringify(result.structuredContent)) throw new Error(`${name}: text and structured content differ`);
    return result.structuredContent;
  }
  async refuse(name, args = {}) {
    const result = await this.raw(name, args);
    if (!result.isError) throw new Error(`${name}(${JSON.stringify(args)}) should have failed: ${result.content[0].text}`);
    return JSON.parse(result.content[0].text).error;
  }
  // Runs until it has ended, by polling as a client would.
  async ended(executionId) {
    return until(async () => {
      const status = await this.call('get_execution_status', { execution_id: executionId, kind: 'api_scenario' });
      return !['QUEUED', 'RUNNING'].includes(status.status) && status;
    }, `run ${executionId} ends`, 60000);
  }
  close() {
    return this.client.close();
  }
}

// What the launcher says on its socket: {broker, platform, pid}; keeps the stack alive until
// close() is called.
export function lease(dataDir) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path.join(dataDir, 'stack.sock'));
    const told = { close: () => socket.destroy() };
    readline.createInterface({ input: socket }).on('line', line => {
      for (const [key, value] of Object.entries(JSON.parse(line))) if (value !== null) told[key] = value;
      if (told.platform && told.broker) resolve(told);
    });
    socket.on('error', reject);
  });
}

export async function login(platform, dir) {
  const owner = JSON.parse(fs.readFileSync(path.join(dir, 'credentials'), 'utf8'));
  const answer = await fetch(`${platform}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(owner) });
  return (await answer.json()).token;
}

// REST with the owner's token: rest(method, path, body) → {status, body}.
export function restOf(platform, token) {
  return async (method, route, body, headers = {}) => {
    const answer = await fetch(platform + route, {
      method, body: body === undefined ? undefined : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
    const text = await answer.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* not every answer is JSON */ }
    return { status: answer.status, body: json, text, headers: answer.headers };
  };
}

// A stack with a data directory of its own, a client, and REST with the owner's token. The client
// has read the list of tools: from then on it checks every answer against its outputSchema.
export async function stack(name, options) {
  const dir = place(name);
  const session = await Session.stdio(dir, options);
  await session.client.listTools();
  await session.call('list_projects');
  const local = await lease(dir);
  const rest = restOf(local.platform, await login(local.platform, dir));
  const close = async () => {
    local.close();
    await session.close();
  };
  return { dir, session, platform: local.platform, rest, close };
}
