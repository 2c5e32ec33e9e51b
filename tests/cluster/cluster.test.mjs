// SPDX-License-Identifier: Apache-2.0
// Two transports, two brokers, two workers, two resolvers, the platform and an agent, each on a
// machine of its own and all over tcp:// with CURVE. Under load a broker is killed and cables are
// cut and put back: only the calls in hand are touched, and what is told of them is so.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Session, login, place, restOf, until } from '../e2e/stack.mjs';
import { compare, countRuns, startLoad } from './load.mjs';
import { Machine, makeHub, makeKeys } from './network.mjs';

const CATEGORIES = ['explore', 'act', 'report', 'api_authoring', 'setup', 'environments'];
const SETTLED_MS = 4000;  // calls in hand, when nobody says that their broker is lost
const BACK_MS = 6000;     // until a broker serves again whose cable was put back

let dir, keys, service, rest, platform, owner;
const machines = {}, running = {}, callers = [];
const file = name => `${dir}/${name}`;
const client = () => ['--curve-dir', keys.client];
const brokers = () => ['b1', 'b2'].map(name => machines[name].address);
const resolvers = () => ['r1', 'r2'].map(name => machines[name].address);
const each = (flag, addresses, port) => addresses.flatMap(address => [flag, `tcp://${address}:${port}`]);

const programs = {
  platform: () => ['proofarc-platform', ['--listen', `${machines.platform.address}:8800`, '--database', `sqlite:${file('platform.db')}`, '--vault-key', file('vault.key'),
    '--token-key', file('token.key'), '--credentials', file('credentials'), '--agent-token', file('agent.token'), '--allow-private']],
  agent: () => ['proofarc-agent', ['--platform', platform, '--token', file('agent.token')]],
  broker: ({ address }) => ['proofarc-broker', ['--transports', `tcp://${address}:7001`, '--workers', `tcp://${address}:7002`, '--categories', CATEGORIES.join(), '--curve-dir', keys.server]],
  resolver: ({ address }) => ['proofarc-resolver', ['--bind', `tcp://${address}:7003`, '--platform', platform, '--curve-dir', keys.server, '--log-level', 'debug']],
  worker: ({ name }) => ['proofarc-worker', [...CATEGORIES, '--name', name, ...each('--broker', brokers(), 7002), ...each('--resolver', resolvers(), 7003), '--platform', platform, ...client()]],
  transport: ({ address }) => ['proofarc-mcp', ['--transport', 'http', '--listen', `${address}:8808`, ...each('--broker', brokers(), 7001), '--token-key', file('token.key'),
    '--session-key', file('session.key'), '--platform', platform, ...client()]],
};

// Starts what belongs on the machine, once more after it was killed.
async function launch(name, kind) {
  const [binary, args] = programs[kind](machines[name]);
  running[name] = await machines[name].start(binary, args);
}

const url = name => `http://${machines[name].address}:8808/mcp`;

async function call(name, tool, args) {
  const session = await Session.http(url(name), owner);
  try {
    return await session.call(tool, args);
  } finally {
    await session.close();
  }
}

// What the broker last told that transport of itself.
async function counters(transport, broker) {
  const text = await (await fetch(url(transport).replace('/mcp', '/metrics'))).text();
  const index = Object.keys(machines).filter(name => name.startsWith('b')).indexOf(broker);
  return Object.fromEntries([...text.matchAll(/^proofarc_broker_(\w+)\{broker="(\d)"\} (\d+)$/gm)].filter(match => Number(match[2]) === index).map(match => [match[1], Number(match[3])]));
}

