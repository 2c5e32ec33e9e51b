// SPDX-License-Identifier: Apache-2.0
// The tools that read OpenAPI documents and write scenarios as YAML.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stack } from './stack.mjs';
import { serve } from './stub.mjs';

let world, session, service;
const call = (name, args) => session.call(name, args);

async function refused(tool, args, code, sentence) {
  const error = await session.refuse(tool, args);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  return error;
}

const pets = {
  openapi: '3.0.3', info: { title: 'Pets', version: '1.2' }, servers: [{ url: '/v1' }, { url: 'https://pets.example.com/v1' }],
  security: [{ key: [] }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', summary: 'List pets.', tags: ['pets'], security: [],
        parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer', example: 10 } }], responses: { 200: { description: 'ok' }, default: { description: 'no' } } },
      post: { operationId: 'addPet', requestBody: { required: true, content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string', example: 'Rex' } } } } } },
        responses: { 201: { description: 'made' } } },
    },
    '/pets/{id}': { get: { operationId: 'getPet', deprecated: true, parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      responses: { 200: { $ref: '#/components/responses/None' } } } },
  },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, basic: { type: 'http', scheme: 'basic' } } },
};

before(async () => {
  service = await serve({ 'GET /openapi.json': () => ({ body: pets }), 'GET /page': { headers: { 'content-type': 'text/html' }, body: '<html></html>' } });
  world = await stack('tools-authoring');
  session = world.session;
  for (const name of ['zoo', 'farm']) await call('create_project', { name });
  const made = await world.rest('POST', '/api/environments', { name: 'dev', authRequirement: 'PUBLIC', projectId: 1, properties: { keeper: 'Ann' } });
  assert.equal(made.status, 201);
  await call('link_environment', { environment: 'dev', project: 'farm' });
  await call('add_environment_credential', { environment: 'dev', tag: 'keeper', api_key: 'k-71c2' });
  await call('add_target', { environment: 'dev', name: 'pets', target_type: 'REST_SERVICE', base_url: service.url });
});
after(async () => {
  await world?.close();
  await service?.close();
});

