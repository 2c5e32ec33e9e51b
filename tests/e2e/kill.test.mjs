// SPDX-License-Identifier: Apache-2.0
// Every process is killed with -9 while calls are under way. What the client was told is
// compared with what the platform did, and new calls are served again within two seconds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Programs } from './fail-nth.mjs';
import { Session, lease, login, place, processes, program, restOf, sleep, start, until } from './stack.mjs';

const find = (dir, words) => processes(dir, ...words)[0];

let serial = 0;

// Writes with keys until told to stop; returns what the client was told, by project name.
function writer(session) {
  const told = new Map();
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      const name = `written ${++serial}`;
      const result = await session.raw('create_project', { name, idempotency_key: `key-${serial}` });
      told.set(name, result.isError ? JSON.parse(result.content[0].text).error.outcome : 'ok');
      await sleep(2);
    }
  })();
  return { stop: async () => { stopped = true; await loop; return told; } };
}

async function compare(told, rest) {
  const { body } = await rest('GET', '/api/projects?limit=500');
  const { body: more } = body.nextCursor ? await rest('GET', `/api/projects?limit=500&cursor=${body.nextCursor}`) : { body: { projects: [] } };
  const names = [...body.projects, ...more.projects].map(project => project.name);
  for (const [name, outcome] of told) {
    const times = names.filter(other => other === name).length;
    if (outcome === 'ok') assert.equal(times, 1, `${name}: the client was told ok`);
    else if (outcome === 'unknown') assert.ok(times <= 1, `${name} stands there ${times} times`);
    else assert.equal(times, 0, `${name}: the client was told ${outcome}`);
  }
}

describe('a local stack', () => {
  let dir, session, local, rest;
  before(async () => {
    dir = place('kill');
    session = await Session.stdio(dir);
    await session.call('list_projects');
    local = await lease(dir);
    rest = restOf(local.platform, await login(local.platform, dir));
  });
  after(async () => {
    local.close();
    await session.close();
  });

  for (const [name, words] of [['broker', ['proofarc-broker']], ['resolver', ['proofarc-resolver']], ['worker', ['proofarc-worker', ' setup ']],
    ['platform', ['proofarc-platform']], ['agent', ['proofarc-agent']]])
    test(`killing the ${name} loses nothing and doubles nothing`, async () => {
      const writing = writer(session);
      await sleep(150);
      const { pid } = find(dir, words);
      process.kill(pid, 'SIGKILL');
      const killed = Date.now();
      await until(async () => !(await session.raw('list_projects')).isError && find(dir, words)?.pid !== pid, `calls are served after the ${name} died`);
      const back = Date.now() - killed;
      await sleep(300);
      const told = await writing.stop();
      assert.ok(told.size > 5);
      assert.ok(back < 2000, `service was back after ${back} ms`);
      await until(async () => (await rest('GET', '/api/health')).status === 200, 'the platform answers');
      await compare(told, rest);
    });

  test('killing the launcher ends the stack, and the client starts another', async () => {
    const writing = writer(session);
    await sleep(150);
    const before = processes(dir).filter(({ line }) => !line.includes('proofarc-mcp')).map(({ pid }) => pid);
    process.kill(local.pid, 'SIGKILL');
    const killed = Date.now();
    await until(async () => !(await session.raw('list_projects')).isError && find(dir, ['proofarc-launcher'])?.pid !== local.pid, 'calls are served by a new stack');
    assert.ok(Date.now() - killed < 4000, `a whole new stack took ${Date.now() - killed} ms`);
    const told = await writing.stop();
    await until(() => processes(dir).every(({ pid }) => !before.includes(pid)), 'the old programs are gone');
    local = await lease(dir);
    rest = restOf(local.platform, await login(local.platform, dir));
    await compare(told, rest);
  });

  test('initialize is answered with the platform down', async () => {
    const { pid } = find(dir, ['proofarc-platform']);
    process.kill(pid, 'SIGSTOP');
    try {
      const started = Date.now();
      const other = await Session.stdio(dir);
      const { tools } = await other.client.listTools();
      assert.ok(tools.length > 30);
      assert.ok(Date.now() - started < 2000, `initialize and tools/list took ${Date.now() - started} ms`);
      await other.close();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

// Its answer becomes a stream after a while, to which something is written from time to time.
test('a client that leaves a call that nobody answers harms no other', async () => {
  const world = new Programs();
  try {
    await world.open();
    world.runs.platform.child.kill('SIGSTOP');
    const leaving = Array.from({ length: 4 }, async (_, i) => {
      const client = await Session.http(`${world.url}/mcp`, world.token);
      await assert.rejects(client.raw('list_environment_credentials', { environment: 'base' }, { timeout: 6000 + 100 * i }), /timed out/);
      await client.close();
    });
    await Promise.all(leaving);
    await sleep(12000);
    world.runs.platform.child.kill('SIGCONT');
    await until(async () => await world.read() === 'ok', 'calls are served');
    assert.equal(world.takeCrash(), undefined);
  } finally {
    await world.close();
  }
});

test('a killed client leaves no process behind', async () => {
  const dir = place('killed-client');
  const client = spawn(program('proofarc-mcp'), ['--transport', 'stdio', '--data-dir', dir], { stdio: ['pipe', 'pipe', 'ignore'] });
  client.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  await new Promise(resolve => client.stdout.once('data', resolve));
  assert.ok(processes(dir).length > 8);
  client.kill('SIGKILL');
  await until(() => processes(dir).length === 0, 'all programs have left', 8000);
});

test('a worker killed with a write on the wire: the write happened once, and the client is not told otherwise', async () => {
  const dir = place('kill-wire');
  const file = name => `${dir}/${name}`;
  const platform = await start('proofarc-platform', ['--listen', '127.0.0.1:0', '--database', `sqlite:${file('platform.db')}`, '--vault-key', file('vault.key'),
    '--token-key', file('token.key'), '--credentials', file('credentials')]);
  const direct = `http://${platform.endpoint.replace(/^http:\/\//, '')}`;
  const token = await login(direct, dir);
  let onWrite = null;
  const proxy = http.createServer((request, response) => {
    const upstream = http.request(direct + request.url, { method: request.method, headers: request.headers }, answer => {
      if (request.method === 'POST' && onWrite) {
        onWrite();  // the platform has done it; the worker dies before it hears of it
        onWrite = null;
        setTimeout(() => { response.writeHead(answer.statusCode, answer.headers); answer.pipe(response); }, 200);
        return;
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const client = place('kill-wire-client');
  const session = await Session.stdio(client, { args: ['--platform', `http://127.0.0.1:${proxy.address().port}`], env: { PROOFARC_TOKEN: token } });
  const rest = restOf(direct, token);
  try {
    await session.call('list_projects');
    for (const args of [{ name: 'with a key', idempotency_key: 'mine' }, { name: 'without one' }]) {
      await until(async () => !(await session.raw('get_project_setup_status', { project: 1 })).isError, 'the worker is there');
      await sleep(1500);  // a beat has said that the platform keeps keys
      onWrite = () => process.kill(find(client, ['proofarc-worker', ' setup ']).pid, 'SIGKILL');
      const result = await session.raw('create_project', args);
      const outcome = result.isError ? JSON.parse(result.content[0].text).error.outcome : 'ok';
      assert.ok(['ok', 'unknown'].includes(outcome), outcome);
      const { body } = await rest('GET', '/api/projects?limit=500');
      assert.equal(body.projects.filter(project => project.name === args.name).length, 1);
    }
  } finally {
    await session.close();
    proxy.close();
    proxy.closeAllConnections?.();
    await platform.stop();
  }
});
