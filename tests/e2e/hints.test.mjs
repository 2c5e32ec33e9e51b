// SPDX-License-Identifier: Apache-2.0
// Every hint in the description of a tool or parameter holds: what it names exists, and each
// example is carried out, as it stands there. An example that this test does not know how to
// carry out fails it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stack } from './stack.mjs';
import { serve } from './stub.mjs';

let world, session, service, tools;
let serial = 0;

const openapi = { openapi: '3.0.3', info: { title: 'Hints', version: '1' },
  paths: { '/users/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }], responses: { 200: { description: 'ok' } } } },
    '/users': { get: { responses: { 200: { description: 'ok' } } }, post: { responses: { 201: { description: 'made' } } } } } };

// Arguments with which a tool does its work when nothing else is given.
const arguments_of = {
  find_scenarios: () => ({}),
  find_ui_tests: () => ({}),
  create_api_scenario: () => ({ project: 'shop', name: `hint ${++serial}`, steps: [{ method: 'POST', path: '/health' }] }),
  execute_scenario: () => ({ scenario: 'of a user', environment: 'dev', wait: true, variables: { userId: '1' } }),
  run_by_tag: () => ({ project: 'shop', environment: 'dev' }),
  detect_api_spec: () => ({}),
  parse_swagger: () => ({ url: `${service.url}/openapi.json` }),
  create_scenario_from_swagger: () => ({ project: 'shop', environment: 'dev', url: `${service.url}/openapi.json` }),
  validate_scenario_yaml: () => ({}),
  create_scenario_from_yaml: () => ({ project: 'shop', yaml_text: `name: hint ${++serial}\nsteps: [{method: GET, path: /health}]` }),
  onboard_project: () => ({ project_name: `hint ${++serial}`, applications: [], environments: [{ authRequirement: 'PUBLIC' }] }),
  create_application: () => ({ project: 'shop', name: `hint ${++serial}`, application_interfaces: ['REST'] }),
  create_environment: () => ({ project: 'shop', auth_requirement: 'PUBLIC' }),
  set_environment_auth_endpoint: () => ({ environment: 'bare', login_endpoint: '/api/auth/login' }),
  add_target: () => ({ environment: 'bare', name: `hint ${++serial}`, target_type: 'REST_SERVICE' }),
  set_target_auth: () => ({ target: 'spare' }),
  add_environment_credential: () => ({ environment: `of ${++serial}`, password: 'pass-2b1e', username: 'ann' }),
};

const executed = async id => {
  const ended = await session.call('execute_scenario', { scenario: id, environment: 'dev', wait: true, summarize: true, variables: { userId: '42' } });
  assert.equal(ended.outcome, 'PASSED', ended.summary);
};
// What has to come of it beyond an answer that is no failure.
const proofs = {
  create_api_scenario: ({ id }) => executed(id),
  create_scenario_from_yaml: ({ id }) => executed(id),
  execute_scenario: ({ status, summary }) => assert.equal(status, 'COMPLETED', summary),
  parse_swagger: ({ total }) => assert.ok(total > 0, 'something matches'),
  create_scenario_from_swagger: ({ total }) => assert.ok(total > 0, 'something matches'),
  validate_scenario_yaml: ({ valid, warnings }) => assert.deepEqual([valid, warnings], [true, []]),
};
// There is no network in a test: what is not ours cannot be reached, but is no bad argument.
const unreachable = { detect_api_spec: ['UNREACHABLE'] };

function texts(tool) {
  const found = [{ path: '', text: tool.description }];
  const walk = (schema, path) => {
    if (path && schema.description) found.push({ path, text: schema.description, schema });
    for (const [name, member] of Object.entries(schema.properties ?? {})) walk(member, `${path}.${name}`);
    if (schema.items) walk(schema.items, `${path}[]`);
  };
  walk(tool.inputSchema, '');
  return found;
}

// Objects stand there without the quotes of JSON, as short as a model understands them.
const written = text => JSON.parse(text.replace(/[A-Za-z$/][\w$./]*/g, '"$&"'));
function examples(text, { type }) {
  const found = text.match(/e\.g\. (.+?)(?:;|\.$|\. (?=[A-Z]))/i)?.[1];
  if (!found) return [];
  if ('[{'.includes(found[0])) return [type === 'string' ? found : written(found)];
  return found.split(/ or |, /);
}

// Puts a value at ".steps[].path" and the like; a list takes it as its only element.
function put(args, path, value, isList) {
  const names = path.slice(1).split('.');
  let at = args;
  for (const name of names.slice(0, -1)) at = name.endsWith('[]') ? (at[name.slice(0, -2)] ??= [{}])[0] : (at[name] ??= {});
  at[names.at(-1)] = isList && !Array.isArray(value) ? [value] : value;
  return args;
}

async function carried_out(name, args) {
  const result = await session.raw(name, args);
  const answer = JSON.parse(result.content[0].text);
  if (result.isError) return assert.ok(unreachable[name]?.includes(answer.error.code), `${name}(${JSON.stringify(args)}): ${result.content[0].text}`);
  await proofs[name]?.(answer);
  return answer;
}

