// SPDX-License-Identifier: Apache-2.0
// Few descriptors, and disks without room: what cannot be done is told with what to do about it,
// the rest goes on, and when there is room again all works.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Programs, isLibraryThere, programs } from './fail-nth.mjs';
import { until } from './stack.mjs';

const skip = !isLibraryThere && 'it was built without tests';

describe('every program has 64 descriptors', { skip }, () => {
  const world = new Programs(() => 'ulimit -n 64 && exec PROGRAM');
  before(() => world.open());
  after(() => world.close());
  const works = async () => {
    assert.equal(await world.read(), 'ok');
    assert.equal((await world.write()).told, 'ok');
    const id = await world.queue();
    await until(() => world.hasEnded(id), 'a run ends');
  };

  test('all works', works);

  test('many calls at once are all answered', async () => {
    const told = await Promise.all(Array.from({ length: 60 }, () => world.read()));
    assert.deepEqual(told.filter(outcome => outcome !== 'ok'), []);
  });

  for (const name of ['mcp', 'platform'])
    test(`${name}: of more clients than there is room for some wait, and all is well when they have left`, async () => {
      const { port } = new URL(name === 'mcp' ? world.url : world.platform);
      const clients = Array.from({ length: 100 }, () => net.connect(Number(port), '127.0.0.1'));
      clients.forEach(client => {
        client.on('error', () => {});
        client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');  // the end of it never comes
      });
      await Promise.all(clients.map(client => new Promise(resolve => client.once('connect', resolve))));
      clients.forEach(client => client.destroy());
      await works();
    });

  test('no program has left', () => assert.deepEqual(programs.filter(name => world.runs[name].code !== null), []));
});

describe('a full disk', { skip }, () => {
  const world = new Programs();
  before(() => world.open());
  after(() => world.close());
  const error = async (tool, args) => JSON.parse((await world.session.raw(tool, args)).content[0].text).error;

  test('refuses writes with what to do, and reads go on', async () => {
    world.fill('platform');
    const refused = await error('create_environment', { name: 'late', project: 'seed', auth_requirement: 'PUBLIC' });
    assert.match(refused.message, /the disk of the database is full; make room on it and try again/);
    assert.ok(world.isReached('platform'));
    assert.equal(await world.read(), 'ok');
    assert.equal(await world.times('late'), 0);
  });

  test('a run that is under way when the disk is full ends later', async () => {
    world.empty('platform');
    const id = await world.queue();
    world.fill('platform');
    assert.equal(await world.queue(), null);
    world.empty('platform');
    await until(() => world.hasEnded(id), 'the run ends', 60000);
  });

  test('once there is room all works, also after another start, and nothing is lost', async () => {
    const { name, told } = await world.write();
    assert.equal(told, 'ok');
    const { platform } = world.runs;
    platform.child.kill('SIGKILL');
    await until(() => world.runs.platform !== platform, 'the platform is back');
    await until(async () => (await world.write()).told === 'ok', 'writes work');
    assert.equal(await world.times(name), 1);
    assert.equal(await world.times('late'), 0);
  });
});

test('logs that cannot be written harm nothing', { skip }, async () => {
  const world = new Programs(() => 'exec PROGRAM 2>/dev/full');
  try {
    await world.open();
    assert.equal(await world.read(), 'ok');
    assert.equal((await world.write()).told, 'ok');
    const id = await world.queue();
    await until(() => world.hasEnded(id), 'a run ends');
  } finally {
    await world.close();
  }
  assert.equal(world.leak(), undefined);
});
