// SPDX-License-Identifier: Apache-2.0
// The comparison of answers with outputSchemas finds what it is there for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from './answers.mjs';

const text = { type: 'string' };
const error = { type: 'object', properties: { code: text } };
const list = { type: 'object', properties: {
  things: { type: 'array', items: { type: 'object', properties: { name: text, open: { type: 'object' }, any: {} } } },
  total: text, returned: text, error } };
const all = ['.things', '.things[].name', '.things[].open', '.things[].any', '.total', '.returned', '.error', '.error.code'];
const found = (seen, schema = list) => compare(new Map([['list_things', schema]]), new Map(Object.entries(seen)));

test('keys that are as declared are no finding', () => {
  assert.deepEqual(found({ list_things: new Set([...all, '.things[].open.a.b', '.things[].any[].c']) }), []);
});

test('a key that was never answered is named with its tool', () => {
  assert.deepEqual(found({ list_things: new Set(all.filter(key => key !== '.things[].name')) }),
    ['list_things: .things[].name is declared and was never answered']);
  assert.equal(found({}).length, all.length, 'a tool that was never called');
});

test('a key that is not declared is named with its tool', () => {
  assert.deepEqual(found({ list_things: new Set([...all, '.things[].id', '.error.extra']) }),
    ['list_things: .things[].id was answered and is not declared', 'list_things: .error.extra was answered and is not declared']);
  assert.deepEqual(found({ list_things: new Set(all), other: new Set() }), ['other: was answered and does not exist']);
});

test('what the runtime adds has to be seen once, with any tool', () => {
  const returned = { type: 'integer', description: 'Items in this answer.' };
  const schemas = new Map([['a', { properties: { error } }], ['b', { properties: { error, returned } }]]);
  assert.deepEqual(compare(schemas, new Map([['a', new Set(['.error', '.error.code'])], ['b', new Set()]])), []);
  assert.deepEqual(compare(schemas, new Map([['a', new Set(['.error'])], ['b', new Set()]])),
    ['every tool: .error.code is declared and was never answered']);
});
