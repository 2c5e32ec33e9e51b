// SPDX-License-Identifier: Apache-2.0
// A client of proofarc-mcp over stdio that is told by HTTP what to say: each message that is posted is
// written as one line, and what is printed goes back as JSON, or as events if more than the answer
// came. It adds no answer of its own, sessions apart: each `initialize` is a process, and requests
// without one share processes, none of which has two of them open at once.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import readline from 'node:readline';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const EXIT_MS = 10000;

const keyOf = message => JSON.stringify((Array.isArray(message) ? message.find(one => 'id' in one) : message)?.id ?? null);
const isRequest = message => (Array.isArray(message) ? message.some(isRequest) : typeof message?.method === 'string' && 'id' in message);
const isStateless = message => message?.params?._meta?.[VERSION] !== undefined;

// The code that HTTP has for an error, which stdio has no place for.
function statusOf(answer, asked) {
  const code = answer.error?.code;
  if ([-32700, -32600, -32020, -32021, -32022].includes(code)) return 400;
  if (!isStateless(asked)) return 200;
  if (code === -32601) return 404;
  return code === -32602 && !asked.params._meta[CAPABILITIES] ? 400 : 200;
}

// A request that has been posted, until it is answered.
class Visit {
  constructor(request, response, message) {
    this.response = response;
    this.message = message;
    this.takesJson = /application\/json|\*\/\*/.test(request.headers.accept ?? '*/*');
  }
  get isListening() {
    return this.message?.method === 'subscriptions/listen';
  }
  event(line) {
    if (!this.response.headersSent) this.response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    this.response.write(`event: message\ndata: ${line}\n\n`);
  }
  answer(line, message) {
    if (this.response.headersSent || !this.takesJson) this.event(line);
    else this.response.writeHead(statusOf(message, this.message), { 'Content-Type': 'application/json' }).write(line);
    this.response.end();
  }
}

// A process, and what is open at it.
class Peer {
  constructor({ command, args, env }, findings) {
    this.findings = findings;
    this.visits = new Map();
    this.forgotten = new Set();
    this.stream = null;  // of a session's GET
    this.log = '';
    // Many end in the middle of something, where libzmq and OpenSSL leave to the kernel what is in their threads' hands.
    this.child = spawn(command, args, { env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0', ...env } });
    this.child.stderr.setEncoding('utf8').on('data', text => { this.log += text; });
    this.exited = new Promise(resolve => this.child.once('exit', (code, signal) => resolve(code ?? signal)));
    readline.createInterface({ input: this.child.stdout }).on('line', line => this.take(line));
  }
  get isBusy() {
    return [...this.visits.values()].some(visit => !visit.isListening);
  }
  write(text) {
    this.child.stdin.write(`${text.replaceAll('\n', ' ')}\n`);
  }
  open(text, visit) {
    const key = keyOf(visit.message);
    this.visits.set(key, visit);
    visit.response.once('close', () => this.leave(key, visit));
    this.write(text);
  }
  // The client has gone away. In the newest revision that cancels, which over stdio is a message.
  leave(key, visit) {
    if (visit.response.writableFinished || !this.visits.delete(key)) return;
    this.forgotten.add(key);
    if (isStateless(visit.message)) this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: visit.message.id } }));
  }
  // Who is meant by something that is no answer.
  visitOf({ params }) {
    const visits = [...this.visits.values()];
    if (params?._meta?.[SUBSCRIPTION] !== undefined) return this.visits.get(JSON.stringify(params._meta[SUBSCRIPTION]));
    if (params?.progressToken !== undefined) return visits.find(visit => visit.message?.params?._meta?.progressToken === params.progressToken);
    return visits.find(visit => !visit.isListening);
  }
  take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.findings.push(`no message: ${line}`);
      return;
    }
    if ('method' in message) {
      const visit = this.visitOf(message);
      if (visit) visit.event(line);
      else this.stream?.event(line);
      return;
    }
    const key = keyOf(message);
    const visit = this.visits.get(key);
    this.visits.delete(key);
    if (visit) visit.answer(line, message);
    else if (!this.forgotten.has(key)) this.findings.push(`an answer that nobody waits for: ${line}`);
  }
  async end() {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), EXIT_MS);
    const code = await this.exited;
    clearTimeout(timer);
    if (code !== 0) this.findings.push(`a process left with ${code}: ${this.log}`);
  }
}

class Bridge {
  findings = [];
  sessions = new Map();
  shared = [];

  constructor(program) {
    this.program = program;
  }
  start() {
    return new Peer(this.program, this.findings);
  }
  // One of those that answer requests of no session.
  sharedPeer(message) {
    const key = keyOf(message);
    let peer = this.shared.find(one => !one.isBusy && !one.visits.has(key));
    if (!peer) this.shared.push(peer = this.start());
    return peer;
  }
  peerOf(message, session) {
    if (isStateless(message)) return this.sharedPeer(message);
    return session === undefined ? this.sharedPeer(message) : this.sessions.get(session);
  }
  post(request, response, text) {
    let message = null;
    try {
      message = JSON.parse(text);
    } catch { /* it is answered by whoever reads the line */ }
    const begins = message?.method === 'initialize' && !isStateless(message);
    const peer = begins ? this.start() : this.peerOf(message, request.headers['mcp-session-id']);
    if (!peer) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"There is no such session."}}');
      return;
    }
    if (begins) {
      const session = randomUUID();
      this.sessions.set(session, peer);
      response.setHeader('Mcp-Session-Id', session);
    }
    if (isRequest(message) || message === null) {
      peer.open(text, new Visit(request, response, message));
      return;
    }
    const isCancelled = message.method === 'notifications/cancelled' && this.shared.find(one => one.visits.has(JSON.stringify(message.params?.requestId)));
    (isCancelled || peer).write(text);
    response.writeHead(202).end();
  }
  get(request, response) {
    const peer = this.sessions.get(request.headers['mcp-session-id']);
    if (!peer) {
      response.writeHead(405, { Allow: 'POST' }).end();
      return;
    }
    const stream = peer.stream = new Visit(request, response, null);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    response.once('close', () => { if (peer.stream === stream) peer.stream = null; });
  }
  async remove(request, response) {
    const session = request.headers['mcp-session-id'];
    const peer = this.sessions.get(session);
    this.sessions.delete(session);
    await peer?.end();
    response.writeHead(peer ? 200 : 404).end();
  }
  async close() {
    await Promise.all([...this.sessions.values(), ...this.shared].map(peer => peer.end()));
    return this.findings;
  }
}

// Serves HTTP for processes of `program` ({command, args, env}); {url, close}. close() ends all of
// them and resolves to what was wrong with them, a sentence each.
export async function startBridge(program) {
  const bridge = new Bridge(program);
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const bytes of request.setEncoding('utf8')) text += bytes;
    if (request.method === 'POST') bridge.post(request, response, text);
    else if (request.method === 'GET') bridge.get(request, response);
    else await bridge.remove(request, response);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    const findings = await bridge.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    return findings;
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close };
}
