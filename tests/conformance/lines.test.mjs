// SPDX-License-Identifier: Apache-2.0
// Raw lines over stdio in every revision: each line that comes back is compared with the official
// schema of its revision, for every method, every notification and every kind of error.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { until } from '../e2e/stack.mjs';
import { findings, methodsOf, revisions } from './schemas.mjs';
import { startStack } from './stack.mjs';
import { SUBSCRIPTION, Wire, replyTo } from './wire.mjs';

const newest = '2026-07-28';
const withInitialize = revisions.filter(revision => revision !== newest);
let stack;

before(async () => {
  stack = await startStack();
  const wire = new Wire(stack.stdio, newest);
  await wire.call('create_project', { name: 'p' });
  await wire.call('create_environment', { name: 'dev', auth_requirement: 'PUBLIC', project: 'p' });
  await wire.call('add_target', { environment: 'dev', name: 't', target_type: 'REST_SERVICE', base_url: 'http://127.0.0.1:9' });
  await wire.call('create_api_scenario', { name: 's', project: 'p', environment: 'dev', steps: [{ method: 'GET', path: '/', expect: [200] }] });
  await wire.end();
});
after(() => stack?.stop());

// Method, parameters, and what comes back: a result, a failure of the tool, or the code of an error. A
// method that the revision does not have is -32601, whatever stands here.
const missing = revision => (revision === newest ? -32602 : -32002);
const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const template = { type: 'ref/resource', uri: 'test://template/{id}/data' };
const rows = [
  ['server/discover', {}, 'result'],
  ['ping', {}, 'result'],
  ['logging/setLevel', { level: 'debug' }, 'result'],
  ['logging/setLevel', { level: 'loud' }, -32602],
  ['logging/setLevel', {}, -32602],
  ['tools/list', {}, 'result'],
  ['tools/list', { cursor: 'bogus' }, -32602],
  ['tools/list', { cursor: 7 }, -32602],
  ['tools/call', { name: 'test_simple_text' }, 'result'],
  ['tools/call', { name: 'test_image_content' }, 'result'],
  ['tools/call', { name: 'test_audio_content' }, 'result'],
  ['tools/call', { name: 'test_embedded_resource' }, 'result'],
  ['tools/call', { name: 'test_multiple_content_types' }, 'result'],
  ['tools/call', { name: 'list_projects', arguments: {} }, 'result'],
  ['tools/call', { name: 'list_environments', arguments: { project: 'no such' } }, 'result'],
  ['tools/call', { name: 'execute_scenario', arguments: { scenario: 's', environment: 'dev' } }, 'result'],
  ['tools/call', { name: 'test_error_handling' }, 'failure'],
  ['tools/call', { name: 'list_projects', arguments: { nonsense: 1 } }, 'failure'],
  ['tools/call', { name: 'list_projects', arguments: [] }, -32602],
  ['tools/call', { name: 'no_such_tool' }, -32602],
  ['tools/call', { name: 7 }, -32602],
  ['tools/call', {}, -32602],
  ['resources/list', {}, 'result'],
  ['resources/list', { cursor: 'bogus' }, -32602],
  ['resources/templates/list', {}, 'result'],
  ['resources/read', { uri: 'test://static-text' }, 'result'],
  ['resources/read', { uri: 'test://static-binary' }, 'result'],
  ['resources/read', { uri: 'test://template/7/data' }, 'result'],
  ['resources/read', { uri: 'test://nothing' }, missing],
  ['resources/read', { uri: 'proofarc://execution/99999' }, missing],
  ['resources/read', {}, -32602],
  ['resources/subscribe', { uri: 'test://watched-resource' }, 'result'],
  ['resources/subscribe', {}, -32602],
  ['resources/unsubscribe', { uri: 'test://watched-resource' }, 'result'],
  ['prompts/list', {}, 'result'],
  ['prompts/get', { name: 'test_simple_prompt' }, 'result'],
  ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }, 'result'],
  ['prompts/get', { name: 'test_prompt_with_embedded_resource', arguments: { resourceUri: 'test://a' } }, 'result'],
  ['prompts/get', { name: 'test_prompt_with_image' }, 'result'],
  ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a' } }, -32602],
  ['prompts/get', { name: 'no_such_prompt' }, -32602],
  ['prompts/get', {}, -32602],
  ['completion/complete', { ref: prompt, argument: { name: 'arg1', value: 'p' } }, 'result'],
  ['completion/complete', { ref: template, argument: { name: 'id', value: '1' } }, 'result'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } }, -32602],
  ['completion/complete', { ref: prompt }, -32602],
  ['completion/complete', {}, -32602],
  ['subscriptions/listen', {}, -32602],
  ['tasks/get', { taskId: 'execute_scenario.1.nobody' }, -32602],
  ['tasks/update', { taskId: 'execute_scenario.1.nobody', inputResponses: {} }, -32602],
  ['tasks/cancel', { taskId: 'execute_scenario.1.nobody' }, -32602],
  ['tasks/list', {}, -32601],
  ['tasks/result', { taskId: '1' }, -32601],
  ['no/such/method', {}, -32601],
];
const ofNewestAlone = ['server/discover', 'subscriptions/listen', 'tasks/get', 'tasks/update', 'tasks/cancel'];
const notOfNewest = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];
const isServed = (revision, method) => !(revision === newest ? notOfNewest : ofNewestAlone).includes(method);

