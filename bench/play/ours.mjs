// SPDX-License-Identifier: Apache-2.0
// Our stack: the local one as a client starts it, or its programs one by one before a platform
// that is told what to answer.
import { createHmac, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { family, program, start, until } from './machine.mjs';

const places = [];
export function place() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'proofarc-bench-'));
  places.push(dir);
  return dir;
}
process.on('exit', () => places.forEach(dir => fs.rmSync(dir, { recursive: true, force: true })));

// What the launcher says on its socket; the stack stays until close().
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

async function token(platform, dir) {
  const owner = fs.readFileSync(path.join(dir, 'credentials'), 'utf8');
  const answer = await fetch(`${platform}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: owner });
  return (await answer.json()).token;
}

export function restOf(platform, bearer) {
  return async (method, route, body) => {
    const answer = await fetch(platform + route, { method, headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text.slice(0, 300)}`);
    return text ? JSON.parse(text) : null;
  };
}

async function ready(port) {
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, 'the stack is ready');
}

const portOf = where => Number(where.split(':').at(-1));

// proofarc-mcp over HTTP with the whole local stack behind it; tokens are checked.
export async function localStack() {
  const dir = place(), key = path.join(dir, 'token.key');
  fs.writeFileSync(key, randomBytes(32).toString('hex') + '\n', { mode: 0o600 });
  const mcp = await start(program('proofarc-mcp'), ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir, '--token-key', key, '--log-level', 'warning'], { readyFd: true });
  const port = portOf(mcp.where);
  await ready(port);
  const local = await lease(dir);
  const bearer = await token(local.platform, dir);
  const stop = async () => {
    local.close();
    await mcp.stop();
    await until(() => !fs.existsSync(`/proc/${local.pid}`), 'the stack leaves', 10000);
  };
  return { name: 'ours', port, pids: [mcp.pid, ...family(local.pid)], platform: local.platform, token: bearer, rest: restOf(local.platform, bearer), dir, stop,
           headers: { authorization: `Bearer ${bearer}` } };
}

// A platform with `count` projects and no test in it: what the resolver and one tool ask for.
function standIn(count) {
  const names = JSON.stringify({ items: Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `project ${String(i + 1).padStart(6, '0')}`, projectIds: [] })) });
  return new Promise(resolve => {
    const server = http.createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
      const body = searchParams.get('view') === 'names' ? names
        : pathname === '/api/info' ? '{"name":"stand-in","version":"1.0.0","remembersKeys":true}'
          : '{"project":"project","applications":[],"total":0,"returned":0}';
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
    }).listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } }));
  });
}

function signed(key) {
  const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: 'proofarc', sub: 'owner', role: 'admin', iat: now, exp: now + 3600 })}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

// Starts programs of ours one after the other; the last one is stopped first.
function programs() {
  const running = [];
  const add = async (name, ...args) => {
    const started = await start(program(name), [...args, '--log-level', 'warning'], { readyFd: true });
    running.unshift(started);
    return started;
  };
  return { add, running, stop: () => Promise.all(running.map(each => each.stop())) };
}

const socketIn = dir => name => `ipc://${path.join(dir, name)}`;

// Broker, `workers` workers of one category, resolver and transport, one process each.
export async function smallStack({ workers = 1, projects = 10 } = {}) {
  const dir = place(), key = randomBytes(32), platform = await standIn(projects), at = socketIn(dir);
  const keyFile = path.join(dir, 'token.key');
  fs.writeFileSync(keyFile, key.toString('hex') + '\n', { mode: 0o600 });
  const { add, running, stop: stopAll } = programs();
  await add('proofarc-broker', '--transports', at('transports'), '--workers', at('workers'), '--categories', 'explore');
  await add('proofarc-resolver', '--bind', at('resolver'), '--platform', platform.url);
  for (let i = 0; i < workers; i++)
    await add('proofarc-worker', 'explore', '--name', String(i), '--broker', at('workers'), '--resolver', at('resolver'), '--platform', platform.url);
  const mcp = await add('proofarc-mcp', '--transport', 'http', '--listen', '127.0.0.1:0', '--broker', at('transports'), '--platform', platform.url, '--token-key', keyFile, '--data-dir', dir);
  const port = portOf(mcp.where);
  await ready(port);
  const stop = async () => {
    await stopAll();
    platform.stop();
  };
  return { name: 'ours', port, pids: running.map(each => each.pid), stop, headers: { authorization: `Bearer ${signed(key)}` } };
}

// A broker without anybody.
export async function brokerAlone() {
  const at = socketIn(place()), { add, stop } = programs();
  const { pid } = await add('proofarc-broker', '--transports', at('transports'), '--workers', at('workers'), '--categories', 'explore');
  return { pid, transports: at('transports'), workers: at('workers'), stop };
}

// A resolver before a platform with so many projects.
export async function resolverAlone(projects) {
  const platform = await standIn(projects), endpoint = socketIn(place())('resolver'), { add, stop } = programs();
  const { pid } = await add('proofarc-resolver', '--bind', endpoint, '--platform', platform.url);
  return { pid, endpoint, token: signed(randomBytes(32)), stop: async () => { await stop(); platform.stop(); } };
}
