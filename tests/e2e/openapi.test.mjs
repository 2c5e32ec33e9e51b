// SPDX-License-Identifier: Apache-2.0
// Documents become scenarios, and these are what the documents say: every operation is there,
// its scenario is valid, comes out as YAML and goes in again unchanged, and sends a request with
// the method, path, required parameters and body that the document asks for. More documents than
// the test brings are named by PROOFARC_DOCUMENTS, separated by colons.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findingsOf, operationsOf } from './openapi.mjs';
import { place, stack } from './stack.mjs';
import { serve } from './stub.mjs';

const data = fileURLToPath(new URL('../data/openapi', import.meta.url));
const documents = [...['cafe-3.0.yaml', 'duplicates-3.0.json', 'ids-3.0.yaml', 'library-2.0.yaml', 'refs-3.0.json', 'shop-3.0.yaml', 'types-3.1.yaml',
  'webhooks-3.1.yaml', 'parts/root.yaml'].map(name => path.join(data, name)), ...(process.env.PROOFARC_DOCUMENTS?.split(':').filter(Boolean) ?? [])];

let world, session;
let serial = 0;
const call = (name, args) => session.call(name, args);

before(async () => {
  world = await stack('openapi');
  session = world.session;
});
after(() => world?.close());

// Serves the folder of the document below /docs, and every other request as the operation that
// is under way wants it.
async function serviceOf(file) {
  const state = { operation: null };
  const folder = path.dirname(file);
  state.service = await serve({}, ({ method, path: where }) => {
    const wanted = path.join(folder, decodeURIComponent(where.replace(/^\/docs\//, '')));
    if (where.startsWith('/docs/') && method === 'GET') return fs.existsSync(wanted) ? { headers: { 'content-type': 'text/plain' }, body: fs.readFileSync(wanted) } : { status: 404 };
    return { status: state.operation?.status ?? 404, body: '' };
  });
  return state;
}

async function every(cursorOf, list) {
  const found = [];
  for (let cursor; ;) {
    const page = await cursorOf(cursor);
    found.push(...page[list]);
    if (!page.nextCursor) return found;
    cursor = page.nextCursor;
  }
}

// Out as YAML, checked, in again: nothing changes. Gives the YAML.
async function roundTrip(id, name) {
  const { yamlText } = await call('get_scenario_yaml', { scenario: id });
  const checked = await call('validate_scenario_yaml', { yaml_text: yamlText });
  assert.deepEqual([checked.valid, checked.errors], [true, []], `${name}\n${yamlText}`);
  const updated = await call('update_api_scenario_from_yaml', { scenario: id, yaml_text: yamlText });
  assert.equal(updated.name, name);
  assert.equal((await call('get_scenario_yaml', { scenario: id })).yamlText, yamlText, name);
  return yamlText;
}

// A server of its own that an operation names is not ours to reach: the same path, here.
async function bringHome(id, yamlText, url) {
  const own = yamlText.match(/^baseUrl: "?(https?:\/\/[^"\s]+)"?$/m)?.[1];
  if (own) await call('update_api_scenario_from_yaml', { scenario: id, yaml_text: yamlText.replace(own, own.replace(/^https?:\/\/[^/]+/, url)) });
}

async function check(file) {
  const state = await serviceOf(file);
  const { url, requests } = state.service;
  const address = `${url}/docs/${encodeURIComponent(path.basename(file))}`;
  const name = `document ${++serial}`;
  try {
    const operations = operationsOf(file, address);
    const names = operations.map(o => o.name);
    await call('create_project', { name });
    await call('create_environment', { name, auth_requirement: 'PUBLIC', project: name });
    await call('add_target', { environment: name, name: 'service', target_type: 'REST_SERVICE', base_url: url });

    const endpoints = await every(cursor => call('parse_swagger', { url: address, ...(cursor ? { cursor } : {}) }), 'endpoints');
    assert.deepEqual(endpoints.map(e => `${e.method} ${e.path}`).sort(), [...names].sort(), 'the operations of the document');
    assert.equal(new Set(endpoints.map(e => e.name)).size, endpoints.length, 'no two endpoints have one name');

    const imported = await call('create_scenario_from_swagger', { project: name, environment: name, url: address, tags: [name] });
    assert.deepEqual([imported.total, imported.returned ?? imported.created.length], [operations.length, operations.length]);
    const findings = [];
    for (const { id, name: scenario } of imported.created) {
      const yamlText = await roundTrip(id, scenario);
      await bringHome(id, yamlText, url);
      state.operation = operations.find(o => o.name === scenario);
      assert.ok(state.operation, `${scenario} is an operation`);
      requests.length = 0;
      const ended = await call('execute_scenario', { scenario: id, environment: name, wait: true, summarize: true, allow_unauthenticated: true });
      if (ended.outcome !== 'PASSED') findings.push(`${scenario}: ${ended.summary}`);
      if (requests.length !== 1) findings.push(`${scenario}: ${requests.length} requests`);
      for (const request of requests) findings.push(...findingsOf(state.operation, request).map(finding => `${scenario}: ${finding}`));
      if (yamlText.match(/^baseUrl: "?https?:/m)) await call('update_api_scenario_from_yaml', { scenario: id, yaml_text: yamlText });
    }
    assert.deepEqual(findings, []);
    const again = await call('create_scenario_from_swagger', { project: name, environment: name, url: address, tags: [name] });
    assert.deepEqual([again.created, again.updated, again.unchanged.length], [[], [], operations.length], 'the second import changes nothing');
  } finally {
    await state.service.close();
  }
}

for (const file of documents) test(`scenarios of ${path.basename(file)} are what it says`, () => check(file));

test('scenarios of our own interface are what its document says', async () => {
  const file = path.join(place('openapi-own'), 'openapi.json');
  fs.writeFileSync(file, (await world.rest('GET', '/api/openapi.json')).text);
  await check(file);
});

test('a request that does not fit is noticed', () => {
  const operations = operationsOf(path.join(data, 'library-2.0.yaml'), 'http://127.0.0.1:1/docs/library-2.0.yaml');
  const find = (name, request) => findingsOf(operations.find(o => o.name === name), { query: '', headers: {}, body: Buffer.alloc(0), ...request });
  const json = { 'content-type': 'application/json' };
  assert.deepEqual(operations.map(o => o.name), ['GET /books', 'POST /books', 'GET /books/{isbn}', 'POST /covers', 'POST /search']);
  assert.deepEqual(find('GET /books', { method: 'GET', path: '/v2/books', query: 'limit=5&tags=new' }), []);
  assert.match(find('GET /books', { method: 'GET', path: '/v2/books', query: 'limit=5' }).join(), /query parameter tags is missing/);
  assert.match(find('GET /books', { method: 'PUT', path: '/books', query: 'limit=5&tags=new' }).join(), /method is PUT,the path \/books/);
  assert.match(find('GET /books/{isbn}', { method: 'GET', path: '/v2/books/' }).join(), /does not fit/);
  assert.match(find('GET /books/{isbn}', { method: 'GET', path: '/v2/books/1/2' }).join(), /does not fit/);
  assert.match(find('POST /books', { method: 'POST', path: '/v2/books', query: 'limit=5' }).join(), /required body is missing/);
  assert.match(find('POST /books', { method: 'POST', path: '/v2/books', query: 'limit=5', headers: json, body: Buffer.from('{') }).join(), /no JSON/);
  assert.match(find('POST /search', { method: 'POST', path: '/v2/search', headers: json, body: Buffer.from('{"text": 1}') }).join(), /application\/json, not application\/x-www-form-urlencoded/);
});
