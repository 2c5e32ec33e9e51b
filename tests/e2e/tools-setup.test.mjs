// SPDX-License-Identifier: Apache-2.0
// The tools that set up projects, applications, environments, targets and log-ins.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stack } from './stack.mjs';

let world, session;
const call = (name, args) => session.call(name, args);
const isTime = text => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

// A call that has to fail with this code and a sentence that names what is wrong.
async function refused(tool, args, code, sentence) {
  const error = await session.refuse(tool, args);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  assert.equal(error.outcome, 'failed');
}

before(async () => {
  world = await stack('tools-setup');
  session = world.session;
});
after(() => world?.close());

describe('create_project', () => {
  test('makes an empty project', async () => {
    const made = await call('create_project', { name: 'shop', description: 'Sells things.' });
    isTime(made.createdAt);
    assert.deepEqual({ ...made, createdAt: 0 }, { id: 1, name: 'shop', description: 'Sells things.', archived: false, createdAt: 0 });
  });

  test('refuses a name that is taken, missing or too long', async () => {
    await refused('create_project', { name: 'shop' }, 'PROJECT_EXISTS', /"shop".*id 1/);
    await refused('create_project', {}, 'bad_args', /needs name/);
    await refused('create_project', { name: 'x'.repeat(201) }, 'bad_args', /name.*200/);
  });
});

describe('create_application', () => {
  test('makes an application and links it', async () => {
    assert.deepEqual(await call('create_application', { project: 'shop', name: 'Shop API', app_tag: 'shop-api', application_interfaces: ['REST', 'WEB_UI'],
      application_type: 'REST_SERVICE', auth_requirement: 'AUTHENTICATED', git_url: 'https://github.com/shop/api.git', swagger_path: '/openapi.json' }), {
      id: 1, name: 'Shop API', appTag: 'shop-api', applicationType: 'REST_SERVICE', applicationInterfaces: ['REST', 'WEB_UI'], authRequirement: 'AUTHENTICATED',
      gitUrl: 'https://github.com/shop/api.git', swaggerPath: '/openapi.json', projectIds: [1], linkedExisting: false });
  });

  test('infers the type from the interfaces', async () => {
    for (const [name, application_interfaces, type] of [['pages', ['WEB_UI'], 'WEB_APP'], ['phone', 'MOBILE_UI', 'MOBILE_APP'], ['queue', ['MESSAGING'], 'OTHER']]) {
      const made = await call('create_application', { project: 'shop', name, app_tag: name, application_interfaces });
      assert.equal(made.applicationType, type, name);
    }
  });

  test('links one that exists to a further project', async () => {
    await call('create_project', { name: 'partner' });
    const linked = await call('create_application', { project: 'partner', name: 'Shop API', app_tag: 'shop-api', application_interfaces: ['REST'] });
    assert.deepEqual([linked.id, linked.linkedExisting, linked.projectIds], [1, true, [1, 2]]);
  });

  test('refuses interfaces that there are not, or none', async () => {
    await refused('create_application', { project: 'shop', name: 'x', app_tag: 'x', application_interfaces: ['CORBA'] }, 'bad_args', /application_interfaces.*REST.*CORBA/);
    await refused('create_application', { project: 'shop', name: 'x', app_tag: 'x', application_interfaces: [] }, 'bad_args', /application_interfaces/);
  });
});

describe('link_application_to_project', () => {
  test('links once and says so twice', async () => {
    const id = (await call('list_applications', { query: 'pages' })).applications[0].id;
    const expected = { applicationId: id, application: 'pages', projectId: 2, project: 'partner', linked: true };
    assert.deepEqual(await call('link_application_to_project', { application: 'pages', project: 'partner' }), { ...expected, alreadyLinked: false });
    assert.deepEqual(await call('link_application_to_project', { application: id, project: 'partner' }), { ...expected, alreadyLinked: true });
    const there = await call('list_project_applications', { project: 'partner' });
    assert.deepEqual(there.applications.map(a => a.name), ['Shop API', 'pages']);
  });

  test('asks for what it does not know', async () => {
    const asked = await call('link_application_to_project', { application: 'nothing like it', project: 'partner' });
    assert.equal(asked.reason, 'not_found');
    assert.deepEqual(asked.candidates.map(c => c.name), ['Shop API', 'pages', 'phone', 'queue']);
  });
});

