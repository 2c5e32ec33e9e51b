// SPDX-License-Identifier: Apache-2.0
// A stack whose calls can be held in every state, and whose programs can be killed or stopped.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { Session, login, place, processes, restOf, start, until } from './stack.mjs';
import { serve } from './stub.mjs';

const SLOTS = 8;  // of a worker
const JOBS = 4;   // of an agent

// Holds requests before they arrive, or their answers, until it is opened.
class Gate {
  held = 0;
  close(where) {
    this.where = where;
    this.held = 0;
    this.first = new Promise(resolve => { this.passed = resolve; });
    this.opened = new Promise(resolve => { this.open = () => { this.where = null; resolve(); }; });
  }
  open() {}
  // Waits if requests are held there.
  async pass(where) {
    if (this.where !== where) return;
    this.held++;
    await this.opened;
  }
}

// Between the stack and its platform.
class Proxy {
  gate = new Gate();
  under = 0;         // requests that are under way
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
  async pass(request, response, body) {
    const isWrite = request.method === 'POST' && request.url === '/api/environments';
    const isLooked = isWrite || /\/credentials$/.test(request.url);
    if (isWrite) {
      const { name } = JSON.parse(body);
      this.keys.set(name, (this.keys.get(name) ?? new Set()).add(request.headers['idempotency-key']));
    }
    this.under++;
    if (isLooked) await this.gate.pass('before');
    const answer = await this.ask(request, body);
    if (answer && isLooked) await this.gate.pass('after');
    this.under--;
    if (!answer) response.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body, () => isLooked && this.gate.passed?.());
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
    this.gate.open();
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

// A platform and an agent that are started again when they die, and a stack that uses them. Its
// calls read and write environments.
export class CallStack {
  slots = SLOTS;
  serial = 0;
  told = [];
  constructor(target) { this.target = target; }
  file(name) { return `${this.home}/${name}`; }

  async open() {
    this.home = place(`matrix-${this.target}`);
    this.dir = place(`matrix-${this.target}-client`);
    await this.keep('platform', port => ['--listen', `127.0.0.1:${port}`, '--database', `sqlite:${this.file('platform.db')}`, '--vault-key', this.file('vault.key'),
      '--token-key', this.file('token.key'), '--credentials', this.file('credentials'), '--agent-token', this.file('agent.token'), '--allow-private']);
    this.direct = `http://${this.platform.endpoint.replace(/^http:\/\//, '')}`;
    this.port = new URL(this.direct).port;
    await this.keep('agent', () => ['--platform', this.direct, '--token', this.file('agent.token')]);
    this.token = await login(this.direct, this.home);
    this.rest = restOf(this.direct, this.token);
    this.proxy = new Proxy();
    await this.proxy.open(this.direct);
    this.gate = this.proxy.gate;
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
    this.proxy?.close();
    await this.session?.close().catch(() => {});
    await Promise.all([this.platform, this.agent].map(run => run?.stop('SIGKILL')));
  }
  pid() {
    const words = { broker: ['proofarc-broker'], worker: ['proofarc-worker', ' environments '], resolver: ['proofarc-resolver'], launcher: ['proofarc-launcher'] };
    if (this.target === 'transport') return this.session.transport.pid;
    return words[this.target] ? processes(this.dir, ...words[this.target])[0].pid : this[this.target].child.pid;
  }
  // For each thread of the stack, the milliseconds for which it could have run, had a processor been
  // free.
  waits() {
    const files = [...processes(this.dir), ...processes(this.home)].flatMap(({ pid }) => {
      try { return fs.readdirSync(`/proc/${pid}/task`).map(task => `/proc/${pid}/task/${task}/schedstat`); } catch { return []; }
    });
    return new Map(files.map(file => {
      try { return [file, Number(fs.readFileSync(file, 'utf8').split(' ')[1]) / 1e6]; } catch { return [file, 0]; }
    }));
  }
  waitedSince(before) {
    return [...this.waits()].reduce((sum, [thread, ms]) => sum + ms - (before.get(thread) ?? 0), 0);
  }

