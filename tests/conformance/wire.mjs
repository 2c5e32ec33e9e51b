// SPDX-License-Identifier: Apache-2.0
// A client of one revision that speaks to a process by raw lines, and looks at each line that comes
// back: it has to be a message as the revision's schema wants it, and one that is due.
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { until } from '../e2e/stack.mjs';
import { findings } from './schemas.mjs';

const META = 'io.modelcontextprotocol/';
export const SUBSCRIPTION = `${META}subscriptionId`;
export const everything = { elicitation: {}, sampling: {}, roots: {}, extensions: { [`${META}tasks`]: {} } };

// What the client says to each question.
const replies = {
  'elicitation/create': ({ requestedSchema }) => ({ action: 'accept', content: Object.fromEntries(Object.keys(requestedSchema.properties).map(name => [name, 'Ada'])) }),
  'sampling/createMessage': () => ({ role: 'assistant', model: 'a model', content: { type: 'text', text: 'Paris' } }),
  'roots/list': () => ({ roots: [{ uri: 'file:///tmp/a', name: 'a' }] }),
};
export const replyTo = ({ method, params }) => replies[method](params);

export class Wire {
  wrong = [];            // what the schema or the order of messages forbids, a sentence each
  lines = [];            // as they came
  notices = [];          // notifications of the server, since a test has emptied it
  asked = [];            // methods of requests to the client
  heard = new Set();     // methods of all that was no answer
  waiting = new Map();   // id → {method, resolve}
  next = 1;

  constructor({ command, args, env }, revision) {
    this.revision = revision;
    this.isStateless = revision === '2026-07-28';
    this.child = spawn(command, [...args, '--log-level', 'warning'], { env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0', ...env } });
    this.log = '';
    this.child.stderr.setEncoding('utf8').on('data', text => { this.log += text; });
    this.exited = new Promise(resolve => this.child.once('exit', (code, signal) => resolve(code ?? signal)));
    readline.createInterface({ input: this.child.stdout }).on('line', line => this.take(line));
  }

  meta(capabilities = everything, more = {}) {
    return this.isStateless ? { [`${META}protocolVersion`]: this.revision, [`${META}clientCapabilities`]: capabilities, ...more } : more;
  }

  send(text) {
    this.child.stdin.write(`${text}\n`);
  }

  // What comes back for `id` once `text` is sent; an id of null stands for an answer to no request.
  sendFor(text, id, method) {
    const answer = new Promise(resolve => this.waiting.set(JSON.stringify(id), { method, resolve }));
    this.send(text);
    return answer;
  }

  ask(method, params = {}, { id = this.next++, meta, capabilities } = {}) {
    const all = { ...params, ...((this.isStateless || meta) && { _meta: this.meta(capabilities, meta) }) };
    return this.sendFor(JSON.stringify({ jsonrpc: '2.0', id, method, params: all }), id, method);
  }

  notify(method, params = {}) {
    this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  take(line) {
    let message;
    this.lines.push(line);
    try {
      message = JSON.parse(line);
    } catch {
      this.wrong.push(`no message: ${line}`);
      return;
    }
    const key = JSON.stringify(Array.isArray(message) ? message.map(one => one.id) : message.id ?? null);
    const isAnswer = Array.isArray(message) || message.method === undefined;
    const waiting = isAnswer ? this.waiting.get(key) : undefined;
    this.wrong.push(...findings(this.revision, message, waiting?.method).map(found => `${found}: ${line}`));
    if (!isAnswer) {
      this.hear(message);
      return;
    }
    this.waiting.delete(key);
    if (waiting) waiting.resolve(message);
    else this.wrong.push(`nobody waits for it: ${line}`);
  }

  hear(message) {
    this.heard.add(message.method);
    if (message.id === undefined) {
      this.notices.push(message);
      return;
    }
    this.asked.push(message.method);
    this.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: replyTo(message) }));
  }

  async call(name, args = {}, options) {
    const { result, error } = await this.ask('tools/call', { name, arguments: args }, options);
    if (error || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result.content)}`);
    return result;
  }

  noticed(method, count = 1) {
    return until(() => this.notices.filter(notice => notice.method === method).length >= count, `${count} ${method}`);
  }

  // Ends the process as a client does; resolves to its exit code.
  async end() {
    this.child.stdin.end();
    return this.exited;
  }
}
