// SPDX-License-Identifier: Apache-2.0
// The tools that author a scenario from steps, run it alone or by tag, and tell how it went.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { sleep, stack, until } from './stack.mjs';
import { serve } from './stub.mjs';

let world, session, service, slow;
const call = (name, args, options) => session.call(name, args, options);
const isTime = text => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const author = (name, steps, more = {}) => call('create_api_scenario', { project: 'shop', name, steps, ...more });
const run = (scenario, more = {}) => call('execute_scenario', { scenario, environment: 'open', wait: true, ...more });

async function refused(tool, args, code, sentence) {
  const error = await session.refuse(tool, args);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  assert.equal(error.outcome, 'failed');
}

const users = { 'ann:pass-5e7f': 'token-ann', 'bob:pass-91ab': 'token-bob' };
const routes = {
  'GET /ok': { body: { id: 7, name: 'Ann' } },
  'GET /bad': { status: 500, body: 'it broke' },
  'GET /odd': { headers: { 'content-type': 'text/plain; charset=no-such' }, body: 'x' },
  'GET /slow': async () => { await sleep(70000); return { body: {} }; },
  'GET /soon': async () => { await sleep(1500); return { body: {} }; },
  'POST /login': ({ body }) => {
    const { username, password } = JSON.parse(body);
    const token = users[`${username}:${password}`];
    return token ? { body: { token } } : { status: 401, body: {} };
  },
  'GET /me': ({ headers }) => Object.values(users).includes(headers.authorization?.replace('Bearer ', '')) ? { body: { me: headers.authorization } } : { status: 401, body: {} },
};

before(async () => {
  service = await serve(routes);
  world = await stack('tools-runs');
  session = world.session;
  await call('create_project', { name: 'shop' });
  for (const [name, auth_requirement, base_url] of [['open', 'PUBLIC', service.url], ['dead', 'PUBLIC', 'http://127.0.0.1:1'], ['closed', 'AUTHENTICATED', service.url]]) {
    await call('create_environment', { name, auth_requirement, project: 'shop' });
    await call('add_target', { environment: name, name: 'api', target_type: 'REST_SERVICE', base_url, app_tag: 'shop' });
  }
  await call('create_environment', { name: 'empty', auth_requirement: 'PUBLIC', project: 'shop' });
  await author('Slow', [{ method: 'GET', path: '/slow', timeout: '2m' }]);
  slow = run('Slow', { summarize: true });  // 50 seconds: meanwhile the others
});
after(async () => {
  await world?.close();
  await service?.close();
});

describe('create_api_scenario', () => {
  test('stores steps and says what looks odd', async () => {
    const made = await author('Odd', [{ method: 'GET', path: '/users/{{nobody}}' }], { environment: 'open', description: 'Asks for nobody.', app_tag: 'shop', tags: ['Odd'], credential_tag: 'ann' });
    assert.deepEqual({ ...made, id: 0, warnings: [] }, { id: 0, name: 'Odd', description: 'Asks for nobody.', projectId: 1, project: 'shop', appTag: 'shop', credentialTag: 'ann',
      tags: ['Odd'], stepCount: 1, version: 1, warnings: [] });
    assert.deepEqual(made.warnings.map(w => w.key), ['steps[0].path']);
    assert.match(made.warnings[0].message, /\{\{nobody\}\}/);
    assert.equal((await author('By config', [{ method: 'GET', path: '/ok' }], { auth_config: { authType: 'BEARER', credentialTag: 'bob' } })).credentialTag, 'bob');
  });

  test('refuses a taken name and steps that are none, with the place', async () => {
    await refused('create_api_scenario', { project: 'shop', name: 'odd', steps: [{ method: 'GET', path: '/' }] }, 'SCENARIO_EXISTS', /odd.*choose another name/);
    await refused('create_api_scenario', { project: 'shop', name: 'x', steps: [] }, 'BAD_MEMBER', /steps needs at least 1/);
    await refused('create_api_scenario', { project: 'shop', name: 'x', steps: [{ method: 'GET' }] }, 'bad_args', /steps\[0\].*path/);
    const error = await session.refuse('create_api_scenario', { project: 'shop', name: 'x', steps: [{ method: 'GET', path: '/' }, { method: 'FETCH', path: '/' }] });
    assert.equal(error.code, 'INVALID_SCENARIO');
    assert.equal(error.errors[0].key, 'steps[1].method');
    assert.ok(error.errors[0].allowed.includes('GET'));
  });
});