describe('list_applications', () => {
  test('lists all in pages', async () => {
    const first = await call('list_applications', { limit: 1 });
    assert.deepEqual(first, { total: 4, returned: 1, nextCursor: first.nextCursor, applications: [{ id: 1, name: 'Shop API', appTag: 'shop-api',
      applicationType: 'REST_SERVICE', applicationInterfaces: ['REST', 'WEB_UI'], authRequirement: 'AUTHENTICATED', gitUrl: 'https://github.com/shop/api.git',
      swaggerPath: '/openapi.json', projectIds: [1, 2] }] });
    const rest = await call('list_applications', { cursor: first.nextCursor });
    assert.deepEqual([rest.applications.map(a => a.name), rest.nextCursor], [['pages', 'phone', 'queue'], undefined]);
    assert.equal((await call('list_applications', { query: 'SHOP' })).total, 1);
  });

  test('refuses a cursor of somebody else and a limit out of bounds', async () => {
    await refused('list_applications', { cursor: 'no cursor of ours' }, 'BAD_MEMBER', /cursor/);
    await refused('list_applications', { limit: 501 }, 'bad_args', /limit.*500/);
    await refused('list_applications', { limit: 0 }, 'bad_args', /limit.*1/);
  });
});

describe('create_environment and link_environment', () => {
  test('make it and link it', async () => {
    const expected = { id: 1, name: 'staging', authRequirement: 'AUTHENTICATED', allowPrivate: true };
    assert.deepEqual(await call('create_environment', { name: 'staging', auth_requirement: 'AUTHENTICATED', project: 'shop' }),
      { ...expected, projectIds: [1], linkedExisting: false });
    assert.deepEqual(await call('create_environment', { name: 'staging', auth_requirement: 'AUTHENTICATED', project: 'partner' }),
      { ...expected, projectIds: [1, 2], linkedExisting: true });
    assert.deepEqual((await call('create_environment', { name: 'free', auth_requirement: 'PUBLIC' })).projectIds, []);
    const linked = { environmentId: 2, environment: 'free', projectId: 1, project: 'shop', linked: true };
    assert.deepEqual(await call('link_environment', { environment: 'free', project: 'shop' }), { ...linked, alreadyLinked: false });
    assert.deepEqual(await call('link_environment', { environment: 2, project: 1 }), { ...linked, alreadyLinked: true });
  });

  test('refuse what they cannot use', async () => {
    await refused('create_environment', { name: 'x', auth_requirement: 'SOMETIMES' }, 'bad_args', /auth_requirement.*PUBLIC.*AUTHENTICATED.*SOMETIMES/);
    await refused('create_environment', { name: 'x' }, 'bad_args', /auth_requirement/);
    const asked = await call('create_environment', { name: 'x', auth_requirement: 'PUBLIC', project: 'no such' });
    assert.deepEqual([asked.reason, asked.candidates.length], ['not_found', 2]);
  });
});

