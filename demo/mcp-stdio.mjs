// SPDX-License-Identifier: Apache-2.0
// The least an MCP client needs to speak stdio: a line of JSON per message. The tests use the
// official client; this one needs no package, so that the demonstration runs on a bare machine.
import { spawn } from 'node:child_process';
import readline from 'node:readline';

export class McpStdio {
  #child;
  #next = 1;
  #open = new Map();

  constructor(command, args, env = {}) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    readline.createInterface({ input: this.#child.stdout }).on('line', line => this.#take(line));
    this.#child.on('error', error => this.#fail(error));
    this.#child.on('exit', code => this.#fail(new Error(`${command} left with code ${code}`)));
  }

  #fail(error) {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  #take(line) {
    const message = JSON.parse(line);
    const waiting = this.#open.get(message.id);
    if (!waiting) return;
    this.#open.delete(message.id);
    if (message.error) waiting.reject(new Error(`${message.error.code}: ${message.error.message}`));
    else waiting.resolve(message.result);
  }

  #send(message) {
    this.#child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  }

  request(method, params = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  async initialize(name) {
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' },
    });
    this.#send({ method: 'notifications/initialized' });
    return result;
  }

  // The structured result; a failure of the tool throws its sentence.
  async call(name, args = {}) {
    const result = await this.request('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.structuredContent;
  }

  close() {
    return new Promise(resolve => {
      this.#child.on('exit', resolve);
      this.#child.stdin.end();
    });
  }
}
