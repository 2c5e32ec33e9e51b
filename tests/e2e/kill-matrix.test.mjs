// SPDX-License-Identifier: Apache-2.0
// Every kind of process is killed with -9, and stopped for ten seconds, while calls are idle,
// queued, dispatched, started, answering. What the client was told is compared with what the
// platform did, and with the table of docs/reliability.md. PROOFARC_WRITE_TABLE=1 adds what is
// seen to that table.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import { after, before, describe, test } from 'node:test';
import { CallStack, RunStack } from './matrix.mjs';
import { worse, writeTable } from './matrix-table.mjs';
import { sleep, until } from './stack.mjs';

const STOPPED_MS = 10000;
const HELD_MS = 300;       // a broken process leaves requests unanswered for so long
const SERVED_MS = 2000;    // new calls, after the process is gone or goes on
const SETTLED_MS = 4000;   // calls in hand
const LEASE_MS = 15000;    // a run whose agent is lost is given out again after that, and a sweep
const states = ['idle', 'queued', 'dispatched', 'started', 'answering'];
const targets = ['transport', 'broker', 'worker', 'resolver', 'platform', 'agent', 'launcher'];
const results = [];

// Brings calls into that state; gives the promises of those that are looked at.
async function arrange(stack, state) {
  const { gate } = stack;
  if (state === 'idle') return [];
  gate.close(state === 'queued' || state === 'dispatched' ? 'before' : 'after');
  const others = state === 'queued' ? Array.from({ length: stack.slots }, () => stack.read()) : [];
  await until(() => gate.held >= others.length, 'the slots are filled');
  const calls = stack.three();
  if (state === 'queued') await stack.queued();
  else await until(() => gate.held >= calls.length, `calls are ${state}`).catch(async error => {
    gate.open();
    throw new Error(`${error.message}: ${JSON.stringify(await Promise.all(calls))}`);
  });
  return [...calls, ...others];
}

// Sends the signal in that state. Answers are on their way when the first has left.
async function strike(stack, state, signal) {
  const calls = await arrange(stack, state);
  const pid = stack.pid();
  if (state === 'answering') {
    stack.gate.open();
    await stack.gate.first;
  }
  process.kill(pid, signal);
  return { pid, calls: state === 'idle' ? stack.three() : calls };
}

// Until a read is answered, by another client if the first is gone.
async function served(stack) {
  await until(async () => {
    if (!stack.session.transport.pid) await stack.connect().catch(() => {});
    return (await stack.read().catch(() => ({}))).told === 'ok';
  }, `calls are served after the ${stack.target}`, 30000);
  return Date.now();
}

// Compares, and asserts the times: what a processor was waited for is not the product's.
async function judge(stack, how, state, calls, since, waits) {
  const back = await served(stack);
  const slack = Math.round(stack.waitedSince(waits));
  const told = (await Promise.all(calls)).slice(0, 3);
  await stack.quiet();
  const times = await stack.counts();
  const settled = Math.max(...told.map(({ at }) => at)) - since;
  const cell = (call, i) => (i || stack instanceof RunStack ? `${call.told}/${times(call.name)}` : call.told);
  const seconds = ms => (Math.max(0, ms) / 1000).toFixed(1);
  results.push([stack.target, how, state, ...told.map(cell), seconds(back - since), settled > 0 ? seconds(settled) : 'before']);
  told.filter(({ name }) => name).forEach(call => stack.check(call, times(call.name)));
  const where = `${stack.target} ${how} ${state}`;
  const limit = SETTLED_MS + (stack instanceof RunStack && how === '-9' ? LEASE_MS : 0);
  assert.ok(back - since < SERVED_MS + slack, `${where}: calls were served after ${back - since} ms, ${slack} of them without a processor`);
  assert.ok(settled < limit + slack, `${where}: calls in hand were settled after ${settled} ms`);
}

// The connections of a process are closed when the last of its threads has ended.
function isGone(pid) {
  try { return fs.readdirSync(`/proc/${pid}/task`).length < 2 && / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')); } catch { return true; }
}

async function kill(stack, state) {
  const waits = stack.waits();
  const { pid, calls } = await strike(stack, state, 'SIGKILL');
  await until(() => isGone(pid), `${stack.target} is gone`);
  const since = Date.now();
  const opened = sleep(HELD_MS).then(() => stack.gate.open());
  await judge(stack, '-9', state, calls, since, waits);
  await opened;
}

async function stop(stack, state) {
  const { pid, calls } = await strike(stack, state, 'SIGSTOP');
  await sleep(HELD_MS);
  stack.gate.open();
  await sleep(STOPPED_MS - HELD_MS);
  const waits = stack.waits();
  process.kill(pid, 'SIGCONT');
  await judge(stack, '-STOP', state, calls, Date.now(), waits);
}

describe('kill matrix', () => {
  const stacks = targets.filter(target => target !== 'agent').map(target => new CallStack(target));
  const runs = [new RunStack('agent'), new RunStack('agent')];
  const open = Math.max(2, 2 * os.availableParallelism());
  before(async () => {
    const waiting = [...stacks, ...runs];
    await Promise.all(Array.from({ length: open }, async () => { while (waiting.length) await waiting.shift().open(); }));
  });
  after(() => Promise.all([...stacks, ...runs].map(stack => stack.close())));

  for (const stack of stacks)
    for (const state of states)
      test(`${stack.target} -9, calls ${state}`, () => kill(stack, state));

  // All of it is waiting: that goes side by side.
  describe('stopped for ten seconds, or without an agent', { concurrency: stacks.length + runs.length }, () => {
    for (const stack of stacks)
      test(`${stack.target} -STOP`, async () => { for (const state of states) await stop(stack, state); });
    test('agent -9', async () => { for (const state of states) await kill(runs[0], state); });
    test('agent -STOP', async () => { for (const state of states) await stop(runs[1], state); });
  });

  test('what was told still holds in the end', async () => {
    for (const stack of [...stacks, ...runs]) {
      const times = await stack.counts();
      stack.told.forEach(call => stack.check(call, times(call.name)));
    }
  });

  test('nobody is told less than docs/reliability.md says', () => {
    assert.equal(results.length, targets.length * 2 * states.length);
    const order = ([target, how, state]) => targets.indexOf(target) * 100 + (how === '-9' ? 0 : 50) + states.indexOf(state);
    const rows = results.sort((a, b) => order(a) - order(b));
    if (process.env.PROOFARC_WRITE_TABLE) writeTable('kill matrix', rows);
    assert.deepEqual(worse('kill matrix', rows), []);
  });
});
