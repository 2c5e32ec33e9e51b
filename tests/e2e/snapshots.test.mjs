// SPDX-License-Identifier: Apache-2.0
// One GET per snapshot and session: counted by a proxy between the stack and its platform.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { Session, login, place, restOf, start } from './stack.mjs';

let platform, proxy, counted, dir, rest, token;

// Forwards everything; counts GETs by path and query.
function startProxy(target) {
  const server = http.createServer((request, response) => {
    if (request.method === 'GET') counted[request.url] = (counted[request.url] ?? 0) + 1;
    const upstream = http.request(target + request.url, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const snapshots = () => Object.entries(counted).filter(([url]) => url.includes('view=names'));

before(async () => {
  dir = place('snapshots');
  const file = name => `${dir}/${name}`;
  platform = await start('proofarc-platform', ['--listen', '127.0.0.1:0', '--database', `sqlite:${file('platform.db')}`, '--vault-key', file('vault.key'),
    '--token-key', file('token.key'), '--credentials', file('credentials')]);
  counted = {};
  const direct = `http://${platform.endpoint.replace(/^http:\/\//, '')}`;
  proxy = await startProxy(direct);
  token = await login(direct, dir);
  rest = restOf(direct, token);
  for (const name of ['one', 'two', 'three']) await rest('POST', '/api/projects', { name });
  await rest('POST', '/api/environments', { name: 'staging', authRequirement: 'PUBLIC', projectId: 1 });
});
after(async () => {
  proxy.close();
  proxy.closeAllConnections?.();
  await platform.stop();
});

const open = () => Session.stdio(place('snapshots-client'), {
  args: ['--platform', `http://127.0.0.1:${proxy.address().port}`], env: { PROOFARC_TOKEN: token } });

test('fifty calls at once fetch each snapshot once', async () => {
  counted = {};
  const session = await open();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) =>
    session.call('list_environments', { project: ['one', 'two', 'nowhere'][i % 3] })));
  assert.equal(answers.filter(a => a.reason === 'not_found').length, 16);
  assert.deepEqual(snapshots(), [['/api/projects?view=names', 1]]);

  for (let turn = 0; turn < 5; turn++) await session.call('get_project_setup_status', { project: 'three' });
  assert.deepEqual(snapshots(), [['/api/projects?view=names', 1]], 'across turns');

  await session.call('create_project', { name: 'written through us' });
  const found = await session.call('get_project_setup_status', { project: 'written through us' });
  assert.equal(found.project, 'written through us');
  await session.call('run_by_tag', { tags: ['smoke'], environment: 'staging' });
  for (const [url, times] of snapshots()) assert.equal(times, 1, `after writes ${url} is fetched once`);
  await session.close();
});

test('another session has snapshots of its own', async () => {
  counted = {};
  const session = await open();
  await session.call('get_project_setup_status', { project: 'one' });
  await session.close();
  assert.deepEqual(snapshots(), [['/api/projects?view=names', 1]]);
});
