// SPDX-License-Identifier: Apache-2.0
// A test of 1,000 requests against a server on this machine, beside the same requests by curl.
import { median, run } from '../play/machine.mjs';
import { bareHttp } from '../play/peers.mjs';
import { figure } from '../play/report.mjs';
import { file } from '../play/rpc.mjs';

const STEPS = 1000;

async function scenario(ours, url) {
  const environment = await ours.rest('POST', '/api/environments', { name: 'bench', authRequirement: 'PUBLIC', projectId: 1, allowPrivate: true });
  await ours.rest('POST', `/api/environments/${environment.id}/targets`, { name: 'bench', targetType: 'REST_SERVICE', baseUrl: url });
  const steps = Array.from({ length: STEPS }, (_, i) => `  - name: step ${i + 1}\n    method: GET\n    path: /things/${i + 1}\n    expect: [200]\n`);
  const yamlText = `name: a thousand requests\nsteps:\n${steps.join('')}`;
  const { id } = await ours.rest('POST', '/api/scenarios/yaml', { yamlText, projectId: 1, environmentId: environment.id });
  return { id, environmentId: environment.id };
}

// Milliseconds from asking for the run until its result is there.
async function ourRun(ours, { id, environmentId }) {
  const began = performance.now();
  let execution = await ours.rest('POST', `/api/scenarios/${id}/execute`, { environmentId, allowUnauthenticated: true });
  while (['PENDING', 'QUEUED', 'RUNNING'].includes(execution.status)) {
    if (performance.now() - began > 60000) throw new Error('the run does not end');
    execution = await ours.rest('GET', `/api/scenarios/executions/${execution.id}?waitMs=5000`);
  }
  const took = performance.now() - began;
  if (execution.outcome !== 'PASSED') throw new Error(`the run is ${execution.status}, ${execution.outcome}: ${JSON.stringify(execution).slice(0, 500)}`);
  return took;
}

async function curlRun(config) {
  const began = performance.now();
  await run('curl', ['-s', '--fail', '-K', config], { timeout: 60000, maxBuffer: 64 * 1024 * 1024 });
  return performance.now() - began;
}

export async function apiRun({ ours }, pace) {
  const target = await bareHttp('{"ok":true}');
  const url = `http://127.0.0.1:${target.port}`;
  const config = file(Array.from({ length: STEPS }, (_, i) => `url = "${url}/things/${i + 1}"\noutput = "/dev/null"\n`).join(''));
  const what = await scenario(ours, url);
  const mine = [], curls = [];
  for (let round = 0; round < pace.rounds; round++) {
    mine.push(await ourRun(ours, what));
    curls.push(await curlRun(config));
  }
  figure('API test of 1,000 steps, asked for until its result is stored', { unit: 'ms', ours: median(mine), peer: median(curls), against: 'curl, one connection' });
  await target.stop();
}