  // A call settles to {name, told, at}; `name` is that of what it writes.
  async call(tool, args, name) {
    const told = await this.session.raw(tool, args).then(
      result => (result.isError ? JSON.parse(result.content[0].text).error.outcome : 'ok'), () => 'connection lost');
    const call = { name, told, at: Date.now() };
    if (name) this.told.push(call);
    return call;
  }
  read() { return this.call('list_environment_credentials', { environment: 'base' }); }
  write(key) {
    const name = `made-${++this.serial}`;
    return this.call('create_environment', { name, project: 'seed', auth_requirement: 'PUBLIC', ...(key ? { idempotency_key: `key-${name}` } : {}) }, name);
  }
  three() { return [this.read(), this.write(false), this.write(true)]; }
  // Until all that was called has come to the queue: calls keep their order as far as the broker.
  async queued() { await this.session.raw('list_projects'); }
  // Nothing is under way any more at the platform.
  async quiet() {
    await until(async () => this.proxy.under === 0 && (await this.rest('GET', '/api/health')).status === 200, 'the platform is quiet');
  }
  async counts() {
    const { body } = await this.rest('GET', '/api/environments?limit=500');
    assert.equal(body.nextCursor ?? null, null);
    return name => body.environments.filter(environment => environment.name === name).length;
  }
  // What was told and how often it happened agree; throws if not.
  check({ name, told }, times) {
    const where = `${this.target}: ${name} was told ${told}, and happened ${times} times`;
    if (told === 'ok') assert.equal(times, 1, where);
    else if (['failed', 'not_sent'].includes(told)) assert.equal(times, 0, where);
    assert.ok(times <= 1, where);
    assert.ok((this.proxy.keys.get(name)?.size ?? 0) <= 1, `${name} was sent under several keys`);
  }
}

// The same, but its calls are runs, which an agent carries out at a system under test. What is told
// is how the run ended; what happened is what the system under test was asked.
export class RunStack extends CallStack {
  slots = JOBS;
  asked = new Map();
  async open() {
    await super.open();
    this.gate = new Gate();
    const answer = async ({ path }) => {
      await this.gate.pass('before');
      this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
      await this.gate.pass('after');
      setImmediate(() => this.gate.passed?.());
      return { body: {} };
    };
    this.service = await serve({}, answer);
    await this.session.call('add_target', { environment: 'base', name: 'api', target_type: 'REST_SERVICE', base_url: this.service.url, app_tag: 'seed' });
    for (const method of ['GET', 'POST'])
      await this.session.call('create_api_scenario', { project: 'seed', name: method, app_tag: 'seed', steps: [{ method, path: '/{{name}}' }] });
  }
  async close() {
    this.gate?.open();
    await super.close();
    await this.service?.close();
  }
  async run(scenario, key) {
    const name = `run-${++this.serial}`;
    const queued = await this.session.call('execute_scenario', { scenario, environment: 'base', variables: { name }, tags: [name], ...(key ? { idempotency_key: name } : {}) });
    this.answered = Date.now();
    const head = await until(async () => {
      const { body } = await this.rest('GET', `/api/scenarios/executions/${queued.executionId}?waitMs=1000`);
      return body?.endedAt && body;
    }, `${name} ends`, 60000);
    const call = { name, told: head.status === 'COMPLETED' ? 'ok' : head.status, at: Date.now() };
    this.told.push(call);
    return call;
  }
  read() { return this.run('GET', false); }
  write(key) { return this.run('POST', key); }
  async queued() {
    const { serial } = this;
    await until(async () => await this.execution(serial), 'all runs are in the queue');
  }
  // Runs are counted from 1.
  async execution(id) {
    const { status, body } = await this.rest('GET', `/api/scenarios/executions/${id}`);
    return status === 200 && body;
  }
  async counts() {
    assert.equal(await this.execution(this.serial + 1), false, 'there are as many runs as were called');
    return name => this.asked.get(`/${name}`) ?? 0;
  }
  // A run whose agent is lost is given to another one, once.
  check({ name, told }, times) {
    assert.equal(told, 'ok', `${name} ended as ${told}`);
    assert.ok(times >= 1 && times <= 2, `${name} was carried out ${times} times`);
  }
}
