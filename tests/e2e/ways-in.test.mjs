// SPDX-License-Identifier: Apache-2.0
// Who may come in over HTTP, over TLS, and what becomes of a secret: none is in a log, an answer or
// an error.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Session, lease, login, place, program, restOf, start, until } from './stack.mjs';
import { ask, begin, message, open, stateless } from './http.mjs';

const dir = place('ways-in');
const file = name => path.join(dir, name);
const bearer = token => ({ Authorization: `Bearer ${token}` });
const listProjects = message('tools/call', { name: 'list_projects', arguments: {} });
const password = 'pass-6f1c93d2';
let mcp, url, local, rest, token, answers = '';

// Asks and keeps what came, to be searched for secrets at the end.
async function heard(address, options) {
  const answer = await ask(address, options);
  answers += `${JSON.stringify([...answer.headers])}\n${answer.text}\n`;
  return answer;
}

before(async () => {
  mcp = await start('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir, '--log-level', 'debug']);
  url = `http://${mcp.endpoint}/mcp`;
  await until(() => fs.existsSync(file('stack.sock')), 'the stack is started');
  local = await lease(dir);
  token = await login(local.platform, dir);
  rest = restOf(local.platform, token);
});
after(async () => {
  local?.close();
  await mcp?.stop();
});

// An account and a token of it.
async function account(username, role = 'analyst') {
  const { body: { id } } = await rest('POST', '/api/users', { username, password, role });
  const { body } = await restOf(local.platform)('POST', '/api/auth/login', { username, password });
  return { id, token: body.token, close: () => rest('PATCH', `/api/users/${id}`, { active: false }) };
}

describe('a token', () => {
  test('that the platform refuses in mid-call is a 401, in every version', async () => {
    const ann = await account('ann');
    const session = await begin(url, { headers: bearer(ann.token) });
    const newest = { ...stateless('tools/call', { name: 'list_projects', arguments: {} }) };
    assert.equal((await heard(url, { headers: session, body: listProjects })).message.result.isError, undefined);
    assert.equal((await ann.close()).status, 200);
    for (const { headers, body } of [{ headers: session, body: listProjects }, { headers: { ...newest.headers, ...bearer(ann.token) }, body: newest.body }]) {
      const refused = await heard(url, { headers, body });
      assert.equal(refused.status, 401);
      assert.match(refused.headers.get('www-authenticate'), /^Bearer realm="proofarc", error="invalid_token"/);
      assert.ok(refused.message.error.message);
    }
  });

  test('that is none is a 401 before the body is looked at', async () => {
    for (const headers of [{}, bearer('nonsense-41f7'), bearer(`${token}x`), { Authorization: 'Basic bm9uc2Vuc2UtNDFmNw==' }, { Authorization: 'Bearer a b' }])
      assert.equal((await heard(url, { headers, body: message('tools/call', { name: 'list_projects', arguments: { token } }) })).status, 401, JSON.stringify(headers));
    assert.equal((await heard(`${url}?access_token=${token}`, { body: listProjects })).status, 401);
  });
});

test('no secret is in a log, an answer or an error', async () => {
  const headers = await begin(url, { headers: bearer(token) });
  const call = (name, args) => heard(url, { headers, body: message('tools/call', { name, arguments: args }) });
  await call('list_projects', { [token]: 1 });
  await call('create_project', { name: 'secrets' });
  await call('create_environment', { name: 'e', project: 'secrets', auth_requirement: 'LOGIN_REQUIRED' });
  await call('add_environment_credential', { environment: 'e', tag: 'ada', username: 'ada', password });
  await call('list_environment_credentials', { environment: 'e' });
  await call('whoami', {});
  await call('no_such_tool', {});
  await heard(url, { headers: { ...headers, 'Mcp-Session-Id': 'no-session' }, body: listProjects });
  await heard(url, { headers: { ...headers, Accept: 'text/plain' }, body: listProjects });
  await heard(`${url}/nowhere`, { headers, body: listProjects });

  // Over stdio the secrets come from the environment; the log-in is refused once and taken once.
  for (const pair of [{ PROOFARC_USERNAME: 'nobody', PROOFARC_PASSWORD: password }, { PROOFARC_TOKEN: token }, { PROOFARC_TOKEN: `${token}x` }]) {
    const input = [message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }), listProjects].map(line => `${JSON.stringify(line)}\n`).join('');
    const { stdout, stderr } = spawnSync(program('proofarc-mcp'), ['--platform', local.platform, '--data-dir', dir, '--log-level', 'debug'],
      { input, encoding: 'utf8', timeout: 30000, env: { ...process.env, ...pair } });
    assert.equal(stdout.trim().split('\n').length, 2);
    answers += stdout + stderr;
  }
  const logs = mcp.log + fs.readFileSync(file('stack.log'), 'utf8');
  assert.ok(logs.length > 1000);
  const owner = JSON.parse(fs.readFileSync(file('credentials'), 'utf8'));
  const secrets = { token, 'signature of the token': token.split('.')[2], password, 'password of the owner': owner.password, 'agent\'s token': fs.readFileSync(file('agent.token'), 'utf8').trim(), 'wrong token': 'nonsense-41f7' };
  for (const name of ['vault.key', 'token.key', 'session.key']) secrets[name] = fs.readFileSync(file(name), 'utf8').trim();
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length > 8, name);
    assert.ok(!logs.includes(secret), `${name} is in a log`);
    assert.ok(!answers.includes(secret), `${name} is in an answer`);
  }
});