describe('execute_scenario', () => {
  test('runs, waits, and sums up', async () => {
    await author('Fine', [{ method: 'GET', path: '/ok', extract: { id: '$.id' }, assert: [{ path: '$.name', equals: '{{who}}' }] }, { method: 'GET', path: '/odd' }]);
    const ended = await run('Fine', { summarize: true, tags: ['nightly', 'req:1'], variables: { who: 'Ann' } });
    const { durationMs, summary, executionId, reportFile, ...rest } = ended;
    assert.ok(durationMs >= 0 && executionId === String(rest.id));
    assert.deepEqual(rest, { id: rest.id, scenarioId: rest.scenarioId, scenario: 'Fine', environmentId: 1, environment: 'open', projectId: 1, project: 'shop', status: 'COMPLETED',
      outcome: 'PASSED', totalSteps: 2, passedSteps: 2, failedSteps: 0, successRate: 100, tags: ['nightly', 'req:1'],
      reportUrl: `/api/scenarios/executions/${executionId}/report` });
    assert.match(fs.readFileSync(reportFile, 'utf8'), /^<!doctype html>[\s\S]*Fine/i);
    assert.equal(fs.statSync(reportFile).mode & 0o777, 0o600);
    assert.match(summary, /COMPLETED[\s\S]*2\/2 passed[\s\S]*✓ GET \/ok/);
    assert.match((await run('Fine', { variables: { who: 'Bob' }, summarize: true })).summary, /✗[\s\S]*"Ann"/);
  });

  test('ends at the first failed step unless it is told not to', async () => {
    await author('Two fail', [{ method: 'GET', path: '/bad' }, { method: 'GET', path: '/bad' }, { method: 'GET', path: '/ok' }]);
    const one = await run('Two fail'), all = await run('Two fail', { stop_on_failure: false });
    assert.deepEqual([one.status, one.outcome, one.passedSteps, one.failedSteps], ['FAILED', 'FAILED', 0, 1]);
    assert.deepEqual([all.status, all.passedSteps, all.failedSteps], ['FAILED', 1, 2]);
  });

  test('what cannot be carried out is an error with its reason', async () => {
    const ended = await run('Two fail', { environment: 'dead' });
    assert.deepEqual([ended.status, ended.outcome], ['ERROR', 'ERROR']);
    assert.match(ended.errorMessage, /nobody listens at http:\/\/127\.0\.0\.1:1\/bad/);
  });

  test('a dry run only settles the names', async () => {
    const before = service.requests.length;
    const told = await call('execute_scenario', { scenario: 'fin', environment: 1, dry_run: true });
    assert.deepEqual({ ...told, scenarioId: 0 }, { dry_run: true, scenarioId: 0, scenario: 'Fine', environmentId: 1, environment: 'open', project: 'shop',
      note: 'Nothing was run. Call again without dry_run to run it.' });
    assert.equal(service.requests.length, before);
  });

  test('refuses before anything is run', async () => {
    await refused('execute_scenario', { scenario: 'Fine', environment: 'empty' }, 'TARGET_NOT_FOUND', /"empty" has no target/);
    await refused('execute_scenario', { scenario: 'Fine', environment: 'open', summarize: true }, 'bad_args', /wait=true/);
    await refused('execute_scenario', { scenario: 'Fine', environment: 'open', variables: ['a'] }, 'bad_args', /variables/);
    const asked = await call('execute_scenario', { scenario: 'nothing such', environment: 'open' });
    assert.deepEqual([asked.reason, asked.scoped_by], ['not_found', { environment: 'open' }]);
  });

  test('the log-in is that of the run, of the scenario, or the default, never another one', async () => {
    await author('Who', [{ method: 'GET', path: '/me' }], { app_tag: 'shop' });
    await call('set_environment_auth_endpoint', { environment: 'closed', login_endpoint: '/login' });
    for (const pair of Object.keys(users)) {
      const [username, password] = pair.split(':');
      await call('add_environment_credential', { environment: 'closed', tag: username, username, password });
    }
    const there = { scenario: 'Who', environment: 'closed', wait: true };
    await refused('execute_scenario', there, 'CREDENTIAL_AMBIGUOUS', /ann, bob/);
    await refused('execute_scenario', { ...there, credential_tag: 'eve' }, 'CREDENTIAL_TAG_NOT_FOUND', /"eve"/);
    const ended = await call('execute_scenario', { ...there, credential_tag: 'bob' });
    assert.deepEqual([ended.status, ended.credentialTag], ['COMPLETED', 'bob']);
    const open = await call('execute_scenario', { ...there, allow_unauthenticated: true });
    assert.deepEqual([open.status, open.credentialTag], ['FAILED', undefined]);
    await call('set_environment_credential_active', { environment: 'closed', tag: 'ann', active: false });
    await refused('execute_scenario', { ...there, credential_tag: 'ann' }, 'CREDENTIAL_TAG_NOT_FOUND', /DEACTIVATED/);
    assert.equal((await call('execute_scenario', there)).credentialTag, 'bob', 'the only one that is left');
    await call('set_environment_credential_active', { environment: 'closed', tag: 'ann', active: true });
  });
});