describe('detect_api_spec', () => {
  test('finds the document of a service', async () => {
    const found = await call('detect_api_spec', { base_url: service.url });
    assert.deepEqual({ ...found, tried: 0 }, { found: true, url: `${service.url}/openapi.json`, title: 'Pets', version: '1.2', specVersion: '3.0.3', operations: 3, tried: 0 });
    assert.ok(found.tried.every(t => t.url.startsWith(service.url)));
  });

  test('says where it looked in vain, and why', async () => {
    const empty = await serve({ 'GET /openapi.json': { headers: { 'content-type': 'text/html' }, body: '<html></html>' } });
    const lost = await call('detect_api_spec', { base_url: empty.url });
    await empty.close();
    assert.equal(lost.found, false);
    assert.deepEqual(lost.tried.find(t => t.url.endsWith('/openapi.json'))?.status, 200);
    assert.ok(lost.tried.length > 3 && lost.tried.every(t => t.reason), JSON.stringify(lost.tried));
    await refused('detect_api_spec', { base_url: 'http://127.0.0.1:1' }, 'UNREACHABLE', /nobody listens at http:\/\/127\.0\.0\.1:1\//);
    await refused('detect_api_spec', { base_url: 'not an address' }, 'BAD_MEMBER', /http/);
  });
});

describe('parse_swagger', () => {
  test('shows what a document offers, without saving anything', async () => {
    const parsed = await call('parse_swagger', { url: `${service.url}/openapi.json` });
    assert.deepEqual([parsed.title, parsed.version, parsed.specVersion], ['Pets', '1.2', '3.0.3']);
    assert.deepEqual([parsed.baseUrl, parsed.baseUrls], [`${service.url}/v1`, [`${service.url}/v1`, 'https://pets.example.com/v1']]);
    assert.deepEqual([parsed.total, parsed.returned], [3, 3]);
    assert.deepEqual(parsed.endpoints[0], { method: 'GET', path: '/pets', operationId: 'listPets', name: 'listPets', summary: 'List pets.', tags: ['pets'],
      parameters: [{ name: 'limit', in: 'query', required: true, type: 'integer', example: 10 }], statuses: ['200', 'default'], security: [], deprecated: false });
    assert.deepEqual([parsed.endpoints[1].bodyExample, parsed.endpoints[1].contentType, parsed.endpoints[1].security], [{ name: 'Rex' }, 'application/json', ['key']]);
    assert.equal(parsed.endpoints[2].deprecated, true);
    assert.deepEqual(parsed.securitySchemes, [{ name: 'key', type: 'apiKey', in: 'header', parameter: 'X-Key' }, { name: 'basic', type: 'http', scheme: 'basic' }]);
    assert.deepEqual(parsed.warnings.map(w => w.pointer), ['/paths/~1pets~1{id}/get/responses/200']);
    assert.ok(parsed.warnings[0].message);
    assert.equal((await call('find_scenarios')).total, 0);
  });

  test('takes the document itself, in pages, and only what matches', async () => {
    const content = JSON.stringify(pets);
    const first = await call('parse_swagger', { content, limit: 2 });
    assert.deepEqual([first.total, first.returned, first.endpoints.length], [3, 2, 2]);
    const second = await call('parse_swagger', { content, limit: 2, cursor: first.nextCursor });
    assert.deepEqual([second.endpoints.map(e => e.name), second.nextCursor], [['getPet'], undefined]);
    assert.equal((await call('parse_swagger', { content, path_globs: ['GET /pets', '/pets/*'] })).total, 2);
  });

  test('refuses what is no document, and says what it is', async () => {
    await refused('parse_swagger', {}, 'bad_args', /either url or content/);
    await refused('parse_swagger', { url: 'http://x', content: 'x' }, 'bad_args', /either url or content/);
    for (const [content, sentence] of [['<!doctype html><html></html>', /HTML/i], ['{}', /openapi/i], ['[]', /list|array|object/i], ['plain words', /./], ['openapi: "4.0"', /4\.0/]])
      assert.match((await session.refuse('parse_swagger', { content })).message, sentence, content);
    assert.match((await session.refuse('parse_swagger', { url: `${service.url}/page` })).message, /HTML/i);
    assert.match((await session.refuse('parse_swagger', { url: `${service.url}/nothing` })).message, /404/);
    await refused('parse_swagger', { content: JSON.stringify(pets), cursor: 'no such' }, 'BAD_MEMBER', /cursor/);
  });
});

describe('create_scenario_from_swagger', () => {
  const names = list => list.map(s => s.name);
  const args = () => ({ project: 'zoo', environment: 'dev', url: `${service.url}/openapi.json`, tags: ['imported'], credential_tag: 'keeper' });

  test('makes a scenario of each operation, and knows them again', async () => {
    const told = await call('create_scenario_from_swagger', { ...args(), dry_run: true });
    assert.deepEqual([told.dryRun, told.total, told.created.every(s => s.id === undefined)], [true, 3, true]);
    const made = await call('create_scenario_from_swagger', { ...args(), path_globs: ['/pets'] });
    assert.deepEqual([made.dryRun, made.total, names(made.created), made.updated, made.unchanged], [false, 2, ['GET /pets', 'POST /pets'], [], []]);
    assert.ok(made.created.every(s => s.id > 0));
    pets.paths['/pets'].get.summary = 'List all pets.';
    pets.paths['/pets'].get.parameters[0].schema.example = 20;
    const again = await call('create_scenario_from_swagger', args());
    assert.deepEqual([names(again.created), names(again.updated), names(again.unchanged)], [['GET /pets/{id}'], ['GET /pets'], ['POST /pets']]);
    assert.deepEqual([again.updated[0].id, again.unchanged[0].id], made.created.map(s => s.id));
    await call('update_api_scenario_from_yaml', { scenario: again.updated[0].id, yaml_text: 'name: GET /pets\nsteps: [{name: mine, method: GET, path: /pets}]\n' });
    assert.deepEqual(names((await call('create_scenario_from_swagger', args())).kept), ['GET /pets'], 'what a person edited stays');
    assert.deepEqual([again.warnings[0].pointer, again.warnings.every(w => w.message)], ['/paths/~1pets~1{id}/get/responses/200', true]);
    const scenarios = (await call('find_scenarios', { tags: ['imported'] })).scenarios;
    assert.deepEqual(scenarios.map(s => [s.name, s.credentialTag]), [['GET /pets', undefined], ['POST /pets', 'keeper'], ['GET /pets/{id}', 'keeper']]);
  });

  test('fails with the reason when there is nothing to import', async () => {
    assert.match((await session.refuse('create_scenario_from_swagger', { ...args(), url: `${service.url}/page` })).message, /HTML/i);
    assert.match((await session.refuse('create_scenario_from_swagger', { ...args(), url: 'http://127.0.0.1:1/openapi.json' })).message, /127\.0\.0\.1:1/);
    assert.equal((await call('create_scenario_from_swagger', { ...args(), path_globs: ['/none/**'] })).total, 0);
    await refused('create_scenario_from_swagger', { ...args(), credential_tag: 'nobody' }, 'CREDENTIAL_TAG_NOT_FOUND', /"nobody"/);
    await refused('create_scenario_from_swagger', { ...args(), url: 'file:///etc/passwd' }, 'BAD_MEMBER', /http/);
    assert.equal((await call('create_scenario_from_swagger', { url: args().url })).reason, 'missing_required');
  });
});

const yaml = `name: Feed
appTag: pets
credentialTag: keeper
tags: [feeding]
steps:
  - method: GET
    path: /pets/{{petId}}
`;
const odd = { line: 7, column: 11, key: 'steps[0].path' };

describe('scenarios as YAML', () => {
  const ends = ({ message, ...where }) => (assert.ok(message), where);

  test('validate_scenario_yaml names line, column, key and what is allowed', async () => {
    const checked = await call('validate_scenario_yaml', { yaml_text: yaml, environment: 'dev', project: 'zoo' });
    assert.deepEqual([checked.valid, checked.name, checked.stepCount, checked.errors], [true, 'Feed', 1, []]);
    assert.deepEqual(checked.warnings.map(ends), [{ ...odd, allowed: checked.warnings[0].allowed }]);
    const wrong = await call('validate_scenario_yaml', { yaml_text: yaml.replace('GET', 'FETCH').replace('appTag', 'appTags') });
    assert.equal(wrong.valid, false);
    assert.deepEqual(wrong.errors.map(({ line, column, key }) => [line, column, key]), [[2, 1, 'appTags'], [6, 13, 'steps[0].method']]);
    assert.ok(wrong.errors[0].allowed.includes('appTag') && wrong.errors[1].allowed.includes('GET'));
    const none = await call('validate_scenario_yaml', { yaml_text: 'name: x\nsteps: [' });
    assert.deepEqual([none.valid, none.errors[0].line], [false, 3]);
  });

  test('create_scenario_from_yaml stores it once', async () => {
    const made = await call('create_scenario_from_yaml', { yaml_text: yaml, project: 'zoo', environment: 'dev', tags: ['smoke'] });
    assert.deepEqual({ ...made, id: 0, warnings: 0 }, { id: 0, name: 'Feed', projectId: 1, project: 'zoo', appTag: 'pets', credentialTag: 'keeper', tags: made.tags, stepCount: 1, version: 1, warnings: 0 });
    assert.deepEqual([...made.tags].sort(), ['feeding', 'smoke']);
    assert.deepEqual(made.warnings.map(({ line, column, key }) => ({ line, column, key })), [odd]);
    await refused('create_scenario_from_yaml', { yaml_text: yaml, project: 'zoo' }, 'SCENARIO_EXISTS', /Feed/);
    const error = await refused('create_scenario_from_yaml', { yaml_text: yaml.replace('Feed', 'Other').replace('GET', 'FETCH'), project: 'zoo' }, 'INVALID_SCENARIO', /./);
    assert.deepEqual([error.errors[0].line, error.errors[0].key], [6, 'steps[0].method']);
    await refused('create_scenario_from_yaml', { yaml_text: `name: x\n${'# x\n'.repeat(70000)}`, project: 'zoo' }, 'bad_args', /yaml_text.*262144/);
    assert.equal((await call('create_scenario_from_yaml', { yaml_text: yaml })).reason, 'missing_required');
  });

  test('get_scenario_yaml and update_api_scenario_from_yaml change it', async () => {
    const first = await call('get_scenario_yaml', { scenario: 'feed' });
    assert.deepEqual([first.id > 0, first.name, first.version], [true, 'Feed', 1]);
    assert.match(first.yamlText, /^name: Feed\n[\s\S]*path: \/pets\/\{\{petId\}\}/);
    const changed = `name: Feed well\nappTag: pets\ncredentialTag: keeper\ntags: [feeding]\nsteps:\n- {method: GET, path: "/{{keeper}}"}\n- {method: GET, path: "/{{nobody}}"}\n`;
    const updated = await call('update_api_scenario_from_yaml', { scenario: 'Feed', project: 'zoo', environment: 'dev', yaml_text: changed, expected_version: 1 });
    assert.deepEqual({ ...updated, warnings: 0 }, { id: first.id, name: 'Feed well', projectId: 1, project: 'zoo', appTag: 'pets', credentialTag: 'keeper', tags: ['feeding'], stepCount: 2, version: 2, warnings: 0 });
    assert.deepEqual(updated.warnings.map(w => [w.line, w.key, w.column > 1]), [[7, 'steps[1].path', true]]);
    assert.ok(updated.warnings[0].message.includes('nobody'));
    assert.equal((await call('get_scenario_yaml', { scenario: first.id, version: 1 })).yamlText, first.yamlText);
    assert.equal((await call('get_scenario_yaml', { scenario: 'feed well' })).version, 2);
    const kept = await call('update_api_scenario_from_yaml', { scenario: first.id, yaml_text: 'name: Feed\nsteps: [{method: GET, path: /}]' });
    assert.deepEqual([kept.credentialTag, kept.appTag, kept.version, kept.warnings], ['keeper', 'pets', 3, []]);
    await refused('update_api_scenario_from_yaml', { scenario: 'Feed', yaml_text: changed, expected_version: 2 }, 'VERSION_CHANGED', /3/);
    await refused('update_api_scenario_from_yaml', { scenario: 'Feed', yaml_text: 'steps: []' }, 'INVALID_SCENARIO', /./);
    await refused('get_scenario_yaml', { scenario: 'Feed', version: 99 }, 'NOT_FOUND', /99/);
    assert.equal((await call('get_scenario_yaml', { scenario: 'Starve' })).reason, 'not_found');
  });
});
