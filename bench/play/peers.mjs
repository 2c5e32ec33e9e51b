// SPDX-License-Identifier: Apache-2.0
// The peers as processes of their own.
import path from 'node:path';
import { here, program, start } from './machine.mjs';
import { file } from './rpc.mjs';

export const serverFile = path.join(here, 'peers/server.mjs');

export async function sdk(dataFile, version, ...flags) {
  const child = await start(process.execPath, [serverFile, '--data', dataFile, '--sdk', version, ...flags]);
  const name = `SDK ${version === '1' ? '1.32.2' : '2.4.0'} ${flags.includes('--sessions') ? 'with sessions' : 'stateless'}, ${flags.includes('--sse') ? 'SSE' : 'JSON'}`;
  return { name, port: Number(child.where), pids: [child.pid], stop: child.stop };
}

// libmicrohttpd alone, sending `answer`.
export async function bareHttp(answer) {
  const child = await start(program('bench-http'), [file(answer)]);
  return { name: 'bare libmicrohttpd', port: Number(child.where), pids: [child.pid], stop: child.stop };
}
