// SPDX-License-Identifier: Apache-2.0
// The programs of a stack, started by the test, each with the library preloaded that makes its Nth
// call of a kind fail, and started again when it dies.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Session, bin, login, place, program, restOf, sleep, start, until } from './stack.mjs';
import { serve } from './stub.mjs';

export const kinds = { memory: 1, read: 2, write: 3, connect: 4, open: 5, sync: 6 };
const SPACE = 7;
const PATIENCE_MS = 60000;  // over the time of a call
export const programs = ['platform', 'broker', 'resolver', 'worker', 'agent', 'mcp'];
const categories = ['explore', 'act', 'report', 'api_authoring', 'setup', 'environments'];
const library = fileURLToPath(new URL('../tests/fail-nth.so', `file://${bin}/`));

// The file that tells a preloaded program what is to fail.
class Control {
  constructor(file) {
    this.fd = fs.openSync(file, 'w+', 0o600);
    this.arm(0, 0);
  }
  arm(kind, nth) {
    const bytes = Buffer.alloc(12);
    [kind, nth, 0].forEach((number, i) => bytes.writeInt32LE(number, 4 * i));
    fs.writeSync(this.fd, bytes, 0, bytes.length, 0);
  }
  isReached() {
    const bytes = Buffer.alloc(4);
    fs.readSync(this.fd, bytes, 0, 4, 8);
    return bytes.readInt32LE(0) === 1;
  }
}

// What the log of no program may show. A program ends in good order where there is no memory, by
// assert or abort; in other cases nothing may assert.
const crash = /Sanitizer|runtime error/;
const isBroken = ({ code, log, kind }) => (crash.test(log) && !known.some(place => place.test(log))) || ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'].includes(code)
  || (kind !== 'memory' && code === 'SIGABRT');

// Where libraries use memory that they did not get.
const known = [
  /zframe_destroy[^\n]*\n[^\n]*zframe_new/,  // CZMQ gives a frame back that it could not make
];

// `under` gives a script that starts a program, or nothing.
export class Programs {
  constructor(under = () => undefined) { this.under = under; }
  runs = {};
  ends = [];
  queued = [];  // runs
  control = {};
  serial = 0;
  isPatient = true;  // a client that is not gives up, which is no failure

  file(name) { return path.join(this.dir, name); }
  argumentsOf(name) {
    const ipc = what => `ipc://${this.file(`run/${what}`)}`;
    const platform = this.platform;
    return {
      platform: ['--listen', platform ? new URL(platform).host : '127.0.0.1:0', '--database', `sqlite:${this.file('platform.db')}`, '--vault-key', this.file('vault.key'), '--token-key',
        this.file('token.key'), '--credentials', this.file('credentials'), '--agent-token', this.file('agent.token'), '--reports', this.file('reports'), '--allow-private'],
      broker: ['--transports', ipc('t'), '--workers', ipc('w'), '--categories', categories.join(',')],
      resolver: ['--bind', ipc('r'), '--platform', platform],
      worker: [...categories, '--broker', ipc('w'), '--resolver', ipc('r'), '--platform', platform],
      agent: ['--platform', platform, '--token', this.file('agent.token')],
      mcp: ['--transport', 'http', '--listen', this.url ? new URL(this.url).host : '127.0.0.1:0', '--broker', ipc('t'), '--token-key', this.file('token.key'), '--platform', platform],
    }[name];
  }
  script(name) {
    const text = this.under(name);
    if (text === undefined) return program(`proofarc-${name}`);
    fs.writeFileSync(this.file(name), `#!/bin/sh\n${text.replace('PROGRAM', `${program(`proofarc-${name}`)} "$@"`)}\n`, { mode: 0o755 });
    return this.file(name);
  }
  async launch(name) {
    const options = `verify_asan_link_order=0:${process.env.ASAN_OPTIONS ?? ''}`;
    const run = await start(`proofarc-${name}`, this.argumentsOf(name), { file: this.script(name), env: { LD_PRELOAD: library, FAIL_NTH: this.file(`${name}.fail`), ASAN_OPTIONS: options } });
    this.runs[name] = run;
    run.exited.then(code => this.ended(name, run, code));
    return run;
  }
  // A program that has died is started again, as the launcher would.
  ended(name, run, code) {
    this.ends.push({ name, code, log: run.log, kind: this.kind });
    if (!this.isClosed) this.again(name);
  }
  again(name) {
    this.launch(name).catch(async () => {
      await sleep(50);
      if (!this.isClosed) this.again(name);
    });
  }

