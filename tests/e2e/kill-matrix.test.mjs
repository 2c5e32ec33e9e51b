// SPDX-License-Identifier: Apache-2.0
// Every kind of process is killed with -9, and stopped for ten seconds, while calls are idle,
// queued, dispatched, started, answering. What the client was told is compared with what the
// platform did. PROOFARC_WRITE_TABLE=1 writes the table of docs/reliability.md anew.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Session, login, place, restOf, sleep, start, until } from './stack.mjs';

const STOPPED_MS = 10000;
const SERVED_MS = 2000;    // new calls, after the process is gone or goes on
const SETTLED_MS = 4000;   // calls in hand
const SLOTS = 8;
const states = ['idle', 'queued', 'dispatched', 'started', 'answering'];
const targets = ['transport', 'broker', 'worker', 'resolver', 'platform', 'agent', 'launcher'];
const results = [];

function find(dir, words) {
  const line = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n').map(text => text.trim())
    .find(text => text.includes(dir) && !/^\d+ Z/.test(text) && words.every(word => text.includes(word)));
  return line ? Number(line.split(' ')[0]) : null;
}

// Between the stack and its platform: holds requests before they arrive, or their answers.
class Proxy {
  held = 0;
  keys = new Map();  // Idempotency-Keys by the name of what is written
  async open(upstream) {
    this.upstream = upstream;
    this.server = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => this.pass(request, response, Buffer.concat(chunks)));
    });
    await new Promise(resolve => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
  hold(where) {
    this.where = where;
    this.held = 0;
    this.gate = new Promise(resolve => { this.release = () => { this.where = null; resolve(); }; });
  }
  async pass(request, response, body) {
    const isWrite = request.method === 'POST' && request.url === '/api/environments';
    const { where, gate } = this;
    const isHeld = where && (isWrite || /\/credentials$/.test(request.url));
    if (isWrite) {
      const { name } = JSON.parse(body);
      this.keys.set(name, (this.keys.get(name) ?? new Set()).add(request.headers['idempotency-key']));
    }
    if (isHeld && where === 'before') { this.held++; await gate; }
    const answer = await this.ask(request, body);
    if (!answer) return response.destroy();
    if (isHeld && where === 'after') { this.held++; await gate; }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
  ask({ method, url, headers }, body) {
    return new Promise(resolve => {
      const sent = http.request(this.upstream + url, { method, headers, agent: false }, answer => {
        const chunks = [];
        answer.on('data', chunk => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }));
        answer.on('error', () => resolve(null));
      });
      sent.on('error', () => resolve(null));
      sent.end(body);
    });
  }
  close() {
    this.release?.();
    this.server.close();
    this.server.closeAllConnections();
  }
}

// A platform and an agent that are started again when they die, and a stack that uses them.
class Stack {
  serial = 0;
  constructor(target) { this.target = target; }
  file(name) { return `${this.home}/${name}`; }

  async open() {
    this.home = place(`matrix-${this.target}`);
    this.dir = place(`matrix-${this.target}-client`);
    await this.keep('platform', port => ['--listen', `127.0.0.1:${port}`, '--database', `sqlite:${this.file('platform.db')}`, '--vault-key', this.file('vault.key'),
      '--token-key', this.file('token.key'), '--credentials', this.file('credentials'), '--agent-token', this.file('agent.token')]);
    this.direct = `http://${this.platform.endpoint.replace(/^http:\/\//, '')}`;
    this.port = new URL(this.direct).port;
    await this.keep('agent', () => ['--platform', this.direct, '--token', this.file('agent.token')]);
    this.token = await login(this.direct, this.home);
    this.rest = restOf(this.direct, this.token);
    this.proxy = new Proxy();
    await this.proxy.open(this.direct);
    await this.connect();
    await this.session.call('create_project', { name: 'seed' });
    await this.session.call('create_environment', { name: 'base', project: 'seed', auth_requirement: 'PUBLIC' });
  }
  async keep(what, argsOf) {
    const run = this[what] = await start(`proofarc-${what}`, argsOf(this.port ?? 0));
    run.exited.then(() => { if (!this.isClosed) this.keep(what, argsOf).catch(() => {}); });
  }
  async connect() {
    this.session = await Session.stdio(this.dir, { args: ['--platform', this.proxy.url], env: { PROOFARC_TOKEN: this.token } });
  }
  async close() {
    this.isClosed = true;
    this.proxy.close();
    await this.session.close().catch(() => {});
    await Promise.all([this.platform.stop('SIGKILL'), this.agent.stop('SIGKILL')]);
  }
  pid() {
    const words = { broker: ['proofarc-broker'], worker: ['proofarc-worker', ' environments '], resolver: ['proofarc-resolver'], launcher: ['proofarc-launcher'] };
    if (this.target === 'transport') return this.session.transport.pid;
    if (words[this.target]) return find(this.dir, words[this.target]);
    return this[this.target].child.pid;
  }

  // One call; settles to {name, told, at}.
  async call(tool, args) {
    const told = await this.session.raw(tool, args).then(
      result => (result.isError ? JSON.parse(result.content[0].text).error.outcome : 'ok'), () => 'connection lost');
    return { name: args.name, told, at: Date.now() };
  }
  read() { return this.call('list_environment_credentials', { environment: 'base' }); }
  write(key) {
    const name = `made-${++this.serial}`;
    return this.call('create_environment', { name, project: 'seed', auth_requirement: 'PUBLIC', ...(key ? { idempotency_key: `key-${name}` } : {}) });
  }
  three() { return [this.read(), this.write(false), this.write(true)]; }