// The key that signs tokens is another one from now on: whoever has logged in has to do so again.
test('who talks over stdio is logged in again when the platform has forgotten the token', async () => {
  const own = place('again'), at = name => path.join(own, name);
  const run = address => start('proofarc-platform', ['--listen', address, '--database', `sqlite:${at('platform.db')}`, '--vault-key', at('vault.key'),
    '--token-key', at('token.key'), '--credentials', at('credentials'), '--agent-token', at('agent.token')]);
  let platform = await run('127.0.0.1:0');
  const address = platform.endpoint.replace('http://', '');
  const { username, password: secret } = JSON.parse(fs.readFileSync(at('credentials')));
  const session = await Session.stdio(place('again-client'), { args: ['--platform', platform.endpoint], env: { PROOFARC_USERNAME: username, PROOFARC_PASSWORD: secret } });
  await session.call('list_projects');
  await platform.stop();
  fs.rmSync(at('token.key'));
  platform = await run(address);
  assert.equal((await session.call('create_project', { name: 'after' })).name, 'after');
  await session.close();
  await platform.stop();
});

describe('TLS', () => {
  const tls = place('tls'), at = name => path.join(tls, name);
  const certificate = name => execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${name}.key`), '-out', at(`${name}.crt`),
    '-days', '1', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' });
  const flags = (cert, key) => [...(cert ? ['--tls-cert', at(cert)] : []), ...(key ? ['--tls-key', at(key)] : [])];

  before(() => {
    certificate('one');
    certificate('other');
    fs.writeFileSync(at('junk.pem'), 'junk', { mode: 0o600 });
    fs.copyFileSync(at('one.key'), at('open.key'));
    fs.chmodSync(at('open.key'), 0o644);
  });

  for (const [cert, key, code, sentence] of [
    ['one.crt', null, 2, /--tls-cert and --tls-key go together/],
    [null, 'one.key', 2, /--tls-cert and --tls-key go together/],
    ['none.crt', 'one.key', 8, /none\.crt cannot be read/],
    ['one.crt', 'none.key', 8, /none\.key cannot be read/],
    ['one.crt', 'other.key', 8, /no certificate and key that belong together/],
    ['junk.pem', 'one.key', 8, /no certificate and key that belong together/],
    ['one.crt', 'open.key', 8, /open\.key must be readable for its owner alone/],
  ])
    test(`${cert ?? 'no certificate'} with ${key ?? 'no key'} is refused`, () => {
      const { status, stderr } = spawnSync(program('proofarc-mcp'), ['--transport', 'http', '--listen', '127.0.0.1:0', '--auth', 'none',
        '--broker', `ipc://${at('none.sock')}`, ...flags(cert, key)], { encoding: 'utf8', timeout: 20000 });
      assert.equal(status, code, stderr);
      assert.match(stderr, sentence);
    });

  // Node's fetch takes no certificate of its own.
  const post = (address, body) => new Promise((resolve, reject) => {
    const request = https.request(address, { method: 'POST', ca: fs.readFileSync(at('one.crt')),
      headers: { ...bearer(token), 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' } }, async answer => {
      let text = '';
      for await (const bytes of answer) text += bytes;
      resolve({ status: answer.statusCode, message: JSON.parse(text) });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });

  test('carries MCP, and nothing is served without it', async () => {
    const secure = await start('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--data-dir', dir, '--authorization-server', 'https://login.example', ...flags('one.crt', 'one.key')]);
    try {
      const address = `https://${secure.endpoint}/mcp`;
      const hello = await post(address, message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }));
      assert.equal(hello.message.result.serverInfo.name, 'proofarc-mcp');
      const { message: called } = await until(async () => {
        const answer = await post(address, listProjects);
        return !answer.message.result?.isError && answer;
      }, 'a call is answered');
      assert.ok(Array.isArray(JSON.parse(called.result.content[0].text).projects));
      await assert.rejects(ask(address.replace('https', 'http'), { headers: bearer(token), body: listProjects }));
      await assert.rejects(new Promise((resolve, reject) => https.get(address, resolve).on('error', reject)), /self.signed/i);
    } finally {
      await secure.stop();
    }
  });
});
