// SPDX-License-Identifier: Apache-2.0
// A real service: Unleash on PostgreSQL. Its API document is found and imported, its log-in is
// kept in the vault, read-only operations are run by tag.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Session, lease, login, place, restOf, until } from './stack.mjs';

const server = fileURLToPath(new URL('../unleash/node_modules/unleash-server/dist/server.js', import.meta.url));
const password = 'unleash4all';
let database, unleash, base, session, dir;

const freePort = () => new Promise(resolve => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

// PostgreSQL does not run as root: then it runs as the user its package brings.
function postgres(dataDir, port) {
  const bin = `/usr/lib/postgresql/${fs.readdirSync('/usr/lib/postgresql').sort((a, b) => a - b).at(-1)}/bin`;
  const asRoot = process.getuid() === 0;
  const run = (name, ...args) => execFileSync(asRoot ? 'runuser' : `${bin}/${name}`, asRoot ? ['-u', 'postgres', '--', `${bin}/${name}`, ...args] : args,
    { stdio: 'pipe', cwd: '/' });
  fs.mkdirSync(dataDir, { mode: 0o700 });
  if (asRoot) execFileSync('chown', ['postgres', dataDir]);
  run('initdb', '-D', `${dataDir}/db`, '-A', 'trust', '-U', 'unleash', '--no-sync');
  run('pg_ctl', '-D', `${dataDir}/db`, '-o', `-p ${port} -c listen_addresses=127.0.0.1 -c fsync=off -k ${dataDir}`, '-l', `${dataDir}/log`, '-w', 'start');
  execFileSync('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'unleash', '-d', 'postgres', '-c', 'CREATE DATABASE unleash'], { stdio: 'pipe' });
  return () => run('pg_ctl', '-D', `${dataDir}/db`, '-m', 'immediate', 'stop');
}

before(async () => {
  dir = place('unleash');
  fs.chmodSync(dir, 0o711);  // the database's user passes through
  const [databasePort, port] = [await freePort(), await freePort()];
  database = postgres(path.join(dir, 'pg'), databasePort);
  base = `http://127.0.0.1:${port}`;
  unleash = spawn('node', [server], { stdio: 'ignore', env: { ...process.env, DATABASE_URL: `postgres://unleash@127.0.0.1:${databasePort}/unleash`,
    DATABASE_SSL: 'false', HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port), ENABLE_OAS: 'true', CHECK_VERSION: 'false', SEND_TELEMETRY: 'false' } });
  await until(async () => (await fetch(`${base}/health`).catch(() => null))?.status === 200, 'Unleash answers', 90000);
  session = await Session.stdio(path.join(dir, 'data'));
});
after(async () => {
  await session?.close();
  unleash?.kill('SIGKILL');
  database?.();
});

test('its API is found, imported, and run by tag with its own log-in', async () => {
  const found = await session.call('detect_api_spec', { base_url: base });
  assert.deepEqual([found.found, found.url, found.title], [true, `${base}/docs/openapi.json`, 'Unleash API']);
  assert.ok(found.operations > 200, String(found.operations));

  await session.call('onboard_project', {
    project_name: 'feature flags',
    applications: [{ name: 'unleash', appTag: 'unleash', applicationInterfaces: ['REST'], authRequirement: 'AUTHENTICATED' }],
    environments: [{ name: 'here', authRequirement: 'AUTHENTICATED', targets: [{ name: 'unleash', targetType: 'REST_SERVICE', baseUrl: base, appTag: 'unleash' }] }],
  });
  await session.call('set_environment_auth_endpoint', { environment: 'here', login_endpoint: '/auth/simple/login', auth_type: 'COOKIE' });
  await session.call('add_environment_credential', { environment: 'here', tag: 'admin', username: 'admin', password, is_default: true });

  const paths = ['GET /api/admin/projects', 'GET /api/admin/features*', 'GET /api/admin/environments', 'GET /api/admin/user', 'GET /api/admin/ui-config',
    'GET /api/admin/tags', 'GET /api/admin/segments', 'GET /api/admin/strategies', 'GET /api/admin/strategies/{name}', 'GET /health'];
  const preview = await session.call('parse_swagger', { url: found.url, path_globs: paths, limit: 3 });
  assert.ok(preview.total >= 8 && preview.returned === 3);
  const imported = await session.call('create_scenario_from_swagger', { project: 'feature flags', environment: 'here', url: found.url,
    path_globs: paths, credential_tag: 'admin', tags: ['read-only'] });
  assert.equal(imported.created.length, preview.total);
  const again = await session.call('create_scenario_from_swagger', { project: 'feature flags', environment: 'here', url: found.url,
    path_globs: paths, credential_tag: 'admin', tags: ['read-only'] });
  assert.equal(again.created.length + again.updated.length, 0, 'the names are stable');
  assert.equal(again.unchanged.length, preview.total);

  const run = await session.call('run_by_tag', { tags: ['read-only'], environment: 'here' });
  assert.equal(run.queued.length, preview.total);
  const ended = await Promise.all(run.queued.map(({ executionId }) => session.ended(executionId)));
  const passed = ended.filter(e => e.status === 'COMPLETED'), failed = ended.filter(e => e.status === 'FAILED');
  assert.equal(passed.length + failed.length, ended.length, JSON.stringify(ended.filter(e => e.status === 'ERROR')));
  assert.ok(passed.length >= 5, `real passes: ${passed.length}`);
  assert.ok(failed.length >= 1, 'a real finding: the strategy of the example does not exist');
  for (const { executionId } of failed.slice(0, 1)) {
    const { summary } = await session.call('summarize_execution', { execution_id: executionId, kind: 'api_scenario' });
    assert.match(summary, /status is 404/);
  }

  // The password and the session cookie are in no report.
  const told = await lease(path.join(dir, 'data'));
  const rest = restOf(told.platform, await login(told.platform, path.join(dir, 'data')));
  const report = await rest('GET', `/api/reports?executions=${run.queued.map(q => q.executionId).join(',')}`);
  assert.equal(report.status, 200);
  for (const secret of [password, Buffer.from(password).toString('base64').slice(0, -2), encodeURIComponent(password), 's%3A'])
    assert.ok(!report.text.includes(secret), `the report holds ${secret}`);
  told.close();
});
