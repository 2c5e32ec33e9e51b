// SPDX-License-Identifier: Apache-2.0
// What the suites check of HTTP itself. Over stdio there is nothing of the kind, and a client that
// brings HTTP to it would be looked at in the product's stead.

// Scenario, check (null: all of it), and what it is about.
const rows = [
  ['dns-rebinding-protection', null, 'Host and Origin'],
  ['http-header-validation', null, 'Mcp-Method and Mcp-Name'],
  ['http-custom-header-server-validation', null, 'arguments in headers'],
  ['server-session-lifecycle', null, 'Mcp-Session-Id and DELETE'],
  ['server-sse-polling', null, 'ids of events, and streams that go on'],
  ['server-stateless', 'sep-2575-http-server-header-mismatch-400', 'MCP-Protocol-Version'],
  ['server-stateless', 'sep-2575-http-server-meta-invalid-400', 'the code of HTTP'],
  ['server-stateless', 'sep-2575-http-server-unsupported-version-400', 'the code of HTTP'],
  ['server-stateless', 'sep-2575-missing-capability-http-400', 'the code of HTTP'],
  ['tasks-request-headers', null, 'Mcp-Method and Mcp-Name'],
];
const used = new Set();

// True for a check that means nothing over stdio.
export function isAboutHttp({ scenario, id }) {
  const row = rows.find(([name, check]) => name === scenario && (check === null || check === id));
  used.add(row);
  return row !== undefined;
}

// Rows that no check was found for, a sentence each.
export const unusedRows = () => rows.filter(row => !used.has(row)).map(([scenario, check]) => `http-only.mjs names ${scenario} ${check ?? ''}, which no suite has`);
