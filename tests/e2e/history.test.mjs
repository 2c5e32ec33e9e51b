// SPDX-License-Identifier: Apache-2.0
// A scenario without tags has those of its past runs, and what a conversation has run itself it
// finds again at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stack } from './stack.mjs';

describe('tags of runs', () => {
  let s;
  const byTag = async tags => (await s.session.call('run_by_tag', { tags, environment: 'dev', project: 'shop' })).queued?.map(run => run.name);
  before(async () => {
    s = await stack('history');
    await s.session.call('onboard_project', {
      project_name: 'shop', applications: [{ name: 'api', appTag: 'api', applicationInterfaces: ['REST'] }],
      environments: [{ name: 'dev', authRequirement: 'PUBLIC', targets: [{ name: 'api', targetType: 'REST_SERVICE', baseUrl: s.platform, appTag: 'api' }] }],
    });
    await s.session.call('create_scenario_from_yaml', { project: 'shop', yaml_text: 'name: Health\nappTag: api\nsteps:\n- {method: GET, path: /api/health}\n' });
  });
  after(() => s.close());

  test('a tag that nothing carries is asked about, with the list of names held from then on', async () => {
    const asked = await s.session.call('run_by_tag', { tags: ['nightly'], environment: 'dev', project: 'shop' });
    assert.deepEqual([asked.reason, asked.candidates], ['not_found', []]);
  });

  test('the tag of a run finds its scenario in the same conversation', async () => {
    await s.session.call('execute_scenario', { scenario: 'Health', environment: 'dev', tags: ['nightly'] });
    assert.deepEqual(await byTag(['nightly']), ['Health']);
  });

  test('so do all the tags of a run by several', async () => {
    assert.deepEqual(await byTag(['nightly', 'weekly']), ['Health']);
    assert.deepEqual(await byTag(['weekly']), ['Health']);
  });
});