// What the schemas let a server say, and this one never does.
const unsaid = ['ping', 'notifications/cancelled', 'notifications/elicitation/complete', 'notifications/tasks/status', 'tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'];

// The end of the process, and of the comparison: all that the revision has was seen.
async function end(wire) {
  assert.equal(await wire.end(), 0, wire.log);
  assert.equal(wire.waiting.size, 0);
  const known = ['ServerNotification', 'ServerRequest'].flatMap(union => methodsOf(wire.revision, union));
  assert.deepEqual(known.filter(method => !unsaid.includes(method) && !wire.heard.has(method)), []);
}

function outcomeOf({ result, error }) {
  if (error) return error.code;
  return result.isError ? 'failure' : 'result';
}

// What is no request: the line, the code of the error, and the id that it is told with.
const garbage = [
  ['garbage', -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, null],
  ['"text"', -32600, null],
  ['42', -32600, null],
  ['[]', -32600, null],
  ['{}', -32600, null],
  ['{"jsonrpc":"2.0","id":5}', -32600, 5],
  ['{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5],
  ['{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
  ['{"jsonrpc":"2.0","id":"a","method":"ping","method":"ping"}', -32600, 'a'],
  ['{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[]}', -32602, 'a'],
  [`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"a":"${'x'.repeat(4 << 20)}"}}`, -32600, null],
];

async function begin(wire) {
  const { result } = await wire.ask('initialize', { protocolVersion: wire.revision, capabilities: { elicitation: {}, sampling: {}, roots: {} }, clientInfo: { name: 'lines', version: '1' } });
  assert.equal(result.protocolVersion, wire.revision);
  wire.notify('notifications/initialized');
}

async function sendGarbage(wire) {
  for (const [line, code, id] of garbage) {
    const { error } = await wire.sendFor(line, id);
    assert.equal(error.code, code, line.slice(0, 100));
    assert.match(error.message, /\S/);
  }
}

async function sendRows(wire) {
  for (const [method, params, expected] of rows) {
    const wanted = typeof expected === 'function' ? expected(wire.revision) : expected;
    const answer = await wire.ask(method, params);
    assert.equal(outcomeOf(answer), isServed(wire.revision, method) ? wanted : -32601, `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)}`);
  }
  const asked = new Set(rows.map(([method]) => method));
  assert.deepEqual(methodsOf(wire.revision, 'ClientRequest').filter(method => !asked.has(method) && method !== 'initialize'), []);
}

async function tellProgress(wire) {
  for (const progressToken of ['a', 0, 7, '0']) {
    wire.notices = [];
    await wire.call('test_tool_with_progress', {}, { meta: { progressToken } });
    assert.deepEqual(wire.notices.map(({ method, params }) => [method, params.progressToken, params.progress]), [0, 50, 100].map(done => ['notifications/progress', progressToken, done]));
  }
  wire.notices = [];
  await wire.call('test_tool_with_progress');
  assert.deepEqual(wire.notices, []);
}

// Nothing is said any more of a request that is cancelled; what follows it is served.
async function cancelOne(wire) {
  const id = 'cancelled';
  wire.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'test_reconnection', _meta: wire.meta() } }));
  wire.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' });
  wire.notify('notifications/cancelled', { requestId: 'of nobody' });
  wire.notify('notifications/cancelled', {});
  await wire.call('test_reconnection');
  assert.equal(wire.lines.some(line => JSON.parse(line).id === id), false);
}