before(async () => {
  service = await serve({ 'GET /openapi.json': { body: openapi }, 'POST /users': { status: 201, body: { id: 7, name: 'Ann' } } }, () => ({ body: { ok: true, items: [{ id: 1 }], token: 'token-1' } }));
  world = await stack('hints', { env: { SHOP_PASSWORD: 'pass-77aa' } });
  session = world.session;
  ({ tools } = await session.client.listTools());
  await session.call('create_project', { name: 'shop' });
  for (const name of ['dev', 'bare']) await session.call('create_environment', { name, auth_requirement: 'PUBLIC', project: 'shop' });
  await session.call('add_target', { environment: 'dev', name: 'service', target_type: 'REST_SERVICE', base_url: service.url });
  await session.call('add_target', { environment: 'bare', name: 'spare', target_type: 'REST_SERVICE', base_url: service.url });
  await session.call('create_api_scenario', { project: 'shop', name: 'of a user', tags: ['smoke'], steps: [{ method: 'GET', path: '/users/{{userId}}' }] });
});
after(async () => {
  await world?.close();
  await service?.close();
});

test('every tool and parameter that is mentioned exists', () => {
  const parameters = name => Object.keys(tools.find(t => t.name === name).inputSchema.properties ?? {});
  for (const tool of tools)
    for (const { path, text } of texts(tool)) {
      const prose = text.replace(/"[^"]*"/g, '').replace(/env:\w+|\/\S+/g, '');
      const words = prose.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? [];
      const named = words.filter(word => tools.some(t => t.name === word));
      const known = new Set([...named, ...parameters(tool.name), ...named.flatMap(parameters),
        ...Object.values(tool.inputSchema.properties ?? {}).flatMap(p => p.enum ?? [])]);
      for (const word of words) assert.ok(known.has(word), `${tool.name}${path}: "${word}" is neither a tool nor a parameter`);
    }
});

test('every example value is taken as it stands there', async () => {
  let count = 0;
  for (const tool of tools)
    for (const { path, text, schema } of texts(tool).filter(({ path }) => path))
      for (const value of examples(text, schema)) {
        assert.ok(arguments_of[tool.name], `${tool.name}${path}: nobody knows how to try ${JSON.stringify(value)}`);
        const args = put(arguments_of[tool.name](), path, value, schema.type === 'array');
        if (tool.name === 'add_environment_credential') await session.call('create_environment', { name: args.environment, auth_requirement: 'PUBLIC' });
        if (path === '.secret_ref') delete args.password;
        for (const [name, member] of Object.entries(tool.inputSchema.properties))
          if (tool.inputSchema.required?.includes(name) && args[name] === undefined) args[name] = `hint-${++serial}`.replace(/^/, name === 'base_url' ? 'http://127.0.0.1/' : '');
        await carried_out(tool.name, args);
        count++;
      }
  assert.ok(count > 10, `${count} examples were found`);
});

describe('what the examples promise', () => {
  test('variables of a run reach its requests', async () => {
    await session.call('execute_scenario', { scenario: 'of a user', environment: 'dev', variables: { userId: '42' }, wait: true });
    assert.equal(service.requests.at(-1).path, '/users/42');
  });

  test('a path pattern with a method selects by both', async () => {
    const matches = async glob => (await session.call('parse_swagger', { url: `${service.url}/openapi.json`, path_globs: [glob] })).endpoints.map(e => `${e.method} ${e.path}`);
    assert.deepEqual((await matches('/users/**')).sort(), ['GET /users', 'GET /users/{id}', 'POST /users']);
    assert.deepEqual((await matches('GET /users/**')).sort(), ['GET /users', 'GET /users/{id}']);
  });

  test('a secret that the agent reads from its environment logs in', async () => {
    await session.call('create_environment', { name: 'with login', auth_requirement: 'AUTHENTICATED', project: 'shop' });
    await session.call('add_target', { environment: 'with login', name: 'service', target_type: 'REST_SERVICE', base_url: service.url });
    await session.call('set_environment_auth_endpoint', { environment: 'with login', login_endpoint: '/api/auth/login', token_json_path: '$.token' });
    await session.call('add_environment_credential', { environment: 'with login', tag: 'admin', username: 'ann', secret_ref: 'env:SHOP_PASSWORD' });
    const ended = await session.call('execute_scenario', { scenario: 'of a user', environment: 'with login', credential_tag: 'admin', wait: true, summarize: true, variables: { userId: '1' } });
    assert.equal(ended.outcome, 'PASSED', ended.summary);
    const [login, request] = service.requests.slice(-2);
    assert.deepEqual([login.path, JSON.parse(login.body)], ['/api/auth/login', { username: 'ann', password: 'pass-77aa' }]);
    assert.equal(request.headers.authorization, 'Bearer token-1');
    const record = JSON.stringify(await session.call('get_execution_status', { execution_id: ended.executionId }));
    assert.ok(!record.includes('pass-77aa') && !record.includes('token-1'));
  });
});