async function addUser(name) {
  await rest('POST', '/api/users', { username: name, password: `secret of ${name}`, role: 'analyst' });
  const answer = await fetch(`${platform}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: name, password: `secret of ${name}` }) });
  return (await answer.json()).token;
}

before(async () => {
  dir = place('cluster');
  fs.mkdirSync(file('keys'));
  keys = makeKeys(file('keys'));
  fs.writeFileSync(file('session.key'), '5e'.repeat(32), { mode: 0o600 });
  makeHub();
  for (const name of ['platform', 'b1', 'b2', 'r1', 'r2', 'w1', 'w2', 't1', 't2', 'elsewhere']) machines[name] = new Machine(name);
  platform = `http://${machines.platform.address}:8800`;
  await launch('platform', 'platform');
  owner = await login(platform, dir);
  rest = restOf(platform, owner);
  for (const [name, kind] of [['b1', 'broker'], ['b2', 'broker'], ['r1', 'resolver'], ['r2', 'resolver'], ['w1', 'worker'], ['w2', 'worker'], ['t1', 'transport'], ['t2', 'transport']])
    await launch(name, kind);
  running.agent = await machines.platform.start(...programs.agent());
  service = http.createServer((request, response) => response.end('{"ok":true}')).listen(8080, '10.77.0.1');
  await call('t1', 'create_project', { name: 'shop' });
  await call('t2', 'create_environment', { name: 'staging', auth_requirement: 'PUBLIC', project: 'shop' });
  await call('t1', 'add_target', { environment: 'staging', name: 'api', target_type: 'REST_SERVICE', base_url: 'http://10.77.0.1:8080', app_tag: 'shop' });
  await call('t2', 'create_api_scenario', { project: 'shop', name: 'Smoke', app_tag: 'shop', steps: [{ method: 'GET', path: '/health' }] });
});
after(async () => {
  await Promise.all(callers.map(({ session }) => session.close()));
  service?.close();
  service?.closeAllConnections();
  await Promise.all(Object.values(running).map(({ stop }) => stop()));
});

// Which resolver has fetched something since.
const fetches = name => running[name].log.split('\n').filter(line => line.includes('fetched')).length;

async function shardOf(token) {
  const used = new Set();
  for (const transport of ['t1', 't2', 't1', 't2']) {
    const before = { r1: fetches('r1'), r2: fetches('r2') };
    const session = await Session.http(url(transport), token);
    await session.call('get_project_setup_status', { project: 'shop' });
    await session.close();
    await until(() => fetches('r1') + fetches('r2') > before.r1 + before.r2, 'a resolver fetches for the new session');
    for (const name of ['r1', 'r2']) if (fetches(name) > before[name]) used.add(name);
  }
  assert.equal(used.size, 1, 'one principal, one resolver, whatever the session and the worker');
  return [...used][0];
}

test('all sessions of one principal have one resolver, and others have the other one', async () => {
  const seen = new Set();
  for (let i = 0; i < 20 && seen.size < 2; i++) {
    const token = await addUser(`user ${i}`);
    const shard = await shardOf(token);
    if (seen.has(shard)) continue;
    seen.add(shard);
    for (const transport of ['t1', 't2'])
      for (let k = 0; k < 3; k++) callers.push({ shard, session: await Session.http(url(transport), token) });
  }
  assert.deepEqual([...seen].sort(), ['r1', 'r2']);
});

const brief = calls => calls.map(({ kind, told, error }) => `${kind} ${told}: ${error.message}`);

// Load while `during(load)` lasts. What was told is so; `touched` are the calls that were not told
// "ok".
async function underLoad(t, during) {
  const first = await countRuns(rest);
  const load = startLoad(callers);
  const calls = await during(load).finally(load.stop).then(() => load.calls);
  const touched = calls.filter(({ told }) => told !== 'ok');
  const slowest = Math.max(...calls.map(({ began, ended }) => ended - began));
  t.diagnostic(`${calls.length} calls, the slowest took ${slowest} ms; touched: ${brief(touched).join('; ') || 'none'}`);
  await compare(calls, await countRuns(rest) - first - 1, rest);
  return { touched, slowest };
}

// `begin`; everybody goes on, or `those` at least; `end`, and everybody goes on.
async function trouble(t, { begin, end, those = callers }) {
  let usual = 0;
  const result = await underLoad(t, async load => {
    await load.goesOn(3);
    usual = Math.max(...load.calls.map(({ began, ended }) => ended - began));
    await begin();
    await load.goesOn(5, those);
    await end(load);
    await load.goesOn(3);
  });
  return { ...result, limit: SETTLED_MS + 2 * usual };
}

// Each caller has one call in hand, so that more than one of him would be one too many; reads are
// made again elsewhere.
function onlyInHand({ touched, slowest, limit }) {
  assert.equal(new Set(touched.map(({ caller }) => caller)).size, touched.length, `some were touched twice: ${brief(touched)}`);
  assert.deepEqual(brief(touched.filter(({ kind }) => kind === 'read')), []);
  assert.ok(slowest < limit, `a call took ${slowest} ms, and ${limit} were to be enough`);
}

async function servesAgain(broker) {
  const before = await counters('t1', broker);
  const since = Date.now();
  await until(async () => ![0, before.broker_answers].includes((await counters('t1', broker)).broker_answers), `${broker} answers calls again`);
  return Date.now() - since;
}

