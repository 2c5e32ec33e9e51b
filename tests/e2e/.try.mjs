import { Session, place, lease, login, restOf } from './stack.mjs';
import fs from 'node:fs';
import net from 'node:net';
const dir = place('tools');
const s = await Session.stdio(dir);
const { tools } = await s.client.listTools();
const stack = await lease(dir);
const token = await login(stack.platform, dir);
const rest = restOf(stack.platform, token);
const owner = JSON.parse(fs.readFileSync(`${dir}/credentials`, 'utf8'));
const seen = {};
const opaque = schema => !schema.properties && schema.type !== 'array';
function walk(tool, value, schema, prefix) {
  if (Array.isArray(value)) { for (const v of value) if (schema.items) walk(tool, v, schema.items, prefix + '[]'); return; }
  if (value && typeof value === 'object') {
    if (!schema.properties) return;
    for (const [k, v] of Object.entries(value)) {
      const key = `${prefix}.${k}`;
      if (!schema.properties[k]) { console.log('UNDECLARED', tool, key); continue; }
      (seen[tool] ??= new Set()).add(key);
      walk(tool, v, schema.properties[k], key);
    }
  }
}
function declared(schema, prefix = '', out = []) {
  if (schema.type === 'array') return declared(schema.items, prefix + '[]', out);
  for (const [k, v] of Object.entries(schema.properties ?? {})) { out.push(`${prefix}.${k}`); declared(v, `${prefix}.${k}`, out); }
  return out;
}
const schemaOf = Object.fromEntries(tools.map(t => [t.name, t.outputSchema]));
async function call(name, args = {}) {
  const r = await s.raw(name, args);
  walk(name, r.structuredContent, schemaOf[name], '');
  if (process.env.SHOW) console.log(name, JSON.stringify(args).slice(0, 200), '→', JSON.stringify(r.structuredContent).slice(0, 400));
  return r.structuredContent;
}
const U = stack.platform;
const slow = net.createServer(() => {}).listen(0, '127.0.0.1'); await new Promise(r => slow.once('listening', r));
const slowUrl = `http://127.0.0.1:${slow.address().port}`;
await call('whoami'); 
for (const n of ['p1', 'p2']) await call('create_project', { name: n, description: 'd' });
await call('list_projects', { limit: 1 });
await call('onboard_project', { project_name: 'payments', applications: [{ name: 'pf', appTag: 'pf', applicationInterfaces: ['REST'], authRequirement: 'AUTHENTICATED', gitUrl: 'https://github.com/a/b', swaggerPath: '/api/openapi.json' }], environments: [{ name: 'staging', authRequirement: 'AUTHENTICATED', targets: [{ name: 'api', targetType: 'REST_SERVICE', baseUrl: U, appTag: 'pf' }] }, { name: 'dev', authRequirement: 'PUBLIC', targets: [{ name: 'slow', targetType: 'REST_SERVICE', baseUrl: slowUrl, appTag: 'pf' }] }] });
await call('onboard_project', { project_name: 'auth', applications: [{ name: 'pf', appTag: 'pf', applicationInterfaces: ['REST'] }], environments: [{ name: 'staging', authRequirement: 'AUTHENTICATED' }] });
await call('get_project_setup_status', { project: 'p1' });
await call('create_application', { project: 'p1', name: 'x', app_tag: 'x', application_interfaces: ['REST'], git_url: 'https://gitlab.com/x', swagger_path: '/s', auth_requirement: 'PUBLIC' });
await call('create_application', { project: 'p2', name: 'x2', app_tag: 'x', application_interfaces: ['REST'] });
await call('link_application_to_project', { application: 'x', project: 'p2' });
await call('list_applications', { limit: 1 }); await call('list_applications', {limit: 2});
await call('list_project_applications', { project: 'payments' });
const env = await call('create_environment', { name: 'prod', auth_requirement: 'PUBLIC', project: 'p1' });
await call('link_environment', { environment: 'prod', project: 'p2' });
await call('list_environments', {});
await call('add_target', { environment: 'prod', name: 't1', target_type: 'WEB_APP', base_url: 'https://example.com/', app_tag: 'pf', application: 'pf' }).then(r => console.log(JSON.stringify(r)));
await call('add_environment_credential', { environment: 'staging', tag: 'owner', username: owner.username, password: owner.password, is_default: true });
await call('list_environment_credentials', { environment: 'staging' });
await call('set_environment_credential_active', { environment: 'staging', tag: 'owner', active: true });
await call('set_environment_auth_endpoint', { environment: 'staging', login_endpoint: '/api/auth/login', auth_type: 'BEARER', token_json_path: '$.token' });
await call('set_target_auth', { target: 'api', auth_config: { authType: 'BEARER', credentialTag: 'owner' } });
await call('list_targets', { limit: 2 }); await call('list_targets', { environment: 'prod' });
const pid = (await call('list_projects', { query: 'payments' })).projects[0].id;
const ui = await rest('POST', '/api/ui-tests', { name: 'Title', projectId: pid, driver: 'PLAYWRIGHT', appTag: 'pf', credentialTag: 'owner', tags: ['smoke'], description: 'd', yamlText: 'name: x' });
await rest('POST', '/api/ui-tests', { name: 'Title2', projectId: pid });
await rest('POST', '/api/ui-test-suites', { name: 'All', projectId: pid, tests: [ui.body.id] });
await rest('POST', '/api/pipelines', { name: 'Nightly', projectId: pid, description: 'd', stages: [{ kind: 'api' }] });
await call('find_ui_tests', { limit: 1 }); await call('find_ui_test_suites', { name: 'al' }); await call('list_pipelines', {});
const det = await call('detect_api_spec', { base_url: U });
await call('detect_api_spec', { base_url: slowUrl.replace(/\d+$/, '1') });
await call('parse_swagger', { url: det.url, limit: 20 });
await call('parse_swagger', { content: JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'X-K' }, b: { type: 'http', scheme: 'basic' } } }, paths: { '/a': { get: { responses: { 200: { description: 'ok' } }, parameters: [{ $ref: '#/nope' }] } } } }) });
await call('create_scenario_from_swagger', { project: 'payments', environment: 'staging', url: det.url, path_globs: ['/api/health', '/api/info'], tags: ['smoke'] });
await call('create_scenario_from_swagger', { project: 'payments', environment: 'staging', url: det.url, path_globs: ['/api/health', '/api/info', '/api/auth/*', '/api/agent/**'], tags: ['smoke'], credential_tag: 'owner' });
await call('create_scenario_from_swagger', { project: 'payments', environment: 'staging', url: det.url, path_globs: ['/api/health'], tags: ['smoke', 'more'] });
await call('validate_scenario_yaml', { yaml_text: 'name: Health\nsteps:\n- {method: GETT, path: "/health/{{x}}"}', environment: 'staging' });
const yaml = 'name: Fails\nappTag: pf\ncredentialTag: owner\ntags: [smoke]\nsteps:\n- {name: one, method: GET, path: "/api/{{y}}", expect: [404], extract: {v: $.error.code}}\n- {name: two, method: GET, path: /api/info, expect: [404]}\n';
await call('create_scenario_from_yaml', { yaml_text: yaml, project: 'auth', environment: 'staging' });
await call('create_scenario_from_yaml', { yaml_text: yaml, project: 'auth' });
await call('update_api_scenario_from_yaml', { scenario: 'Fails', yaml_text: yaml + '- {method: GET, path: /api/health}\n', expected_version: 1, environment: 'staging' });
console.log(JSON.stringify(await call('update_api_scenario_from_yaml', { scenario: 'Fails', yaml_text: yaml, expected_version: 1 })));
await call('get_scenario_yaml', { scenario: 'Fails', version: 1 });
await call('create_api_scenario', { name: 'Structured', project: 'auth', environment: 'staging', steps: [{ method: 'GET', path: '/api/{{x}}', expect: [200] }], app_tag: 'pf', tags: ['nightly'], credential_tag: 'owner', description: 'd' });
await call('create_api_scenario', { name: 'NoTags', project: 'payments', steps: [{ method: 'GET', path: '/api/health', expect: [200] }], app_tag: 'pf' });
await call('execute_scenario', { scenario: 'NoTags', environment: 'staging', tags: ['hist'], wait: true });
await call('find_scenarios', { tags: ['smoke'], limit: 1 }); await call('find_scenarios', { tags: ['smoke', 'nightly', 'hist']});
await call('list_tags', {});
await call('run_by_tag', { tags: ['smoke'] });
await call('run_by_tag', { tags: ['smoke'], environment: 'staging' });
await call('run_by_tag', { tags: ['smoke'], environment: 'staging', project: 'payments', dry_run: true });
const run = await call('run_by_tag', { tags: ['smoke'], environment: 'staging', project: 'payments', max_parallel: 1 }); for (const q of run.queued) console.log((await s.ended(q.executionId)).status);
await call('run_by_tag', { tags: ['nope'], environment: 'staging' });
const ex = await call('execute_scenario', { scenario: 'Fails', environment: 'staging', wait: true, summarize: true, tags: ['ci'] });
await call('execute_scenario', { scenario: 'Structured', environment: 'staging', dry_run: true });
await call('create_scenario_from_yaml', { yaml_text: 'name: Slow\nappTag: pf\nsteps:\n- {method: GET, path: /x, timeout: 2m}', project: 'payments' });
await call('create_scenario_from_yaml', { yaml_text: 'name: Red\nappTag: pf\nsteps:\n- {method: GET, path: /api/info, expect: [404]}', project: 'payments' });
const red = await call('execute_scenario', { scenario: 'Red', environment: 'staging', wait: true });
await call('get_execution_status', { execution_id: red.id });
const t0 = Date.now();
console.log(JSON.stringify(await call('execute_scenario', { scenario: 'Slow', environment: 'dev', wait: true, stop_on_failure: true })), Date.now() - t0);
await call('get_execution_status', { execution_id: ex.executionId });
await call('summarize_execution', { execution_id: ex.id });
const err = await call('execute_scenario', { scenario: 'Structured', environment: 'staging', wait: true, summarize: true, allow_unauthenticated: true });
console.log(JSON.stringify(err));
const st = await call('get_execution_status', { execution_id: err.executionId }); console.log(JSON.stringify(st));
const job = await rest('POST', '/api/specs/import', { projectId: pid, environmentId: 1, url: det.url, dryRun: true, pathGlobs: ['/api/health'] });
await new Promise(r => setTimeout(r, 600));
await call('get_execution_status', { execution_id: job.body.jobId, kind: 'import_job' });
await call('summarize_execution', { execution_id: job.body.jobId, kind: 'import_job' });
const common = new Set(['.error', '.error.code', '.error.message', '.error.outcome', '.error.errors', '.reason', '.ask_user', '.candidates', '.candidates[].id', '.candidates[].name', '.candidates[].project', '.candidates[].count', '.scoped_by', '.truncated', '.returned']);
for (const t of tools) {
  const unseen = declared(t.outputSchema).filter(k => !seen[t.name]?.has(k) && !common.has(k));
  if (unseen.length) console.log('UNSEEN', t.name, unseen.join(' '));
}
stack.close(); await s.close(); slow.close(); process.exit(0);