async function echoIds(wire) {
  for (const id of ['"007"', '"1e3"', '9007199254740993', '123456789012345678901234567890', '-1', '0', '"\\u0041"']) {
    const params = wire.isStateless ? `,"params":{"_meta":${JSON.stringify(wire.meta())}}` : '';
    await wire.sendFor(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"${params}}`, JSON.parse(id), 'tools/list');
    assert.ok(wire.lines.at(-1).includes(`"id":${id},`), wire.lines.at(-1).slice(0, 80));
  }
}

for (const revision of withInitialize)
  describe(revision, () => {
    let wire;
    before(() => { wire = new Wire(stack.stdio, revision); });
    afterEach(() => assert.deepEqual(wire.wrong.splice(0), []));
    after(() => wire.child.kill());

    test('it is agreed on', async () => {
      await begin(wire);
      wire.notify('notifications/of/nobody');
      wire.notify('notifications/roots/list_changed');
    });

    test('every method is answered as the schema says', async () => {
      await sendRows(wire);
      for (const [method, params] of [['ping', {}], ['logging/setLevel', { level: 'info' }], ['resources/subscribe', { uri: 'test://watched-resource' }]])
        assert.deepEqual((await wire.ask(method, params)).result, {});
    });

    test('what is no request is told so, and the next line is served', async () => {
      await sendGarbage(wire);
      assert.deepEqual((await wire.ask('ping')).result, {});
    });

    test('an array is taken in 2025-03-26 alone', async () => {
      const two = '[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b2","method":"tools/list"}]';
      if (revision === '2025-03-26') assert.equal((await wire.sendFor(two, ['b1', 'b2'], ['ping', 'tools/list'])).length, 2);
      else assert.equal((await wire.sendFor(two, null)).error.code, -32600);
    });

    test('ids come back as they were written', () => echoIds(wire));

    test('progress has the token of its request', () => tellProgress(wire));

    test('logs come from the level on that was set', async () => {
      wire.notices = [];
      await wire.ask('logging/setLevel', { level: 'error' });
      await wire.call('test_tool_with_logging');
      assert.deepEqual(wire.notices, []);
      await wire.ask('logging/setLevel', { level: 'info' });
      await wire.call('test_tool_with_logging');
      assert.deepEqual(wire.notices.map(({ method, params }) => [method, params.level]), Array(3).fill(['notifications/message', 'info']));
    });

    test('the client is asked what the revision can ask', async () => {
      const known = methodsOf(revision, 'ServerRequest');
      for (const [name, args, method] of [['test_elicitation', { message: 'Who?' }, 'elicitation/create'], ['test_sampling', { prompt: 'Say.' }, 'sampling/createMessage'], ['test_input_required_result_list_roots', {}, 'roots/list']]) {
        wire.asked = [];
        const answer = await wire.ask('tools/call', { name, arguments: args });
        assert.equal(outcomeOf(answer), known.includes(method) ? 'result' : 'failure', JSON.stringify(answer));
        assert.deepEqual(wire.asked, known.includes(method) ? [method] : []);
      }
    });

    test('changes are told', async () => {
      wire.notices = [];
      await wire.ask('resources/subscribe', { uri: 'test://watched-resource' });
      for (const name of ['test_trigger_tool_change', 'test_trigger_prompt_change', 'test_trigger_resource_change']) await wire.call(name);
      for (const method of ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'resources/updated']) await wire.noticed(`notifications/${method}`);
    });

    test('a cancelled request is answered by nothing', () => cancelOne(wire));

    test('the end of the input ends it, and all that it can say was seen', () => end(wire));
  });