  // Brings calls into that state; gives the promises of those that are looked at.
  async arrange(state) {
    const { proxy } = this;
    if (state === 'idle') return [];
    proxy.hold(state === 'queued' || state === 'dispatched' ? 'before' : 'after');
    const others = state === 'queued' ? Array.from({ length: SLOTS }, () => this.read()) : [];
    await until(() => proxy.held >= others.length, 'the slots are filled');
    const calls = this.three();
    if (state === 'queued') await sleep(150);
    else await until(() => proxy.held >= 3, `calls are ${state}`);
    this.others = Promise.all(others);
    return calls;
  }

  async letGo(ms) {
    await sleep(ms);
    this.proxy.release?.();
  }

  // Until a read is answered; for a transport or launcher that is gone, by another client.
  async served() {
    await until(async () => {
      if (!this.session.transport.pid) await this.connect().catch(() => {});
      return (await this.read()).told === 'ok';
    }, 'calls are served', 20000);
    return Date.now();
  }
  async happened(name) {
    const { body } = await this.rest('GET', '/api/environments?limit=500');
    return body.environments.filter(environment => environment.name === name).length;
  }
}

async function judge(stack, signal, state, calls, since, served) {
  const told = await Promise.all(calls);
  await stack.others;
  await until(async () => (await stack.rest('GET', '/api/health')).status === 200, 'the platform answers');
  await sleep(200);
  const row = { target: stack.target, signal, state, served: served - since, told: [], settled: 0 };
  for (const call of told) {
    const times = call.name ? await stack.happened(call.name) : 0;
    const where = `${stack.target} ${signal} ${state}: ${call.name ?? 'a read'} was told ${call.told}`;
    row.told.push(call.name ? `${call.told}/${times}` : call.told);
    row.settled = Math.max(row.settled, call.at - since);
    if (!call.name) continue;
    if (call.told === 'ok') assert.equal(times, 1, where);
    else if (['failed', 'not_sent'].includes(call.told)) assert.equal(times, 0, where);
    assert.ok(times <= 1 && (stack.proxy.keys.get(call.name)?.size ?? 0) <= 1, `${where}, and was done under several keys`);
  }
  results.push(row);
  return row;
}

async function kill(stack, state) {
  const calls = await stack.arrange(state);
  const pid = stack.pid();
  if (state === 'answering') stack.proxy.release();
  process.kill(pid, 'SIGKILL');
  const since = Date.now();
  if (state === 'idle') calls.push(...stack.three());
  const released = stack.letGo(300);
  const served = await stack.served();
  await released;
  const row = await judge(stack, '-9', state, calls, since, served);
  const limit = stack.target === 'launcher' ? 2 * SERVED_MS : SERVED_MS;  // a whole stack starts
  assert.ok(row.served < limit, `${stack.target} -9 ${state}: calls were served after ${row.served} ms`);
  assert.ok(row.settled < SETTLED_MS + (limit - SERVED_MS), `${stack.target} -9 ${state}: calls in hand were settled after ${row.settled} ms`);
}

async function stop(stack, state) {
  const calls = await stack.arrange(state);
  const pid = stack.pid();
  if (state === 'answering') stack.proxy.release();
  process.kill(pid, 'SIGSTOP');
  if (state === 'idle') calls.push(...stack.three());
  await stack.letGo(300);
  await sleep(STOPPED_MS - 300);
  process.kill(pid, 'SIGCONT');
  const since = Date.now();
  const served = await stack.served();
  const row = await judge(stack, '-STOP', state, calls, since, served);
  assert.ok(row.served < SERVED_MS, `${stack.target} -STOP ${state}: calls were served ${row.served} ms after it went on`);
  assert.ok(row.settled < SETTLED_MS, `${stack.target} -STOP ${state}: calls in hand were settled ${row.settled} ms after it went on`);
}

function writeTable() {
  const file = new URL('../../docs/reliability.md', import.meta.url);
  const order = row => targets.indexOf(row.target) * 100 + (row.signal === '-9' ? 0 : 50) + states.indexOf(row.state);
  const lines = results.sort((a, b) => order(a) - order(b)).map(({ target, signal, state, told, served, settled }) =>
    `| ${target} | ${signal} | ${state} | ${told.join(' | ')} | ${(served / 1000).toFixed(1)} | ${settled > 0 ? (settled / 1000).toFixed(1) : 'before'} |`);
  const table = ['| killed | how | calls were | read | write | write with a key | served again after s | settled after s |', '|---|---|---|---|---|---|---|---|', ...lines].join('\n');
  const text = fs.readFileSync(file, 'utf8').replace(/(<!-- kill matrix -->\n)[^]*?(<!-- end -->)/, (all, begin, end) => `${begin}${table}\n${end}`);
  fs.writeFileSync(file, text);
}

describe('kill matrix', () => {
  const stacks = targets.map(target => new Stack(target));
  before(async () => {
    await Promise.all(stacks.map(stack => stack.open()));
  });
  after(async () => {
    await Promise.all(stacks.map(stack => stack.close()));
    if (process.env.PROOFARC_WRITE_TABLE) writeTable();
  });
  for (const stack of stacks)
    for (const state of states)
      test(`${stack.target} -9, calls ${state}`, () => kill(stack, state));
  describe('stopped for ten seconds', { concurrency: targets.length }, () => {
    for (const stack of stacks)
      test(`${stack.target} -STOP`, async () => {
        for (const state of states) await stop(stack, state);
      });
  });
});