  async open() {
    this.dir = place('fail');
    fs.mkdirSync(this.file('run'), { mode: 0o700 });
    process.on('exit', () => Object.values(this.runs).forEach(run => run.child.kill('SIGKILL')));
    for (const name of programs) this.control[name] = new Control(this.file(`${name}.fail`));
    this.platform = `http://${(await this.launch('platform')).endpoint.replace(/^http:\/\//, '')}`;
    for (const name of ['broker', 'resolver', 'worker', 'agent']) await this.launch(name);
    this.url = `http://${(await this.launch('mcp')).endpoint.replace(/^http:\/\//, '')}`;
    this.token = await login(this.platform, this.dir);
    this.rest = restOf(this.platform, this.token);
    this.service = await serve({ 'GET /ok': { body: {} } });
    await until(async () => (await fetch(`${this.url}/readyz`)).status === 200, 'the transport is ready');
    this.session = await Session.http(`${this.url}/mcp`, this.token);
    await this.session.call('create_project', { name: 'seed' });
    await this.session.call('create_environment', { name: 'base', project: 'seed', auth_requirement: 'PUBLIC' });
    await this.session.call('add_target', { environment: 'base', name: 'api', target_type: 'REST_SERVICE', base_url: this.service.url, app_tag: 'seed' });
    await this.session.call('create_api_scenario', { project: 'seed', name: 'look', app_tag: 'seed', steps: [{ method: 'GET', path: '/ok' }] });
  }
  async close() {
    this.isClosed = true;
    await this.session?.close().catch(() => {});
    for (const name of [...programs].reverse()) await this.runs[name]?.stop();
    await this.service?.close();
  }

  // A call of a client of its own session, because the transport may be the one that dies.
  async call(tool, args) {
    try {
      this.session ??= await Session.http(`${this.url}/mcp`, this.token);
      const result = await this.session.raw(tool, args, { timeout: this.isPatient ? PATIENCE_MS : PATIENCE_MS / 12 });
      return result.isError ? JSON.parse(result.content[0].text).error.outcome : 'ok';
    } catch (error) {
      this.session?.close().catch(() => {});
      this.session = null;
      if (/timed out/i.test(error.message) && this.isPatient) throw error;
      return 'connection lost';
    }
  }
  read() { return this.call('list_environment_credentials', { environment: 'base' }); }
  async write() {
    const name = `made-${++this.serial}`;
    return { name, told: await this.call('create_environment', { name, project: 'seed', auth_requirement: 'PUBLIC', idempotency_key: name }) };
  }
  // Starts a run; gives its id, or nothing if that failed.
  async queue() {
    const { status, body } = await this.rest('POST', '/api/scenarios/1/execute', { environmentId: 1 }).catch(() => ({}));
    if (status === 202) this.queued.push(body.id);
    return status === 202 ? body.id : null;
  }
  async hasEnded(id) {
    if (id === null) return false;
    const { body } = await this.rest('GET', `/api/scenarios/executions/${id}?waitMs=500`).catch(() => ({}));
    return Boolean(body?.endedAt);
  }
  async allEnded() {
    while (this.queued.length && await this.hasEnded(this.queued[0])) this.queued.shift();
    return this.queued.length === 0;
  }

  async times(name) {
    let body;
    await until(async () => ({ body } = await this.rest('GET', `/api/environments?view=names`).catch(() => ({}))).body?.items, 'the platform answers');
    return body.items.filter(environment => environment.name === name).length;
  }
  arm(name, kind, nth) {
    if (nth) this.kind = kind;
    this.control[name].arm(nth ? kinds[kind] : 0, nth);
  }
  // As if no disk had any room left for that program, until it is emptied.
  fill(name) { this.control[name].arm(SPACE, 1); }
  empty(name) { this.control[name].arm(0, 0); }
  isReached(name) { return this.control[name].isReached(); }
  // What the programs say when they end in peace, if that is a leak or no peace.
  leak() {
    const found = Object.entries(this.runs).find(([, run]) => run.code !== 0);
    return found && `${found[0]} left with ${found[1].code}: ${found[1].log.slice(-6000)}`;
  }
  // How a program ended as none may, since it was asked last; or nothing.
  takeCrash() {
    const found = this.ends.find(isBroken);
    this.ends = [];
    return found && `${found.name} left with ${found.code}: ${found.log.slice(-6000)}`;
  }
}

export const isLibraryThere = fs.existsSync(library);