// SPDX-License-Identifier: Apache-2.0
// The conversation of the resolver contract, with the official client over stdio and HTTP: three
// turns, pins in every order, and a pause longer than a snapshot stays fresh.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Session, lease, login, place, sleep, start, until } from './stack.mjs';

const smoke = name => `name: ${name}\nappTag: shop\ntags: [smoke]\nsteps:\n  - {name: up, method: GET, path: /api/health, expect: [200]}\n`;
const ask = { environment: 'Which environment do you want to run these tests in? Available: dev, staging, prod.',
  project: "Tag(s) ['smoke'] match tests across multiple projects: payments, auth. Which project do you want to run in?" };

let dir, session, ids, local;

async function populate() {
  const projects = {}, environments = {};
  for (const name of ['payments', 'auth', 'idle']) projects[name] = (await session.call('create_project', { name })).id;
  for (const name of ['dev', 'staging', 'prod'])
    environments[name] = (await session.call('create_environment', { name, auth_requirement: 'PUBLIC', project: 'payments' })).id;
  await session.call('create_environment', { name: 'elsewhere', auth_requirement: 'PUBLIC', project: 'idle' });
  await session.call('link_environment', { environment: 'staging', project: 'auth' });
  for (const environment of ['dev', 'staging', 'prod'])
    await session.call('add_target', { environment, name: 'shop', target_type: 'REST_SERVICE', base_url: local.platform, app_tag: 'shop' });
  const scenarios = {};
  for (const [project, name] of [['payments', 'Login flow'], ['payments', 'Cart'], ['auth', 'Login flow'], ['idle', 'Nothing']])
    scenarios[`${project}/${name}`] = (await session.call('create_scenario_from_yaml', { project, yaml_text: project === 'idle' ? smoke(name).replace('smoke', 'other') : smoke(name) })).id;
  return { projects, environments, scenarios };
}

const candidates = (map, ...names) => names.map(name => ({ id: map[name], name }));

// The three turns of the page; `go` is how a client calls.
async function threeTurns(go) {
  assert.deepEqual(await go({ tags: ['smoke'] }), {
    reason: 'missing_required', ask_user: ask.environment, candidates: candidates(ids.environments, 'dev', 'staging', 'prod'), scoped_by: {} });
  assert.deepEqual(await go({ tags: ['smoke'], environment: 'staging' }), {
    reason: 'ambiguous', ask_user: ask.project, candidates: candidates(ids.projects, 'payments', 'auth'), scoped_by: { environment: 'staging' } });
  const run = await go({ tags: ['smoke'], environment: 'staging', project: 'payments' });
  assert.deepEqual({ ...run, queued: run.queued.map(({ executionId, ...rest }) => ({ ...rest, executionId: typeof executionId })) }, {
    dry_run: false, tags: ['smoke'], environment: 'staging', project: 'payments',
    queued: [{ kind: 'api_scenario', id: ids.scenarios['payments/Login flow'], name: 'Login flow', status: 'QUEUED', executionId: 'string' },
      { kind: 'api_scenario', id: ids.scenarios['payments/Cart'], name: 'Cart', status: 'QUEUED', executionId: 'string' }],
    skipped: [] });
  return run;
}

before(async () => {
  dir = place('narrowing');
  session = await Session.stdio(dir);
  await session.call('list_projects');
  local = await lease(dir);
  ids = await populate();
});
after(async () => {
  local.close();
  await session.close();
});