describe('under load', () => {
  test('calls are spread over both brokers', async t => {
    const { touched } = await underLoad(t, load => load.goesOn(6));
    assert.deepEqual(brief(touched), []);
    for (const broker of ['b1', 'b2']) await until(async () => (await counters('t2', broker)).broker_answers > 0, `${broker} has answered calls`);
  });

  test('a broker is killed: only the calls in its hands are touched', async t => {
    const result = await trouble(t, {
      begin: () => running.b1.stop('SIGKILL'),
      end: async () => {
        await launch('b1', 'broker');
        await servesAgain('b1');
      },
    });
    onlyInHand(result);
  });

  test('the cable of a broker is cut: the others go on without it, and it comes back', async t => {
    const result = await trouble(t, {
      begin: () => machines.b1.cut(),
      end: async () => {
        await until(() => machines.b1.connections(7001, 7002) === 0, 'what leads nowhere is given up');
        machines.b1.heal();
        const back = await servesAgain('b1');
        assert.ok(back < BACK_MS, `it was back after ${back} ms`);
      },
    });
    onlyInHand(result);
  });

  test('the cable of a worker is cut: its calls go to the other one', async t => {
    const result = await trouble(t, {
      begin: () => machines.w1.cut(),
      end: async () => {
        await until(() => machines.w1.connections(7002, 7003) === 0, 'what leads nowhere is given up');
        machines.w1.heal();
        await until(async () => (await counters('t1', 'b1')).broker_workers === 2 && (await counters('t1', 'b2')).broker_workers === 2, 'it is back at both brokers');
      },
    });
    onlyInHand(result);
  });

  test('a resolver is killed: principals of the other one notice nothing', async t => {
    const others = callers.filter(({ shard }) => shard === 'r2');
    const { touched } = await trouble(t, {
      begin: () => running.r1.stop('SIGKILL'),
      end: async load => {
        await until(() => load.calls.some(({ told }) => told !== 'ok'), 'somebody is told that names cannot be looked up');
        await launch('r1', 'resolver');
      },
      those: others,
    });
    assert.deepEqual(brief(touched.filter(({ caller }) => others.includes(caller))), []);
    assert.deepEqual(brief(touched.filter(({ kind, told }) => !['read', 'run'].includes(kind) || told !== 'not_sent')), [], 'names alone could not be told');
  });

  test('a test is run by the agent all the same', async () => {
    const run = await call('t2', 'execute_scenario', { scenario: 'Smoke', environment: 'staging', wait: true });
    assert.equal(run.outcome, 'PASSED');
  });
});

describe('a stranger', () => {
  // Opens a connection without CURVE, as ZMTP 3.0 has it; resolves to what it hears before the end.
  const greetPlainly = (machine, port) => new Promise(resolve => {
    const greeting = Buffer.alloc(64);
    Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]).copy(greeting);
    greeting.write('NULL', 12);
    const ready = Buffer.from('\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER', 'latin1');
    const socket = net.connect(port, machine.address, () => socket.write(Buffer.concat([greeting, ready])));
    let heard = Buffer.alloc(0);
    socket.on('data', bytes => { heard = Buffer.concat([heard, bytes]); });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });

  test('with a key that is not listed finds no broker, and is seen', async () => {
    const [binary, args] = programs.transport(machines.elsewhere);
    const stranger = machines.elsewhere.start(binary, args.map(word => (word === keys.client ? keys.stranger : word)));
    const { exited } = await stranger;
    assert.equal(await exited, 6, 'no broker answers');
    for (const broker of ['b1', 'b2']) {
      await until(() => /turned-away.*its key is not listed/.test(running[broker].log), `${broker} says so`);
      await until(async () => (await counters('t1', broker)).broker_turned_away > 0, `${broker} counts it`);
    }
  });

  test('without keys is turned away from every socket, and is seen', async () => {
    for (const [name, port] of [['b2', 7001], ['b2', 7002], ['r2', 7003]]) {
      const heard = await greetPlainly(machines[name], port);
      assert.ok(heard.length <= 64, `${name} says more than its greeting to a stranger: ${heard.length} bytes`);
      await until(() => /turned-away.*does not speak CURVE/.test(running[name].log), `${name} says so`);
    }
  });

  test('is what a program without --curve-dir would be: it does not start', async () => {
    const args = programs.worker({ name: 'elsewhere' })[1].filter(word => word !== '--curve-dir' && word !== keys.client);
    await assert.rejects(machines.elsewhere.start('proofarc-worker', args), /needs CURVE keys: give --curve-dir/);
  });
});