describe('targets', () => {
  const target = { id: 1, name: 'api', targetType: 'REST_SERVICE', baseUrl: 'https://shop.example.com/api', appTag: 'shop-api', applicationId: 1,
    environmentId: 1, environmentName: 'staging' };

  test('add_target adds an address without its trailing slash', async () => {
    assert.deepEqual(await call('add_target', { environment: 'staging', name: 'api', target_type: 'REST_SERVICE', base_url: 'https://shop.example.com/api/',
      app_tag: 'shop-api', application: 'Shop API' }), target);
    await call('add_target', { environment: 'staging', name: 'pages', target_type: 'WEB_APP', base_url: 'https://shop.example.com' });
  });

  test('add_target refuses what stands there already and what is no address', async () => {
    const add = (name, base_url) => ({ environment: 'staging', name, target_type: 'REST_SERVICE', base_url });
    await refused('add_target', add('other', 'https://shop.example.com/api'), 'DUPLICATE_BASE_URL', /"api".*id 1/);
    await refused('add_target', add('api', 'https://elsewhere.example.com'), 'DUPLICATE_TARGET', /"api"/);
    await refused('add_target', add('x', 'ftp://shop.example.com'), 'BAD_URL', /base_url/);
    await refused('add_target', { ...add('x', 'https://x.example.com'), target_type: 'GRPC' }, 'bad_args', /target_type.*WEB_APP/);
  });

  test('set_target_auth tells how to log in', async () => {
    const auth = { authType: 'BEARER', credentialTag: 'admin' };
    assert.deepEqual(await call('set_target_auth', { target: 'api', auth_config: auth }), { id: 1, name: 'api', environmentName: 'staging', authConfig: auth });
    await refused('set_target_auth', { target: 'api', auth_config: { credentialTag: 'admin' } }, 'bad_args', /authType/);
    await refused('set_target_auth', { target: 'api', auth_config: { authType: 'MAGIC' } }, 'bad_args', /authType.*BEARER.*MAGIC/);
  });

  test('list_targets lists those of an environment, of a project, or all', async () => {
    const first = await call('list_targets', { limit: 1 });
    assert.deepEqual(first, { targets: [{ ...target, authConfig: { authType: 'BEARER', credentialTag: 'admin' } }], total: 2, returned: 1, nextCursor: first.nextCursor });
    assert.deepEqual((await call('list_targets', { cursor: first.nextCursor })).targets.map(t => t.name), ['pages']);
    assert.equal((await call('list_targets', { environment: 'staging' })).total, 2);
    assert.equal((await call('list_targets', { environment: 'free' })).total, 0);
    assert.equal((await call('list_targets', { project: 'partner' })).total, 2);
  });
});