describe(newest, () => {
  let wire;
  before(() => { wire = new Wire(stack.stdio, newest); });
  afterEach(() => assert.deepEqual(wire.wrong.splice(0), []));
  after(() => wire.child.kill());

  test('every method is answered as the schema says', () => sendRows(wire));

  test('what is no request is told so, and the next line is served', async () => {
    await sendGarbage(wire);
    assert.equal(outcomeOf(await wire.ask('tools/list')), 'result');
  });

  test('what a request says of itself is looked at', async () => {
    const version = 'io.modelcontextprotocol/protocolVersion', capabilities = 'io.modelcontextprotocol/clientCapabilities';
    for (const [meta, code] of [
      [{ [version]: newest }, -32602], [{ [version]: newest, [capabilities]: [] }, -32602], [{ [version]: 7, [capabilities]: {} }, -32602],
      [{ [version]: newest, [capabilities]: {}, 'io.modelcontextprotocol/logLevel': 'loud' }, -32602],
      [{ [version]: '2099-01-01', [capabilities]: {} }, -32022], [{ [version]: '2025-11-25', [capabilities]: {} }, -32022],
      [{ [capabilities]: {} }, -32602], [{}, -32602],
    ]) {
      const { error } = await wire.sendFor(JSON.stringify({ jsonrpc: '2.0', id: 'm', method: 'server/discover', params: { _meta: meta } }), 'm', 'server/discover');
      assert.equal(error.code, code, JSON.stringify(meta));
    }
    for (const method of notOfNewest) assert.equal(outcomeOf(await wire.ask(method)), -32601);
  });

  test('ids come back as they were written', () => echoIds(wire));

  test('progress has the token of its request', () => tellProgress(wire));

  test('logs come from the level on that the request names', async () => {
    wire.notices = [];
    await wire.call('test_tool_with_logging');
    await wire.call('test_tool_with_logging', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'error' } });
    assert.deepEqual(wire.notices, []);
    await wire.call('test_tool_with_logging', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'info' } });
    assert.deepEqual(wire.notices.map(({ method, params }) => [method, params.level]), Array(3).fill(['notifications/message', 'info']));
  });

  test('a question is a result, and what it needs has to be declared', async () => {
    for (const name of ['test_input_required_result_elicitation', 'test_input_required_result_sampling', 'test_input_required_result_list_roots', 'test_input_required_result_multiple_inputs']) {
      const { result } = await wire.ask('tools/call', { name });
      assert.equal(result.resultType, 'input_required');
      const inputResponses = Object.fromEntries(Object.entries(result.inputRequests).map(([key, request]) => [key, replyTo(request)]));
      const again = { name, inputResponses, ...(result.requestState && { requestState: result.requestState }) };
      assert.equal((await wire.ask('tools/call', again)).result.resultType, 'complete');
      if (result.requestState) assert.equal((await wire.ask('tools/call', { ...again, requestState: `${result.requestState}x` })).error.code, -32602);
    }
    assert.equal((await wire.ask('prompts/get', { name: 'test_input_required_result_prompt' })).result.resultType, 'input_required');
    const { error } = await wire.ask('tools/call', { name: 'test_missing_capability' }, { capabilities: {} });
    assert.equal(error.code, -32021);
    assert.deepEqual(error.data, { requiredCapabilities: { sampling: {} } });
    assert.equal((await wire.ask('tasks/get', { taskId: 'x' }, { capabilities: {} })).error.code, -32021);
    assert.deepEqual(wire.asked, []);
  });

  test('a task is got, updated, cancelled, and followed', async () => {
    const { resultType, taskId } = await wire.call('execute_scenario', { scenario: 's', environment: 'dev', wait: true });
    assert.equal(resultType, 'task');
    const id = 'follows';
    wire.notices = [];
    wire.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications: { taskIds: [taskId] }, _meta: wire.meta() } }));
    await wire.noticed('notifications/subscriptions/acknowledged');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/get'])
      assert.equal((await wire.ask(method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) })).result.resultType, 'complete');
    await until(() => wire.notices.some(({ method, params }) => method === 'notifications/tasks' && params.status === 'cancelled'), 'the end of the task is told');
    assert.equal(wire.notices.at(-1).params._meta[SUBSCRIPTION], id);
    wire.notify('notifications/cancelled', { requestId: id });
  });

  test('a subscription is told what it asked for, and that it is over', async () => {
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['test://watched-resource'] };
    wire.notices = [];
    const all = wire.ask('subscriptions/listen', { notifications }, { id: 'all' });
    await wire.noticed('notifications/subscriptions/acknowledged');
    const tools = wire.ask('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 7 });
    await wire.noticed('notifications/subscriptions/acknowledged', 2);
    wire.send(JSON.stringify({ jsonrpc: '2.0', id: 'cancelled', method: 'subscriptions/listen', params: { notifications, _meta: wire.meta() } }));
    await wire.noticed('notifications/subscriptions/acknowledged', 3);
    wire.notify('notifications/cancelled', { requestId: 'cancelled' });
    wire.notices = [];
    for (const name of ['test_trigger_tool_change', 'test_trigger_prompt_change', 'test_trigger_resource_change']) await wire.call(name);
    for (const method of ['prompts/list_changed', 'resources/list_changed', 'resources/updated']) await wire.noticed(`notifications/${method}`);
    await wire.noticed('notifications/tools/list_changed', 2);
    assert.deepEqual(wire.notices.map(({ method, params }) => `${params._meta[SUBSCRIPTION]} ${method.slice('notifications/'.length)}`).sort(),
      ['7 tools/list_changed', 'all prompts/list_changed', 'all resources/list_changed', 'all resources/updated', 'all tools/list_changed']);
    await cancelOne(wire);
    await end(wire);
    assert.deepEqual([(await all).result._meta[SUBSCRIPTION], (await tools).result._meta[SUBSCRIPTION]], ['all', 7]);
  });
});

