// SPDX-License-Identifier: Apache-2.0
// Callers who read and write without a pause, each with one call in hand at a time, and what they
// were told.
import assert from 'node:assert/strict';
import { until } from '../e2e/stack.mjs';

let serial = 0;

// By turns; `plain` and `run` carry no key of the client's. What reads or runs asks for names. No
// two writes are equal: after an unknown outcome an equal one would be taken for a repetition.
const turns = ['read', 'keyed', 'read', 'plain', 'read', 'run'];
const kinds = {
  read: () => ['get_project_setup_status', { project: 'shop' }],
  keyed: name => ['create_project', { name, idempotency_key: name.replace(' ', '-') }],
  plain: name => ['create_project', { name }],
  run: name => ['execute_scenario', { scenario: 'Smoke', environment: 'staging', variables: { name } }],
};

async function ask(caller, kind) {
  const call = { caller, kind, name: `written ${++serial}`, began: Date.now() };
  const result = await caller.session.raw(...kinds[kind](call.name));
  const error = result.isError ? JSON.parse(result.content[0].text).error : null;
  return { ...call, ended: Date.now(), told: error ? error.outcome : 'ok', error };
}

// Begins at once; `callers` are {session, …}.
export function startLoad(callers) {
  const calls = [];
  let isOver = false;
  const loops = callers.map(async (caller, index) => {
    for (let turn = index; !isOver; turn++) calls.push(await ask(caller, turns[turn % turns.length]));
  });
  return {
    calls,
    // Until each of them has been told "ok" so many times more.
    goesOn: (times, those = callers) => {
      const since = Date.now();
      return until(() => those.every(caller => calls.filter(call => call.caller === caller && call.told === 'ok' && call.began > since).length >= times),
        `everybody is served ${times} times`, 30000);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
      return calls;
    },
  };
}

// All projects that there are, by name.
async function countByName(rest) {
  const counts = new Map();
  for (let cursor = ''; cursor !== null;) {
    const { body } = await rest('GET', `/api/projects?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    body.projects.forEach(({ name }) => counts.set(name, (counts.get(name) ?? 0) + 1));
    cursor = body.nextCursor ?? null;
  }
  return counts;
}

// Makes a run, and tells its number: they count up without a gap.
export async function countRuns(rest) {
  const { status, body } = await rest('POST', '/api/scenarios/1/execute', { environmentId: 1 });
  assert.equal(status, 202, JSON.stringify(body));
  return Number(body.id);
}

function compareProject({ name, told, error }, times) {
  if (told === 'ok') assert.equal(times, 1, `${name} is told to be there`);
  else if (told === 'unknown') assert.ok(times <= 1, `${name} stands there ${times} times`);
  else assert.equal(times, 0, `${name} is told to be ${told}: ${error.message}`);
}

// What was told is what the platform has: nothing lost, nothing done twice. `runs` is how many it
// has made meanwhile.
export async function compare(calls, runs, rest) {
  const counts = await countByName(rest);
  const number = (kind, outcome) => calls.filter(({ kind: other, told }) => other === kind && told === outcome).length;
  for (const call of calls) {
    if (call.kind === 'read') assert.ok(['ok', 'failed', 'not_sent'].includes(call.told), `a read is told to be ${call.told}`);
    else if (call.kind !== 'run') compareProject(call, counts.get(call.name) ?? 0);
  }
  const made = number('run', 'ok'), perhaps = number('run', 'unknown');
  assert.ok(runs >= made && runs <= made + perhaps, `${made} runs are told to be made, ${perhaps} perhaps, and there are ${runs}`);
}