describe('log-ins', () => {
  test('set_environment_auth_endpoint tells where API tests log in', async () => {
    assert.deepEqual(await call('set_environment_auth_endpoint', { environment: 'staging', login_endpoint: '/api/auth/login', auth_type: 'BEARER', token_json_path: '$.token' }),
      { id: 1, name: 'staging', authEndpoint: { loginEndpoint: '/api/auth/login', authType: 'BEARER', tokenJsonPath: '$.token' } });
    assert.deepEqual((await call('set_environment_auth_endpoint', { environment: 'free', login_endpoint: 'https://id.example.com/login', auth_type: 'COOKIE' })).authEndpoint,
      { loginEndpoint: 'https://id.example.com/login', authType: 'COOKIE' });
    await refused('set_environment_auth_endpoint', { environment: 'free', login_endpoint: 'login' }, 'BAD_MEMBER', /login_endpoint.*begin with \//);
    await refused('set_environment_auth_endpoint', { environment: 'free', login_endpoint: '/x', token_json_path: '$.[' }, 'BAD_MEMBER', /token_json_path/);
  });

  const admin = { tag: 'admin', kinds: ['password'], username: 'ann', isDefault: true, active: true };

  test('add_environment_credential stores a log-in and never shows it', async () => {
    const secrets = { password: 'pass-5e7f', token: 'tok-91ab', api_key: 'key-33cd' };
    const stored = [await call('add_environment_credential', { environment: 'staging', tag: 'admin', username: 'ann', password: secrets.password, is_default: true }),
      await call('add_environment_credential', { environment: 'staging', tag: 'machine', token: secrets.token, api_key: secrets.api_key }),
      await call('add_environment_credential', { environment: 'staging', tag: 'by name', secret_ref: 'env:SHOP_TOKEN' })];
    assert.deepEqual(stored[0], { ...admin, environmentId: 1, environment: 'staging' });
    assert.deepEqual(stored[1].kinds, ['token', 'apiKey']);
    const listed = await call('list_environment_credentials', { environment: 'staging' });
    assert.deepEqual([listed.environment, listed.total, listed.returned], ['staging', 3, 3]);
    assert.deepEqual(listed.credentials[0], admin);
    for (const secret of Object.values(secrets)) assert.ok(!JSON.stringify([stored, listed]).includes(secret));
  });

  test('add_environment_credential refuses a tag that is taken and a log-in without a secret', async () => {
    await refused('add_environment_credential', { environment: 'staging', tag: 'ADMIN', token: 'x' }, 'CREDENTIAL_EXISTS', /choose another tag/i);
    await refused('add_environment_credential', { environment: 'staging', tag: 'empty' }, 'MISSING_MEMBER', /password, token, api_key or secret_ref/);
    await refused('add_environment_credential', { environment: 'staging', tag: 'x', secret_ref: 'file:/etc/passwd' }, 'BAD_MEMBER', /secret_ref.*env:/);
  });

  test('set_environment_credential_active switches one off and on', async () => {
    const turn = active => call('set_environment_credential_active', { environment: 'staging', tag: 'admin', active });
    assert.deepEqual(await turn(false), { ...admin, active: false });
    assert.equal((await call('list_environment_credentials', { environment: 'staging' })).credentials[0].active, false);
    assert.deepEqual(await turn('true'), admin);
    await refused('set_environment_credential_active', { environment: 'staging', tag: 'nobody', active: false }, 'NOT_FOUND', /"nobody"/);
  });
});

describe('onboard_project and get_project_setup_status', () => {
  const plan = {
    project_name: 'onboarded',
    applications: [{ name: 'Shop API', appTag: 'shop-api', applicationInterfaces: ['REST'] }],
    environments: [{ name: 'their own', authRequirement: 'PUBLIC', targets: [{ name: 'api', targetType: 'REST_SERVICE', baseUrl: 'http://127.0.0.1:1', appTag: 'shop-api' }] }],
  };
  const names = things => things.map(thing => `${thing.kind} ${thing.name}`);

  test('a dry run tells what would be made', async () => {
    const told = await call('onboard_project', { ...plan, dry_run: true });
    assert.deepEqual(told, { project: 'onboarded', dryRun: true, setupComplete: true,
      created: [{ kind: 'project', name: 'onboarded' }, { kind: 'environment', name: 'their own' }, { kind: 'target', name: 'api' }],
      linkedExisting: [{ kind: 'application', id: 1, name: 'Shop API' }] });
    assert.equal((await call('list_projects', { query: 'onboarded' })).total, 0);
  });

  test('one call makes all of it, and completes what is there', async () => {
    const made = await call('onboard_project', plan);
    assert.deepEqual([made.project, made.dryRun, made.setupComplete], ['onboarded', false, true]);
    assert.deepEqual(names(made.created), ['project onboarded', 'environment their own', 'target api']);
    assert.deepEqual(made.linkedExisting, [{ kind: 'application', id: 1, name: 'Shop API' }]);
    assert.ok(made.created.every(thing => thing.id > 0));
    const again = await call('onboard_project', plan);
    assert.deepEqual([again.projectId, again.created], [made.projectId, []]);
    assert.deepEqual((await call('list_targets', { project: 'onboarded' })).targets.map(t => t.name), ['api']);
  });

  test('nothing is made if a part of it cannot be', async () => {
    const environments = [{ ...plan.environments[0], name: 'twice', targets: [plan.environments[0].targets[0], { name: 'x', targetType: 'WEB_APP', baseUrl: 'nowhere' }] }];
    await refused('onboard_project', { ...plan, project_name: 'half', environments }, 'BAD_URL', /http/);
    assert.equal((await call('list_projects', { query: 'half' })).total, 0);
    assert.ok(!(await call('list_environments')).environments.some(e => e.name === 'twice'));
    await refused('onboard_project', { ...plan, applications: [{ name: 'x' }] }, 'bad_args', /applications\[0\].*appTag/);
    await refused('onboard_project', { ...plan, environments: [{ ...plan.environments[0], color: 'red' }] }, 'UNKNOWN_MEMBER', /color/);
  });

  test('the status tells what is missing and what to do next', async () => {
    await call('create_project', { name: 'bare' });
    const bare = await call('get_project_setup_status', { project: 'bare' });
    assert.deepEqual([bare.project, bare.setupComplete, bare.missing], ['bare', false, ['application', 'applicationType', 'environment', 'target']]);
    assert.ok(bare.steps.every(({ step, done, detail, next }) => step && !done && detail && next), JSON.stringify(bare.steps));
    const complete = await call('get_project_setup_status', { project: 'onboarded' });
    assert.deepEqual([complete.setupComplete, complete.missing], [true, []]);
    assert.ok(complete.steps.filter(s => s.done).every(s => s.next === undefined));
    const shop = await call('get_project_setup_status', { project: 'shop' });
    assert.ok(shop.steps.some(s => s.step === 'login' && s.done), 'an environment that wants a log-in has one');
  });
});