// Ten seconds for all of them: so long a broker is waited for.
test('what cannot be served is told as the schema says', () => Promise.all(revisions.map(async revision => {
  const wire = new Wire({ command: stack.stdio.command, args: ['--broker', `ipc://${stack.dir}/nobody.sock`] }, revision);
  if (!wire.isStateless) await begin(wire);
  const answers = await Promise.all([wire.ask('tools/list'), wire.ask('tools/call', { name: 'list_projects' }), wire.ask('resources/read', { uri: 'test://static-text' })]);
  assert.deepEqual(answers.map(outcomeOf), [-32603, 'failure', -32603]);
  assert.equal(await wire.exited, 6);
  assert.deepEqual(wire.wrong, []);
})));

describe('the comparison itself', () => {
  const answer = result => ({ jsonrpc: '2.0', id: 1, result });
  const sealed = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const broken = [
    ['a tool without a schema', answer({ ...sealed, tools: [{ name: 'a', description: 'b' }] }), 'tools/list'],
    ['a block of no kind', answer({ ...sealed, content: [{ type: 'smell', text: 'x' }] }), 'tools/call'],
    ['a result without its member', answer(sealed), 'resources/list'],
    ['a result that is text', answer('done'), 'ping'],
    ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }, 'ping'],
    ['an error whose code is text', { jsonrpc: '2.0', id: 1, error: { code: '-32600', message: 'x' } }, 'ping'],
    ['an id that is no id', { jsonrpc: '2.0', id: {}, error: { code: -32600, message: 'x' } }, 'ping'],
    ['another version of JSON-RPC', { ...answer({ ...sealed, tools: [] }), jsonrpc: '1.0' }, 'tools/list'],
    ['progress without a token', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }],
    ['a log without a level', { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } }],
    ['a change of nothing', { jsonrpc: '2.0', method: 'notifications/resources/updated', params: {} }],
    ['a notification of no kind', { jsonrpc: '2.0', method: 'notifications/of/nobody' }],
    ['an answer to an unknown method', answer(sealed), 'no/such'],
  ];
  for (const revision of revisions)
    test(`finds what is wrong in ${revision}`, () => {
      for (const [name, message, method] of broken) assert.notDeepEqual(findings(revision, message, method), [], name);
      assert.deepEqual(findings(revision, answer({ ...sealed, tools: [{ name: 'a', inputSchema: { type: 'object' } }] }), 'tools/list'), []);
      assert.notDeepEqual(findings(revision, [answer({})], ['ping']), revision === '2025-03-26' ? ['none'] : []);
    });

  test('finds a block that an older revision does not have', () => {
    const link = answer({ content: [{ type: 'resource_link', uri: 'test://a', name: 'a' }] });
    const sound = answer({ content: [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }] });
    assert.deepEqual(withInitialize.map(revision => findings(revision, link, 'tools/call').length === 0), [false, false, true, true]);
    assert.deepEqual(withInitialize.map(revision => findings(revision, sound, 'tools/call').length === 0), [false, true, true, true]);
  });
});