describe('run_by_tag', () => {
  before(async () => {
    for (const name of ['First', 'Second']) await author(name, [{ method: 'GET', path: '/ok' }], { tags: ['smoke'] });
    await author('No log-in', [{ method: 'GET', path: '/ok' }], { tags: ['smoke'], credential_tag: 'eve' });
    assert.equal((await world.rest('POST', '/api/ui-tests', { name: 'Page', projectId: 1, tags: ['smoke', 'page'] })).status, 201);
  });
  const smoke = { tags: ['smoke'], environment: 'open', project: 'shop' };

  test('queues what carries a tag and says why it skips the rest', async () => {
    const started = await call('run_by_tag', { ...smoke, max_parallel: 1 });
    assert.deepEqual([started.dry_run, started.tags, started.environment, started.project], [false, ['smoke'], 'open', 'shop']);
    assert.deepEqual(started.queued.map(q => [q.kind, q.name, q.status]), [['api_scenario', 'First', 'QUEUED'], ['api_scenario', 'Second', 'QUEUED']]);
    assert.deepEqual(started.skipped.map(s => [s.kind, s.name]), [['api_scenario', 'No log-in'], ['ui_test', 'Page']]);
    assert.match(started.skipped[0].reason, /"eve"/);
    assert.ok(started.skipped.every(s => s.id > 0 && s.reason));
    for (const { executionId, id } of started.queued) {
      const ended = await session.ended(executionId);
      assert.deepEqual([ended.status, ended.scenarioId], ['COMPLETED', id]);
    }
  });

  test('a dry run shows what would run', async () => {
    const shown = await call('run_by_tag', { ...smoke, dry_run: true });
    assert.deepEqual(shown.would_queue.api_scenarios.map(s => s.name), ['First', 'Second']);
    assert.ok(shown.would_queue.api_scenarios.every(s => s.id > 0));
    assert.deepEqual([shown.would_queue.ui_tests, shown.dry_run], [[], true]);
    assert.match(shown.note, /^Nothing was queued/);
  });

  test('kinds, the letters of a tag and the log-in are heard', async () => {
    assert.deepEqual((await call('run_by_tag', { ...smoke, kinds: ['ui'] })).skipped.map(s => s.name), ['Page']);
    assert.equal((await call('run_by_tag', { ...smoke, tags: 'SMOKE', kinds: ['api'], dry_run: true })).would_queue.api_scenarios.length, 2);
    const closed = await call('run_by_tag', { ...smoke, environment: 'closed', credential_tag: 'ann', kinds: 'api_scenario' });
    assert.equal(closed.queued.length, 3);
    for (const { executionId } of closed.queued) assert.equal((await session.ended(executionId)).credentialTag, 'ann');
    await refused('run_by_tag', { ...smoke, kinds: ['mobile'] }, 'bad_args', /kinds.*api_scenario.*mobile/);
    await refused('run_by_tag', { ...smoke, max_parallel: 101 }, 'bad_args', /max_parallel.*100/);
  });

  test('nothing is run for a tag that nothing carries', async () => {
    const asked = await call('run_by_tag', { ...smoke, tags: ['smoked'] });
    assert.deepEqual([asked.reason, asked.candidates[0]], ['not_found', { name: 'smoke', count: 4 }]);
    assert.equal(asked.queued, undefined);
  });
});

