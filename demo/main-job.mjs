// SPDX-License-Identifier: Apache-2.0
// The main job, as a model would do it: set up a project, import the API of a running service,
// run its tests by tag with the questions on the way, read what failed.
// Usage: node demo/main-job.mjs PROOFARC_MCP WORK_DIR
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { McpStdio } from './mcp-stdio.mjs';

if (process.argv.length !== 4) {
  console.error('usage: node demo/main-job.mjs PROOFARC_MCP WORK_DIR (WORK_DIR is emptied first); ./dev run does all of it');
  process.exit(2);
}
const [program, work] = process.argv.slice(2).map(p => path.resolve(p));
const dim = text => (process.stdout.isTTY ? `\x1b[2m${text}\x1b[0m` : text);
const bold = text => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
const short = (text, length = 160) => (text.length > length ? text.slice(0, length - 1) + '…' : text);
const argument = value => (typeof value === 'string' && value.includes('\n') ? '"…yaml…"' : short(JSON.stringify(value), 60));

// The service under test: a second platform with a database of its own, tested through its
// REST interface and its own OpenAPI document.
async function startService(dir) {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = name => path.join(dir, name);
  const child = spawn(path.join(path.dirname(program), 'proofarc-platform'), [
    '--listen', '127.0.0.1:0', '--database', `sqlite:${file('service.db')}`, '--vault-key', file('vault.key'),
    '--token-key', file('token.key'), '--credentials', file('credentials'), '--log-level', 'warning', '--ready-fd', '3',
  ], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  const line = await new Promise((resolve, reject) => {
    readline.createInterface({ input: child.stdio[3] }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the service left with code ${code}`)));
  });
  const url = line.replace(/^ready /, '').replace(/^(?!http)/, 'http://');
  const owner = JSON.parse(fs.readFileSync(file('credentials'), 'utf8'));
  return { url, owner, stop: () => child.kill('SIGTERM') };
}

// One call of the conversation, printed short.
async function say(mcp, name, args, shown = result => JSON.stringify(result)) {
  console.log(`\n${bold('→')} ${name}(${Object.entries(args).map(([k, v]) => `${k}=${argument(v)}`).join(', ')})`);
  const result = await mcp.call(name, args);
  console.log(`${bold('←')} ${short(shown(result), 400)}`);
  return result;
}

const question = result => `${result.reason}: ${result.ask_user}`;

function expect(condition, sentence) {
  if (condition) return;
  throw new Error(`the conversation went wrong: ${sentence}`);
}

async function setUp(mcp, service) {
  const found = await say(mcp, 'detect_api_spec', { base_url: service.url }, r => `${r.found ? 'found' : 'nothing at'} ${r.url ?? service.url}: ${r.title}, ${r.operations} operations`);
  expect(found.found, 'the service has an OpenAPI document');
  const environments = [
    { name: 'local', authRequirement: 'AUTHENTICATED', targets: [{ name: 'service', targetType: 'REST_SERVICE', baseUrl: service.url, appTag: 'service' }] },
    { name: 'staging', authRequirement: 'AUTHENTICATED', targets: [{ name: 'service', targetType: 'REST_SERVICE', baseUrl: service.url, appTag: 'service' }] },
  ];
  for (const name of ['projects api', 'log-in'])
    await say(mcp, 'onboard_project', {
      project_name: name,
      applications: [{ name: 'service', appTag: 'service', applicationInterfaces: ['REST'], authRequirement: 'AUTHENTICATED' }],
      environments,
    }, r => `${r.project}: ${r.created.length} made, ${r.linkedExisting.length} linked`);
  await say(mcp, 'set_environment_auth_endpoint', { environment: 'local', login_endpoint: '/api/auth/login', token_json_path: '$.token' }, r => `log-in of ${r.name} is set`);
  console.log(dim('  (the password goes into the vault and into no answer, log or report)'));
  await mcp.call('add_environment_credential', { environment: 'local', tag: 'owner', username: service.owner.username, password: service.owner.password, is_default: true });
  return found.url;
}

const lifeOfAProject = `name: Life of a project
appTag: service
credentialTag: owner
hooks:
  before:
    - script: "unique:uuid"
steps:
  - name: create it
    method: POST
    path: /api/projects
    body: { name: "demo {{unique}}", description: made by a test }
    expect: [201]
    extract: { projectId: $.id }
  - name: read it back
    method: GET
    path: /api/projects/{{projectId}}
    expect: [200]
    assert:
      - path: $.id
        equals: "{{projectId}}"
      - path: $.description
        equals: made by a test
  - name: it says that it is archived, which it is not
    method: GET
    path: /api/projects/{{projectId}}
    expect: [200]
    assert:
      - path: $.archived
        equals: true
`;

const logIn = `name: Log-in
appTag: service
steps:
  - name: a wrong password is refused
    method: POST
    path: /api/auth/login
    body: { username: nobody, password: wrong }
    expect: [401]
  - name: without a token nothing is told
    method: GET
    path: /api/projects
    headers: { Authorization: "" }
    expect: [401]
`;

async function author(mcp, specUrl) {
  const preview = await say(mcp, 'parse_swagger', { url: specUrl, path_globs: ['/api/projects*', '/api/environments'], limit: 5 },
    r => `${r.total} endpoints, e.g. ${r.endpoints.slice(0, 3).map(e => `${e.method} ${e.path}`).join(', ')}`);
  expect(preview.total > 0, 'the document lists endpoints');
  await say(mcp, 'create_scenario_from_swagger', {
    project: 'projects', environment: 'local', url: specUrl, credential_tag: 'owner', tags: ['smoke'],
    path_globs: ['GET /api/health', 'GET /api/info', 'GET /api/auth/whoami', 'GET /api/applications', 'GET /api/environments', 'GET /api/targets', 'GET /api/tags'],
  }, r => `${r.created.length} scenarios: ${r.created.map(s => s.name).slice(0, 4).join(', ')} …`);
  const checked = await say(mcp, 'validate_scenario_yaml', { yaml_text: lifeOfAProject, environment: 'local' }, r => (r.valid ? `valid, ${r.stepCount} steps` : JSON.stringify(r.errors)));
  expect(checked.valid, 'the draft is valid');
  await say(mcp, 'create_scenario_from_yaml', { yaml_text: lifeOfAProject, project: 'projects api', tags: ['smoke'] }, r => `stored as ${r.id}`);
  await say(mcp, 'create_scenario_from_yaml', { yaml_text: logIn, project: 'log-in', tags: ['smoke'] }, r => `stored as ${r.id}`);
}

// Three turns: environment, project, and go.
async function runByTag(mcp) {
  console.log(`\n${bold('“Run the smoke tests.”')}`);
  const first = await say(mcp, 'run_by_tag', { tags: ['smoke'] }, question);
  expect(first.reason === 'missing_required', 'the environment is asked for');
  console.log(dim('  user: local'));
  const second = await say(mcp, 'run_by_tag', { tags: ['smoke'], environment: 'local' }, question);
  expect(second.reason === 'ambiguous' && second.candidates.length === 2, 'the project is asked for');
  console.log(dim('  user: projects'));
  const args = { tags: ['smoke'], environment: 'local', project: 'projects' };
  await say(mcp, 'run_by_tag', { ...args, dry_run: true }, r => `would queue ${r.would_queue.api_scenarios.length} scenarios`);
  const run = await say(mcp, 'run_by_tag', args, r => `${r.queued.length} queued in ${r.environment} for ${r.project}`);
  expect(run.queued.length > 1 && run.skipped.length === 0, 'the tests are queued');
  return run.queued;
}

async function waitFor(mcp, executionId) {
  for (let i = 0; i < 300; i++) {
    const status = await mcp.call('get_execution_status', { execution_id: executionId, kind: 'api_scenario' });
    if (!['QUEUED', 'PENDING', 'RUNNING'].includes(status.status)) return status;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  throw new Error(`run ${executionId} did not end within a minute`);
}

async function readResults(mcp, queued) {
  console.log(`\n${bold('→')} get_execution_status(…) and summarize_execution(…) for each of ${queued.length} runs`);
  const ended = [];
  for (const { executionId, name } of queued) {
    const status = await waitFor(mcp, executionId);
    const summary = await mcp.call('summarize_execution', { execution_id: executionId, kind: 'api_scenario' });
    console.log(`\n${summary.summary}`);
    ended.push({ executionId, name, status: status.status });
  }
  return ended;
}

// Where the stack's platform listens: the first lines of its socket say so.
function platformOf(dataDir) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path.join(dataDir, 'stack.sock'));
    readline.createInterface({ input: socket }).on('line', line => {
      const { platform } = JSON.parse(line);
      if (platform) { socket.end(); resolve(platform); }
    });
    socket.on('error', reject);
  });
}

async function saveReport(dataDir, ended, file) {
  const base = await platformOf(dataDir);
  const owner = JSON.parse(fs.readFileSync(path.join(dataDir, 'credentials'), 'utf8'));
  const login = await fetch(`${base}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(owner) });
  const { token } = await login.json();
  const report = await fetch(`${base}/api/reports?executions=${ended.map(e => e.executionId).join(',')}&title=Smoke%20tests`, { headers: { authorization: `Bearer ${token}` } });
  if (report.status !== 200) throw new Error(`the report was answered with ${report.status}`);
  fs.writeFileSync(file, await report.text());
}

function printConfiguration() {
  const servers = { mcpServers: { proofarc: { command: program, args: ['--transport', 'stdio'] } } };
  console.log(`
${bold('To use it from a client')}
Claude Desktop (claude_desktop_config.json) and Cursor (.cursor/mcp.json):
${JSON.stringify(servers, null, 2)}
Claude Code:
claude mcp add proofarc -- ${program} --transport stdio`);
}

async function main() {
  fs.rmSync(work, { recursive: true, force: true });
  fs.mkdirSync(work, { recursive: true });
  const dataDir = path.join(work, 'data');
  const service = await startService(path.join(work, 'service'));
  const mcp = new McpStdio(program, ['--transport', 'stdio', '--data-dir', dataDir, '--log-level', 'warning']);
  try {
    const { serverInfo, protocolVersion } = await mcp.initialize('main-job');
    const { tools } = await mcp.request('tools/list');
    console.log(`connected to ${serverInfo.name} ${serverInfo.version}, protocol ${protocolVersion}, ${tools.length} tools; the service under test is ${service.url}`);
    const specUrl = await setUp(mcp, service);
    await author(mcp, specUrl);
    const ended = await readResults(mcp, await runByTag(mcp));
    const failed = ended.filter(e => e.status === 'FAILED');
    expect(failed.length === 1 && failed[0].name === 'Life of a project', 'exactly the check that has to fail fails');
    expect(ended.length - 1 === ended.filter(e => e.status === 'COMPLETED').length, 'all others pass');
    const file = path.join(work, 'report.html');
    await saveReport(dataDir, ended, file);
    console.log(`\n${bold('Summary')}: ${ended.length} runs, ${ended.length - failed.length} passed, ${failed.length} failed: ${failed.map(f => f.name).join(', ')} (one check is wrong on purpose)`);
    console.log(`${bold('Report')}: ${file}`);
    printConfiguration();
  } finally {
    await mcp.close();
    service.stop();
  }
}

main().catch(error => {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
});