describe('the three turns', () => {
  test('over stdio', () => threeTurns(args => session.call('run_by_tag', args)));

  test('over HTTP', async () => {
    const server = await start('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir]);
    const url = `http://${server.endpoint.replace(/^http:\/\//, '')}`;
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the transport is ready');
    const http = await Session.http(`${url}/mcp`, await login(local.platform, dir));
    await threeTurns(args => http.call('run_by_tag', args));
    await http.close();
    assert.equal(await server.stop(), 0);
  });

  test('with more than 60 s between them', async () => {
    await session.call('run_by_tag', { tags: ['smoke'] });
    await sleep(61000);
    await threeTurns(args => session.call('run_by_tag', args));
  });

  test('with the pins given in every order, as names, parts of names and ids', async () => {
    const { projects, environments } = ids;
    for (const pins of [{ project: 'payments' }, { project: projects.payments }, { project: 'pay' }, { project: String(projects.payments) }]) {
      const answer = await session.call('run_by_tag', { tags: ['smoke'], ...pins });
      assert.equal(answer.reason, 'missing_required');
      assert.deepEqual(answer.candidates, candidates(environments, 'dev', 'staging', 'prod'));
      assert.deepEqual(answer.scoped_by, { project: 'payments' });
    }
    const auth = await session.call('run_by_tag', { tags: ['smoke'], project: 'auth' });
    assert.deepEqual(auth.candidates, candidates(environments, 'staging'), 'only what is linked to the project');
    for (const pins of [{ environment: 'staging', project: 'auth' }, { project: 'auth', environment: environments.staging }, { project: projects.auth, environment: 'stag' }]) {
      const run = await session.call('run_by_tag', { tags: 'smoke', ...pins, dry_run: true });
      assert.deepEqual(run.would_queue.api_scenarios, [{ id: ids.scenarios['auth/Login flow'], name: 'Login flow' }]);
      assert.deepEqual([run.environment, run.project, run.dry_run], ['staging', 'auth', true]);
    }
    const single = await session.call('run_by_tag', { tags: ['smoke'], environment: 'dev', dry_run: true });
    assert.equal(single.project, 'payments', 'one project qualifies: it is not asked for');
  });
});

describe('names', () => {
  const narrowed = async (tool, args) => {
    const answer = await session.call(tool, args);
    assert.ok(answer.reason, JSON.stringify(answer));
    return answer;
  };

  test('the same scenario name in two projects asks for the project', async () => {
    const answer = await narrowed('get_scenario_yaml', { scenario: 'login flow' });
    assert.equal(answer.reason, 'ambiguous');
    assert.deepEqual(answer.candidates.map(c => c.project), ['payments', 'auth']);
    assert.match(answer.ask_user, /project/);
    const found = await session.call('get_scenario_yaml', { scenario: 'login flow', project: 'auth' });
    assert.equal(found.id, ids.scenarios['auth/Login flow']);
  });

  test('an unknown name offers all in scope, a missing one too', async () => {
    for (const project of ['bank', '%', '_', '.*', "'"]) {
      const answer = await narrowed('list_project_applications', { project });
      assert.equal(answer.reason, 'not_found', project);
      assert.deepEqual(answer.candidates, candidates(ids.projects, 'payments', 'auth', 'idle'));
    }
    for (const project of [null, '', '   ', 'null', undefined])
      assert.equal((await narrowed('list_project_applications', { project })).reason, 'missing_required', String(project));
  });

  test('an id that does not exist is not found, and nothing is run', async () => {
    const answer = await narrowed('execute_scenario', { scenario: 999999, environment: 'dev' });
    assert.deepEqual([answer.reason, answer.ask_user.includes('999999')], ['not_found', true]);
  });

  test('tags that no test carries offer those that exist', async () => {
    const everywhere = await narrowed('run_by_tag', { tags: ['nightly'] });
    assert.equal(everywhere.reason, 'not_found');
    assert.deepEqual(everywhere.candidates, [{ name: 'smoke', count: 3 }, { name: 'other', count: 1 }]);
    const pinned = await narrowed('run_by_tag', { tags: ['nightly'], environment: 'dev' });
    assert.deepEqual(pinned.candidates, [{ name: 'smoke', count: 2 }], 'only tests that can run there');
    assert.deepEqual(pinned.scoped_by, { environment: 'dev' });
  });

  test('what was just created is found by its name', async () => {
    await session.call('create_project', { name: 'brand new' });
    const answer = await session.call('get_project_setup_status', { project: 'brand new' });
    assert.equal(answer.project, 'brand new');
  });
});
