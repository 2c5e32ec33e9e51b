// SPDX-License-Identifier: Apache-2.0
// A run as a task: asked for, cancelled, and kept although the process that began it is killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../e2e/stack.mjs';
import { ask, open, stateless } from '../e2e/http.mjs';
import { startStack } from './stack.mjs';

const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
let stack, url;

before(async () => {
  stack = await startStack();
  url = stack.url;
});
after(() => stack.stop());

// One request of the newest revision; resolves to {result, error}.
async function send(method, params, capabilities = declared) {
  return (await ask(url, stateless(method, params, { capabilities }))).message;
}

async function call(name, args, capabilities) {
  const { result, error } = await send('tools/call', { name, arguments: args }, capabilities);
  assert.equal(error, undefined);
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return result;
}

async function begin() {
  const task = await call('execute_scenario', { scenario: 's', environment: 'dev', wait: true });
  assert.equal(task.resultType, 'task');
  assert.equal(task.status, 'working');
  return task.taskId;
}

test('a scenario is set up', async () => {
  await call('create_project', { name: 'p' });
  await call('create_environment', { name: 'dev', auth_requirement: 'PUBLIC', project: 'p' });
  await call('add_target', { environment: 'dev', name: 't', target_type: 'REST_SERVICE', base_url: 'http://127.0.0.1:9' });
  await call('create_api_scenario', { name: 's', project: 'p', environment: 'dev', steps: [{ method: 'GET', path: '/', expect: [200] }] });
});

test('a run that is waited for is a task, and can be cancelled', async () => {
  const taskId = await begin();
  assert.match(taskId, /^execute_scenario\.\d+\.[0-9a-f-]{36}$/);
  assert.equal((await send('tasks/get', { taskId })).result.status, 'working');
  assert.deepEqual((await send('tasks/cancel', { taskId })).error, undefined);
  assert.equal((await send('tasks/get', { taskId })).result.status, 'cancelled');
});

const isWorking = async taskId => (await send('tasks/get', { taskId })).result?.status === 'working';

test('a task outlives the worker that began it', async () => {
  const taskId = await begin();
  await stack.worker.stop('SIGKILL');
  await stack.startWorker();
  assert.ok(await isWorking(taskId));
});

test('a task outlives the broker', async () => {
  const taskId = await begin();
  await stack.broker.stop('SIGKILL');
  await stack.broker.again();
  await until(() => isWorking(taskId), 'the task is found through the new broker');
});

test('a task outlives the transport', async () => {
  const taskId = await begin();
  await stack.mcps[0].stop('SIGKILL');
  url = `http://${(await stack.mcps[0].again()).endpoint}/mcp`;
  assert.ok(await isWorking(taskId));
  assert.equal((await send('tasks/cancel', { taskId })).error, undefined);
  assert.equal((await send('tasks/get', { taskId })).result.status, 'cancelled');
});

test('whoever follows a task is told when it is over', async () => {
  const [taskId, other] = [await begin(), await begin()];
  const stream = await open(url, stateless('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { capabilities: declared, id: 'listen:0' }));
  const { message: { params } } = await stream.next(got => got.method === 'notifications/subscriptions/acknowledged');
  assert.deepEqual(params.notifications, { taskIds: [taskId] });
  await send('tasks/cancel', { taskId: other });
  await send('tasks/cancel', { taskId });
  const { message: told } = await stream.next(got => got.method === 'notifications/tasks');
  assert.equal(told.params.taskId, taskId);
  assert.equal(told.params.status, 'cancelled');
  assert.equal(told.params._meta['io.modelcontextprotocol/subscriptionId'], 'listen:0');
  assert.equal(stream.events.length, 2);
  await stream.close();
});

test('an id that was guessed finds nothing', async () => {
  const taskId = await begin();
  const guessed = taskId.replace(/.$/, last => (last === '0' ? '1' : '0'));
  assert.equal((await send('tasks/get', { taskId: guessed })).error.code, -32602);
  assert.equal((await send('tasks/cancel', { taskId: guessed })).error.code, -32602);
  assert.equal((await send('tasks/get', { taskId })).result.status, 'working');
});

test('the answer links to the run', async () => {
  const result = await call('execute_scenario', { scenario: 's', environment: 'dev' });
  const link = result.content.find(block => block.type === 'resource_link');
  assert.equal(link.uri, `proofarc://execution/${result.structuredContent.executionId}`);
  const read = await send('resources/read', { uri: link.uri });
  assert.equal(JSON.parse(read.result.contents[0].text).id, result.structuredContent.id);
});

test('prompts are offered, filled in and completed', async () => {
  const names = (await send('prompts/list', {})).result.prompts.map(prompt => prompt.name);
  for (const name of ['test_an_api', 'crawl_to_tests', 'triage_failures', 'set_up_project']) assert.ok(names.includes(name));
  const prompt = await send('prompts/get', { name: 'test_an_api', arguments: { spec_url: 'http://127.0.0.1:9/openapi.json', project: 'p' } });
  assert.match(prompt.result.messages[0].content.text, /openapi\.json.*Project: "p"/s);
  const { result } = await send('completion/complete', { ref: { type: 'ref/prompt', name: 'test_an_api' }, argument: { name: 'environment', value: 'D' } });
  assert.deepEqual(result.completion.values, ['dev']);
});

// What is proposed for an argument of a prompt or of the template of executions.
async function proposed(ref, name, value) {
  const { result } = await send('completion/complete', { ref, argument: { name, value } });
  return result.completion.values;
}

test('every argument of a prompt that is a name is completed', async () => {
  const names = { project: 'p', environment: 'dev', scenario: 's', tag: 'smoke' };
  await call('create_api_scenario', { name: 'tagged', project: 'p', environment: 'dev', tags: ['smoke'], steps: [{ method: 'GET', path: '/', expect: [200] }] });
  const { prompts } = (await send('prompts/list', {})).result;
  let count = 0;
  for (const prompt of prompts.filter(one => !one.name.startsWith('test_') || one.name === 'test_an_api'))
    for (const { name } of prompt.arguments.filter(one => one.name in names)) {
      assert.ok((await proposed({ type: 'ref/prompt', name: prompt.name }, name, '')).includes(names[name]), `${prompt.name} ${name}`);
      assert.deepEqual(await proposed({ type: 'ref/prompt', name: prompt.name }, name, 'zzz'), []);
      count += 1;
    }
  assert.ok(count >= 4, `${count} arguments`);
});

test('the address of a run is completed, the latest first', async () => {
  const template = { type: 'ref/resource', uri: 'proofarc://execution/{execution_id}' };
  const older = (await call('execute_scenario', { scenario: 's', environment: 'dev' })).structuredContent.executionId;
  const newer = (await call('execute_scenario', { scenario: 's', environment: 'dev' })).structuredContent.executionId;
  assert.deepEqual((await proposed(template, 'execution_id', '')).slice(0, 2), [newer, older]);
  assert.deepEqual(await proposed(template, 'execution_id', newer), [newer]);
  assert.deepEqual(await proposed(template, 'execution_id', 'x'), []);
  assert.deepEqual(await proposed(template, 'other', ''), []);
});
