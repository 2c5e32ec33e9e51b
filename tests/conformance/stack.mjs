// SPDX-License-Identifier: Apache-2.0
// The whole product with the fixtures' category beside its own, served over HTTP on a free port.
import fs from 'node:fs';
import path from 'node:path';
import { place, program, start } from '../e2e/stack.mjs';

const categories = ['explore', 'act', 'report', 'api_authoring', 'setup', 'environments'];

// Starts every process in the order in which each needs the other; {url, stop}.
export async function startStack(flags = []) {
  const dir = place('conformance');
  const file = name => path.join(dir, name);
  const socket = name => `ipc://${file(name)}`;
  const running = [];
  const run = async (name, args, options) => {
    const started = await start(name, args, options);
    running.push(started);
    return started;
  };
  const platform = await run('proofarc-platform', ['--listen', '127.0.0.1:0', '--database', `sqlite:${file('platform.db')}`,
    '--vault-key', file('vault.key'), '--token-key', file('token.key'), '--credentials', file('credentials'),
    '--agent-token', file('agent.token'), '--allow-private']);
  const [transports, workers, resolver] = ['t.sock', 'w.sock', 'r.sock'].map(socket);
  await run('proofarc-broker', ['--transports', transports, '--workers', workers, '--categories', [...categories, 'conformance'].join(',')]);
  await run('proofarc-resolver', ['--bind', resolver, '--platform', platform.endpoint]);
  const worker = ['--broker', workers, '--resolver', resolver, '--platform', platform.endpoint];
  const startWorker = () => run('proofarc-worker', [...categories, ...worker]);
  const first = await startWorker();
  await run('proofarc-conformance-worker', ['conformance', ...worker]);
  const { username, password } = JSON.parse(fs.readFileSync(file('credentials')));
  const mcp = await run('proofarc-mcp', ['--transport', 'http', '--listen', '127.0.0.1:0', '--auth', 'none', '--broker', transports,
    '--platform', platform.endpoint, '--data-dir', dir, ...flags],
  { env: { PROOFARC_USERNAME: username, PROOFARC_PASSWORD: password } });
  const stop = async () => {
    for (const process of running.reverse()) await process.stop();
    return running.map(process => process.log).join('');
  };
  return { url: `http://${mcp.endpoint}/mcp`, dir, stop, worker: first, startWorker };
}
