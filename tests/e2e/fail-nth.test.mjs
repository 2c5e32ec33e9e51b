// SPDX-License-Identifier: Apache-2.0
// The Nth allocation, read, write, connect, open or fsync of a program fails, for N = 1, 2, 3 …
// until none is reached. Every call is answered in time, nothing is written twice or told wrongly,
// no program crashes or leaks, and the next call works.
//
// A usual run takes some of the N. PROOFARC_FULL=1 takes all of them, which needs about ten minutes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Programs, isLibraryThere, kinds, programs } from './fail-nth.mjs';
import { until } from './stack.mjs';

const ANSWER_MS = 10000;  // far below the time of a call: who waits for that is forgotten
const CALL_MS = 45000;    // but what a connection loses that is back at once is missed no sooner
const limit = kind => (['read', 'write'].includes(kind) ? CALL_MS + ANSWER_MS : ANSWER_MS);
const isFull = process.env.PROOFARC_FULL === '1';
// In a usual run there are fewer the further they are.
const next = n => (isFull ? n + 1 : n + 1 + Math.floor(n / 4));

// What is asked while something is to fail. A run of which the agent dies is made again later, when
// its lease is over: that it ends is looked at in the end.
async function conversation(world, name) {
  const started = Date.now();
  const told = [await world.read()];
  const write = await world.write();
  told.push(write.told);
  if (name === 'platform') told.push(await world.queue());
  if (name === 'agent') {
    const id = await world.queue();
    await until(async () => world.isReached(name) || await world.hasEnded(id), 'the agent is at it or done');
  }
  return { told, write, took: Date.now() - started };
}

async function fail(world, name, kind, nth) {
  const where = `${name}, ${kind} ${nth}`;
  world.arm(name, kind, nth);
  const { told, write, took } = await conversation(world, name).catch(error => { throw new Error(`${where}: ${error.message}\n${world.runs[name].log.slice(-2000)}`); });
  const isReached = world.isReached(name);
  world.arm(name, kind, 0);
  await until(async () => await world.read() === 'ok', `${where}: the next call works`);
  if (name === 'agent') await until(async () => await world.hasEnded(await world.queue()), `${where}: the next run ends`, 30000);
  const times = await world.times(write.name);
  assert.equal(world.takeCrash(), undefined, where);
  assert.ok(took < limit(kind), `${where}: ${told} after ${took} ms`);
  if (write.told === 'ok') assert.equal(times, 1, `${where}: the write was told ok`);
  else if (['failed', 'not_sent'].includes(write.told)) assert.equal(times, 0, `${where}: the write was told ${write.told}`);
  else assert.ok(times <= 1, `${where}: the write happened ${times} times`);
  return isReached;
}

for (const name of programs)
  test(`${name}: whatever fails costs what it is about, and nothing else`, { skip: !isLibraryThere && 'it was built without tests' }, async () => {
    const world = new Programs();
    try {
      await world.open();
      for (const kind of Object.keys(kinds)) {
        world.isPatient = isFull || !['read', 'write'].includes(kind);
        let nth = 1;
        while (await fail(world, name, kind, nth)) nth = next(nth);
        await until(() => world.allEnded(), 'all runs have ended', 60000);
        assert.ok(nth > 1 || !['memory', 'read', 'write'].includes(kind), `${name} has no ${kind} that could fail`);
      }
    } finally {
      await world.close();
    }
    assert.equal(world.leak(), undefined);
  });

// Of each noun, and what is made of several queries.
const routes = ['/api/info', '/api/auth/whoami', '/api/users', '/api/projects', '/api/projects/1', '/api/projects/1/applications', '/api/projects/1/setup-status',
  '/api/applications', '/api/environments', '/api/environments/1', '/api/environments/1/credentials', '/api/targets', '/api/targets/1', '/api/scenarios', '/api/scenarios/1', '/api/scenarios/1/yaml',
  '/api/scenarios/executions', '/api/scenarios/executions/1', '/api/scenarios/executions/1/report', '/api/scenarios/executions/1/summary', '/api/reports?executions=1', '/api/tags', '/api/ui-tests',
  '/api/pipelines', '/api/jobs/1', '/api/projects?view=names', '/api/environments?view=names', '/api/scenarios?view=names'];
const writes = [
  number => ['POST', '/api/projects', { name: `p${number}` }],
  number => ['POST', '/api/applications', { name: `a${number}`, projectId: 1 }],
  number => ['POST', '/api/environments', { name: `e${number}`, authRequirement: 'PUBLIC', projectId: 1 }],
  number => ['POST', '/api/environments/1/targets', { name: `t${number}`, targetType: 'REST_SERVICE', baseUrl: `http://127.0.0.1:9/${number}` }],
  number => ['POST', '/api/environments/1/credentials', { tag: `c${number}`, token: 'a secret' }],
  number => ['POST', '/api/scenarios', { name: `s${number}`, projectId: 1, steps: [{ method: 'GET', path: '/ok' }] }],
  number => ['POST', '/api/users', { username: `u${number}`, password: 'long enough 1', role: 'VIEWER' }],
  () => ['POST', '/api/scenarios/1/execute', { environmentId: 1 }],
];

test('platform: every route tells a database that fails', { skip: !isLibraryThere && 'it was built without tests' }, async () => {
  const world = new Programs();
  let number = 0, refused = 0;
  const failing = async (kind, request) => {
    for (let nth = 1, isReached = true; isReached; nth++) {
      await until(async () => (await world.rest('POST', '/api/projects', { name: `before ${++number}` })).status === 201, 'a write');  // empties the caches of the others
      const [method, route, body] = request(++number);
      world.arm('platform', kind, nth);
      const answer = await world.rest(method, route, body).catch(error => ({ status: error.message }));
      isReached = world.isReached('platform');
      world.arm('platform', kind, 0);
      const where = `${method} ${route}, ${kind} ${nth}`;
      assert.equal(world.takeCrash(), undefined, where);
      assert.ok(answer.status < 500 || answer.status === 503 || answer.status === 'fetch failed', `${where}: ${answer.status} ${answer.text}`);
      if (answer.status === 503) assert.ok(++refused && answer.body.error.message.length > 20, where);
    }
  };
  try {
    await world.open();
    const id = await world.queue();
    await until(() => world.hasEnded(id), 'a run ends');
    for (const route of routes) await failing('read', () => ['GET', route]);
    for (const write of writes) for (const kind of ['read', 'write', 'open', 'sync']) await failing(kind, write);
    assert.ok(refused > 20, `${refused} requests were refused`);
  } finally {
    await world.close();
  }
  assert.equal(world.leak(), undefined);
});