describe('get_execution_status and summarize_execution', () => {
  test('tell every step, and what was wrong with it', async () => {
    await author('Long', [{ name: 'who', method: 'GET', path: '/ok', extract: { id: '$.id' }, assert: [{ path: '$.id', equals: 8 }] }, { method: 'GET', path: '/odd' },
      { method: 'GET', path: '/bad' }, { method: 'GET', path: '/{{id}}', always: true }]);
    const { id } = await run('Long', { stop_on_failure: false, environment: 'closed', credential_tag: 'ann', tags: ['t'] });
    const told = await call('get_execution_status', { execution_id: id });
    for (const key of ['createdAt', 'startedAt', 'endedAt']) isTime(told[key]);
    assert.deepEqual([told.executionId, told.kind, told.status, told.outcome, told.scenario, told.environment, told.project], [String(id), 'api_scenario', 'FAILED', 'FAILED', 'Long', 'closed', 'shop']);
    assert.deepEqual([told.totalSteps, told.passedSteps, told.failedSteps, told.successRate, told.credentialTag, told.tags], [4, 1, 3, 25, 'ann', ['t']]);
    assert.ok(told.scenarioId > 0 && told.durationMs >= 0 && told.reportUrl.endsWith(`/${id}/report`));
    const [who, odd, bad, last] = told.steps;
    assert.deepEqual([who.index, who.name, who.status, who.method, who.url, who.statusCode], [1, 'who', 'FAILED', 'GET', `${service.url}/ok`, 200]);
    assert.deepEqual(who.checks.map(c => [c.check, c.passed, c.expected, c.actual]), [['status', true, '2xx', '200'], ['$.id equals', false, '8', '7']]);
    assert.match(who.checks[1].message, /equals 8.*7/);
    assert.match(who.responseBody, /"name":"Ann"/);
    assert.deepEqual([odd.status, odd.extracted], ['PASSED', {}]);
    assert.match(odd.warnings[0], /no-such/);
    assert.deepEqual([bad.status, bad.responseBody], ['FAILED', 'it broke']);
    assert.match(last.url, /\/(7|%7B%7Bid%7D%7D)$/);
    const { summary, ...head } = await call('summarize_execution', { execution_id: String(id), kind: 'api_scenario' });
    assert.deepEqual(head, { executionId: String(id), status: 'FAILED', outcome: 'FAILED' });
    assert.match(summary, /1\/4 passed[\s\S]*✗ who[\s\S]*✓ GET \/odd[\s\S]*✗ GET \/bad · 500/);
  });

  test('a step that could not be carried out says why', async () => {
    const { executionId } = await run('Two fail', { environment: 'dead' });
    const told = await call('get_execution_status', { execution_id: executionId });
    assert.match(told.errorMessage, /nobody listens/);
    assert.match(told.steps[0].errorMessage, /nobody listens/);
    assert.deepEqual(told.steps.map(s => s.status), ['ERROR', 'SKIPPED', 'SKIPPED']);
  });

  test('a run that is open has no outcome yet', async () => {
    await author('Soon', [{ method: 'GET', path: '/soon' }]);
    const queued = await call('execute_scenario', { scenario: 'Soon', environment: 'open' });
    assert.deepEqual([queued.status, queued.outcome], ['QUEUED', undefined]);
    const told = await call('get_execution_status', { execution_id: queued.executionId });
    assert.ok(['QUEUED', 'RUNNING'].includes(told.status) && told.outcome === undefined, told.status);
    assert.match((await call('summarize_execution', { execution_id: queued.id })).summary, /QUEUED|RUNNING/);
    assert.equal((await session.ended(queued.executionId)).outcome, 'PASSED');
  });

  test('an import is a job', async () => {
    const import_of = url => world.rest('POST', '/api/specs/import', { projectId: 1, environmentId: 1, url, pathGlobs: ['GET /api/health'] });
    const ended = async url => {
      const { body: { jobId } } = await import_of(url);
      const job = { execution_id: jobId, kind: 'import_job' };
      const told = await until(async () => {
        const status = await call('get_execution_status', job);
        return !['QUEUED', 'RUNNING'].includes(status.status) && status;
      }, 'the import ends');
      return { told, summary: await call('summarize_execution', job), jobId };
    };
    const good = await ended(`${world.platform}/api/openapi.json`);
    assert.deepEqual([good.told.executionId, good.told.kind, good.told.status], [good.jobId, 'import_job', 'COMPLETED']);
    assert.deepEqual([good.told.result.created[0].name, good.told.result.total], ['GET /api/health', 1]);
    assert.deepEqual(Object.keys(good.told.progress), ['done', 'total', 'text']);
    assert.deepEqual(good.summary, { executionId: good.jobId, status: 'COMPLETED', summary: `Job ${good.jobId} · COMPLETED` });
    const bad = await ended(`${service.url}/ok`);
    assert.equal(bad.told.status, 'ERROR');
    assert.match(bad.told.errorMessage, /openapi/i);
    assert.match(bad.summary.summary, /ERROR\n.*openapi/i);
  });

  test('refuse what is no id, and one that there is not', async () => {
    for (const tool of ['get_execution_status', 'summarize_execution']) {
      for (const execution_id of ['server-name', '0', '-1', '1; DROP TABLE executions', '../users', '٣'])
        await refused(tool, { execution_id }, 'bad_args', /execution_id: expected the executionId/);
      await refused(tool, { execution_id: '999999' }, 'NOT_FOUND', /999999/);
      await refused(tool, { execution_id: 'no/job', kind: 'import_job' }, 'bad_args', /execution_id/);
      await refused(tool, { execution_id: '4761db31-fcdb-4ed6-a8be-c68f2e0d63f9', kind: 'import_job' }, 'NOT_FOUND', /job/);
      await refused(tool, { execution_id: '1', kind: 'ui_job' }, 'bad_args', /run of an API scenario; leave kind out/);
      await refused(tool, { execution_id: '1', kind: 'pipeline' }, 'bad_args', /kind.*import_job.*pipeline/);
    }
  });

  test('a run is a resource, too', async () => {
    const { executionId } = await run('Fine', { variables: { who: 'Ann' } });
    const { contents } = await session.client.readResource({ uri: `proofarc://execution/${executionId}` });
    const record = JSON.parse(contents[0].text);
    assert.equal(contents[0].mimeType, 'application/json');
    assert.deepEqual([record.status, record.steps[0].request.method, record.steps[0].response.status], ['COMPLETED', 'GET', 200]);
    for (const [uri, code] of [['proofarc://execution/999999', -32002], ['proofarc://nothing/1', -32002], ['proofarc://execution/x', -32602]])
      await assert.rejects(session.client.readResource({ uri }), error => (assert.equal(error.code, code, `${uri}: ${error.message}`), true));
  });
});

