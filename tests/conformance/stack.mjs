// SPDX-License-Identifier: Apache-2.0
// The whole product with the fixtures' category beside its own, served over HTTP on a free port.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { place, program, start } from '../e2e/stack.mjs';
import { startProxy } from './proxy.mjs';

const categories = ['explore', 'act', 'report', 'api_authoring', 'setup', 'environments'];

// Starts every process in the order in which each needs the other. With several replicas of the
// transport `url` is that of a proxy in front of them, and `urls` are their own. The fixtures may
// come later: startFixtures(env). Each process can be started once more: again(). `stdio` is the program that serves the same over stdio: {command, args, env}.
export async function startStack({ flags = [], replicas = 1, withFixtures = true } = {}) {
  const dir = place('conformance');
  const file = name => path.join(dir, name);
  const socket = name => `ipc://${file(name)}`;
  const running = [];
  const run = async (name, args, options) => {
    const started = await start(name, args, options);
    started.again = () => run(name, args, options);
    running.push(started);
    return started;
  };
  const platform = await run('proofarc-platform', ['--listen', '127.0.0.1:0', '--database', `sqlite:${file('platform.db')}`,
    '--vault-key', file('vault.key'), '--token-key', file('token.key'), '--credentials', file('credentials'),
    '--agent-token', file('agent.token'), '--allow-private']);
  const [transports, workers, resolver] = ['t.sock', 'w.sock', 'r.sock'].map(socket);
  const broker = await run('proofarc-broker', ['--transports', transports, '--workers', workers, '--categories', (withFixtures ? [...categories, 'conformance'] : categories).join(',')]);
  await run('proofarc-resolver', ['--bind', resolver, '--platform', platform.endpoint]);
  const worker = ['--broker', workers, '--resolver', resolver, '--platform', platform.endpoint];
  const startWorker = () => run('proofarc-worker', [...categories, ...worker]);
  const first = await startWorker();
  const startFixtures = (env = {}) => run('proofarc-conformance-worker', ['conformance', ...worker], { env });
  if (withFixtures) await startFixtures();
  const { username, password } = JSON.parse(fs.readFileSync(file('credentials')));
  if (replicas > 1) fs.writeFileSync(file('session.key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const shared = replicas > 1 ? ['--session-key', file('session.key')] : [];
  const behind = ['--broker', transports, '--platform', platform.endpoint, '--data-dir', dir, ...flags];
  const env = { PROOFARC_USERNAME: username, PROOFARC_PASSWORD: password };
  const stdio = { command: program('proofarc-mcp'), args: ['--transport', 'stdio', ...behind], env };
  const startReplica = () => run('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--auth', 'none', ...shared, ...behind], { env });
  const mcps = [];
  for (let i = 0; i < replicas; i++) mcps.push(await startReplica());
  const urls = mcps.map(mcp => `http://${mcp.endpoint}/mcp`);
  const proxy = replicas > 1 ? await startProxy(urls) : null;
  const stop = async () => {
    proxy?.close();
    for (const process of running.reverse()) await process.stop();
    return running.map(process => process.log).join('');
  };
  return { url: proxy ? `${proxy.url}/mcp` : urls[0], urls, stdio, dir, mcps, stop, worker: first, startWorker, startFixtures, broker, proxy };
}
