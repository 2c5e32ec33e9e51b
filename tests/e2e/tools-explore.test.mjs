// SPDX-License-Identifier: Apache-2.0
// The tools that look around: projects, applications, environments, tests, tags, and who asks.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Session, place, stack } from './stack.mjs';

let world, session;
const call = (name, args) => session.call(name, args);
const isTime = text => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const names = things => things.map(thing => thing.name);

async function post(path, body) {
  const answer = await world.rest('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

// UI tests, suites and pipelines have no tools that make them yet.
async function populate() {
  for (const name of ['shop', 'bank']) await call('create_project', { name, description: `The ${name}.` });
  await call('create_application', { project: 'shop', name: 'Shop API', app_tag: 'shop-api', application_interfaces: ['REST'], auth_requirement: 'PUBLIC',
    git_url: 'https://gitlab.com/shop/api', swagger_path: '/openapi.json' });
  await post('/api/environments', { name: 'staging', authRequirement: 'AUTHENTICATED', projectId: 1, properties: { userId: '42' } });
  await call('create_environment', { name: 'open', auth_requirement: 'PUBLIC', project: 'bank' });
  await call('add_target', { environment: 'open', name: 'own platform', target_type: 'REST_SERVICE', base_url: world.platform });
  const steps = [{ method: 'GET', path: '/api/health' }];
  await call('create_api_scenario', { project: 'shop', name: 'Log in', description: 'Logging in works.', app_tag: 'shop-api', credential_tag: 'admin', tags: ['smoke', 'Login'], steps });
  await call('create_api_scenario', { project: 'shop', name: 'Search', tags: ['smoke'], steps: [...steps, ...steps] });
  await call('create_api_scenario', { project: 'bank', name: 'Health', steps });
  const suiteOf = [(await post('/api/ui-tests', { name: 'Contact form', projectId: 1, driver: 'PLAYWRIGHT', appTag: 'shop-web', credentialTag: 'admin', tags: ['smoke'], description: 'Mail is sent.' })).id,
    (await post('/api/ui-tests', { name: 'Footer', projectId: 1, tags: ['nightly'] })).id];
  await post('/api/ui-test-suites', { name: 'All pages', projectId: 1, tests: suiteOf });
  await post('/api/ui-test-suites', { name: 'Nothing yet', projectId: 2, tests: [] });
  await post('/api/pipelines', { name: 'Release', projectId: 1, description: 'Before every release.', stages: [{ name: 'api', tags: ['smoke'] }, 'ui'] });
  await post('/api/pipelines', { name: 'Nightly', projectId: 2, stages: [] });
}

before(async () => {
  world = await stack('tools-explore');
  session = world.session;
  await populate();
});
after(() => world?.close());

test('list_projects', async () => {
  const first = await call('list_projects', { limit: 1, include_archived: true });
  isTime(first.projects[0].createdAt);
  assert.deepEqual({ ...first, projects: first.projects.map(({ createdAt, ...project }) => project) },
    { projects: [{ id: 1, name: 'shop', description: 'The shop.', archived: false }], total: 2, returned: 1, nextCursor: first.nextCursor });
  const second = await call('list_projects', { limit: 1, cursor: first.nextCursor });
  assert.deepEqual([names(second.projects), second.nextCursor], [['bank'], undefined]);
  assert.deepEqual(names((await call('list_projects', { query: 'BAN' })).projects), ['bank']);
  assert.equal((await call('list_projects', { query: '%' })).total, 0);
  assert.match((await session.refuse('list_projects', { cursor: 'x' })).message, /cursor/);
});

test('list_project_applications', async () => {
  assert.deepEqual(await call('list_project_applications', { project: 'shop' }), { project: 'shop', total: 1, returned: 1, applications: [
    { id: 1, name: 'Shop API', appTag: 'shop-api', applicationType: 'REST_SERVICE', applicationInterfaces: ['REST'], authRequirement: 'PUBLIC',
      gitUrl: 'https://gitlab.com/shop/api', gitProvider: 'GITLAB', swaggerPath: '/openapi.json' }] });
  assert.equal((await call('list_project_applications', { project: 'bank' })).total, 0);
  assert.equal((await call('list_project_applications')).reason, 'missing_required');
});

test('list_environments', async () => {
  const staging = { id: 1, name: 'staging', authRequirement: 'AUTHENTICATED', allowPrivate: true, properties: { userId: '42' }, projectIds: [1] };
  assert.deepEqual(await call('list_environments', { project: 'shop' }), { environments: [staging], total: 1, returned: 1 });
  assert.deepEqual(names((await call('list_environments')).environments), ['staging', 'open']);
});

describe('find_scenarios', () => {
  test('finds by project, name, tag and log-in', async () => {
    const found = await call('find_scenarios', { project: 'shop', name: 'LOG', tags: ['Login'], auth_type: 'CREDENTIAL' });
    const [{ updatedAt, ...scenario }] = found.scenarios;
    isTime(updatedAt);
    assert.deepEqual([found.total, found.returned], [1, 1]);
    assert.deepEqual(scenario, { id: 1, name: 'Log in', description: 'Logging in works.', projectId: 1, project: 'shop', appTag: 'shop-api', credentialTag: 'admin',
      authType: 'CREDENTIAL', tags: ['smoke', 'Login'], match_source: 'static_tags', stepCount: 1, version: 1 });
    assert.deepEqual(names((await call('find_scenarios', { auth_type: 'NONE' })).scenarios), ['Search', 'Health']);
    assert.deepEqual(names((await call('find_scenarios', { tags: 'smoke' })).scenarios), ['Log in', 'Search']);
    assert.equal((await call('find_scenarios', { tags: ['%'] })).total, 0);
  });

  test('pages', async () => {
    const first = await call('find_scenarios', { limit: 2 });
    assert.deepEqual([first.total, first.returned], [3, 2]);
    assert.deepEqual(names((await call('find_scenarios', { limit: 2, cursor: first.nextCursor })).scenarios), ['Health']);
  });

  test('finds one without tags by the tags of its past runs', async () => {
    assert.equal((await call('find_scenarios', { tags: ['nightly'] })).total, 0);
    await call('execute_scenario', { scenario: 'Health', environment: 'open', tags: ['nightly'], wait: true });
    const found = await call('find_scenarios', { tags: ['nightly'] });
    assert.deepEqual(found.scenarios.map(s => [s.name, s.match_source]), [['Health', 'execution_history']]);
  });

  test('refuses what it does not take', async () => {
    assert.match((await session.refuse('find_scenarios', { auth_type: 'BASIC' })).message, /auth_type.*NONE.*CREDENTIAL.*BASIC/);
    assert.equal((await call('find_scenarios', { project: 'nowhere' })).reason, 'not_found');
  });
});

test('find_ui_tests', async () => {
  const found = await call('find_ui_tests', { limit: 1 });
  assert.deepEqual(found, { uiTests: [{ id: 1, name: 'Contact form', description: 'Mail is sent.', projectId: 1, project: 'shop', driver: 'PLAYWRIGHT', appTag: 'shop-web',
    credentialTag: 'admin', tags: ['smoke'] }], total: 2, returned: 1, nextCursor: found.nextCursor });
  assert.deepEqual(names((await call('find_ui_tests', { cursor: found.nextCursor })).uiTests), ['Footer']);
  assert.deepEqual(names((await call('find_ui_tests', { tags: ['nightly'] })).uiTests), ['Footer']);
  assert.deepEqual(names((await call('find_ui_tests', { driver: 'PLAYWRIGHT', name: 'form', project: 'shop' })).uiTests), ['Contact form']);
  assert.equal((await call('find_ui_tests', { project: 'bank' })).total, 0);
  assert.match((await session.refuse('find_ui_tests', { driver: 'LYNX' })).message, /driver.*PLAYWRIGHT.*LYNX/);
});

test('find_ui_test_suites', async () => {
  assert.deepEqual(await call('find_ui_test_suites', { name: 'pages' }), { uiTestSuites: [{ id: 1, name: 'All pages', projectId: 1, project: 'shop', tests: [1, 2] }], total: 1, returned: 1 });
  assert.deepEqual(names((await call('find_ui_test_suites', { project: 'bank' })).uiTestSuites), ['Nothing yet']);
});

test('list_pipelines', async () => {
  assert.deepEqual(await call('list_pipelines', { project: 'shop' }), { total: 1, returned: 1, pipelines: [
    { id: 1, name: 'Release', description: 'Before every release.', projectId: 1, project: 'shop', stages: [{ name: 'api', tags: ['smoke'] }, 'ui'] }] });
  assert.deepEqual(names((await call('list_pipelines')).pipelines), ['Release', 'Nightly']);
});

test('list_tags', async () => {
  const smoke = { name: 'smoke', count: 3, apiScenarios: 2, uiTests: 1 };
  const all = await call('list_tags');
  assert.deepEqual(all.tags.find(t => t.name === 'smoke'), smoke);
  assert.deepEqual([all.total, all.returned], [all.tags.length, all.tags.length]);
  assert.deepEqual((await call('list_tags', { project: 'shop', kind: 'ui_test' })).tags.map(t => [t.name, t.count]), [['nightly', 1], ['smoke', 1]]);
  assert.equal((await call('list_tags', { project: 'bank', kind: 'ui_test' })).total, 0);
  assert.match((await session.refuse('list_tags', { kind: 'pipeline' })).message, /kind.*api_scenario.*pipeline/);
});

describe('whoami', () => {
  test('tells who asks, what is in force, and what is refused beyond', async () => {
    assert.deepEqual(await call('whoami'), { username: 'owner', role: 'admin', issuer: 'proofarc', serverVersion: '1.0.0', profile: 'full',
      defaults: { listLimit: 100, stopOnFailure: true, allowUnauthenticated: false, wait: false, waitSeconds: 50 },
      limits: { resultBytes: 921600, inputBytes: 4194304, listEntries: 500, callSeconds: 45, callsAtOnce: 256, scenarioBytes: 262144, scenarioSteps: 1000,
        openapiBytes: 33554432 } });
    assert.match((await session.refuse('whoami', { who: 'me' })).message, /whoami.*"who"/);
  });

  test('names the profile that was chosen, which has fewer tools', async () => {
    const small = await Session.stdio(place('tools-profile'), { args: ['--profile', 'core'] });
    const { tools } = await small.client.listTools();
    assert.equal((await small.call('whoami')).profile, 'core');
    assert.ok(tools.length < (await session.client.listTools()).tools.length && tools.some(t => t.name === 'list_projects'));
    await small.close();
  });
});

test('a list that is too large is cut, and says so', async () => {
  const description = 'd'.repeat(2000);
  for (let i = 0; i < 260; i++) await post('/api/scenarios', { name: `long ${i}`, projectId: 2, description, steps: [{ method: 'GET', path: '/' }] });
  const found = await call('find_scenarios', { name: 'long', limit: 500 });
  assert.deepEqual([found.total, found.truncated, found.returned], [260, true, found.scenarios.length]);
  assert.ok(found.returned > 100 && found.returned < 260, String(found.returned));
});
