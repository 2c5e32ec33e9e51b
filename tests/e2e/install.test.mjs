// SPDX-License-Identifier: Apache-2.0
// An installed copy: one program in bin, the others in libexec/proofarc, and it works from there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { McpStdio } from '../../demo/mcp-stdio.mjs';
import { bin, place } from './stack.mjs';

test('cmake --install puts every program in its place', async () => {
  const prefix = place('install');
  execFileSync('cmake', ['--install', path.dirname(bin), '--prefix', prefix], { stdio: 'pipe' });
  assert.deepEqual(fs.readdirSync(path.join(prefix, 'bin')), ['proofarc-mcp']);
  assert.deepEqual(fs.readdirSync(path.join(prefix, 'libexec/proofarc')).sort(), ['proofarc-agent', 'proofarc-broker', 'proofarc-launcher',
    'proofarc-platform', 'proofarc-resolver', 'proofarc-worker']);
  const mcp = new McpStdio(path.join(prefix, 'bin/proofarc-mcp'), ['--transport', 'stdio', '--data-dir', path.join(prefix, 'data'), '--log-level', 'error']);
  await mcp.initialize('install');
  assert.equal((await mcp.call('create_project', { name: 'installed' })).name, 'installed');
  await mcp.close();
});
