// SPDX-License-Identifier: Apache-2.0
// Machines as far as the network is concerned: namespaces on one bridge, which is where the test
// itself lives, and CURVE keys for what they say to one another.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { program, start } from '../e2e/stack.mjs';

const ip = (...words) => execFileSync('ip', words, { encoding: 'utf8' });
const HUB = 'hub';
let machines = 0;

// The bridge; the test's own address is 10.77.0.1.
export function makeHub() {
  ip('link', 'add', 'name', HUB, 'type', 'bridge');
  ip('address', 'add', '10.77.0.1/24', 'dev', HUB);
  ip('link', 'set', HUB, 'up');
}

// A machine with an address of its own. cut() takes its cable out, heal() puts it back.
export class Machine {
  constructor(name) {
    this.name = name;
    this.address = `10.77.0.${10 + machines++}`;
    ip('netns', 'add', name);
    ip('link', 'add', 'name', this.cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', this.cable, 'master', HUB, 'up');
    ip('-n', name, 'address', 'add', `${this.address}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
  get cable() {
    return `to-${this.name}`;
  }
  cut() {
    ip('link', 'set', this.cable, 'down');
  }
  heal() {
    ip('link', 'set', this.cable, 'up');
  }
  // Connections with these ports, here or there, that a process here has and has not given up.
  connections(...ports) {
    const words = ports.map(port => `:${port.toString(16).toUpperCase().padStart(4, '0')} `);
    return execFileSync('ip', ['netns', 'exec', this.name, 'cat', '/proc/net/tcp'], { encoding: 'utf8' }).split('\n')
      .filter(line => / 01 /.test(line) && words.some(word => line.includes(word))).length;
  }
  start(name, args, options = {}) {
    return start('ip', ['netns', 'exec', this.name, program(name), ...args], { ...options, file: 'ip' });
  }
}

// Z85, as CURVE keys are written (rfc.zeromq.org/spec/32).
function z85(bytes) {
  const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.readUInt32BE(at);
    for (let power = 85 ** 4; power >= 1; power /= 85) text += digits[Math.floor(word / power) % 85];
  }
  return text;
}

function writePair(file) {
  const { x, d } = crypto.generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const lines = { public: z85(Buffer.from(x, 'base64url')), secret: z85(Buffer.from(d, 'base64url')) };
  const half = kinds => `metadata\ncurve\n${kinds.map(kind => `    ${kind}-key = "${lines[kind]}"\n`).join('')}`;
  fs.writeFileSync(file, half(['public']));
  fs.writeFileSync(`${file}_secret`, half(['public', 'secret']), { mode: 0o600 });
}

// Directories for --curve-dir below `dir`: of a server, of a client that it lists, and of one that
// it does not.
export function makeKeys(dir) {
  const dirs = Object.fromEntries(['server', 'client', 'stranger'].map(name => [name, path.join(dir, name)]));
  Object.values(dirs).forEach(name => fs.mkdirSync(name, { mode: 0o700 }));
  fs.mkdirSync(path.join(dirs.server, 'clients'));
  writePair(path.join(dirs.server, 'server.key'));
  for (const name of ['client', 'stranger']) {
    writePair(path.join(dirs[name], 'client.key'));
    fs.copyFileSync(path.join(dirs.server, 'server.key'), path.join(dirs[name], 'server.key'));
  }
  fs.copyFileSync(path.join(dirs.client, 'client.key'), path.join(dirs.server, 'clients', 'client.key'));
  return dirs;
}