// What build servers do: start, ask while it is open, and believe COMPLETED alone.
test('a script that polls the platform is told the truth', async () => {
  const outcome = async (scenario, environmentId) => {
    const { id } = (await call('get_scenario_yaml', { scenario }));
    const started = await world.rest('POST', `/api/scenarios/${id}/execute`, { environmentId, tags: ['ci'] });
    assert.deepEqual([started.status, started.body.status, started.body.scenarioId], [202, 'PENDING', id]);
    return until(async () => {
      const { body } = await world.rest('GET', `/api/scenarios/executions/${started.body.id}`);
      return !['PENDING', 'RUNNING'].includes(body.status) && [body.status, body.outcome];
    }, 'the run ends');
  };
  await author('Good', [{ method: 'GET', path: '/ok' }]);
  assert.deepEqual(await outcome('Good', 1), ['COMPLETED', 'PASSED']);
  assert.deepEqual(await outcome('Two fail', 1), ['FAILED', 'FAILED']);
  assert.deepEqual(await outcome('Two fail', 2), ['ERROR', 'ERROR']);
});

test('a run that takes longer than the caller waits goes on', async () => {
  const told = await slow;
  assert.deepEqual([told.status, told.timedOut, told.outcome, told.summary], ['RUNNING', true, undefined, undefined]);
  assert.equal((await call('get_execution_status', { execution_id: told.executionId })).status, 'RUNNING');
});
