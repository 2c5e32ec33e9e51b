// SPDX-License-Identifier: Apache-2.0
// What real clients accept of the lists of tools, prompts and resources, and what the first may weigh. Run by itself it holds
// the golden files, which a unit test keeps equal to the rows, to the rules, and each rule to the
// example that breaks it. tests/e2e/list.test.mjs holds a running server to the same rules.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const KIB = 1024;
export const budget = { tools: 173, list: 96 * KIB, core: 24 * KIB, average: 550, tool: 1400 };

const keywords = ['type', 'description', 'enum', 'items', 'properties', 'required', 'minimum', 'maximum'];
const combinators = ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', '$defs', 'definitions'];
const bounds = ['minimum', 'maximum'];
const profiles = { core: 40, standard: 128, wide: 128 };  // tools: Cursor shows 40, VS Code and OpenAI take 128
const order = ['core', 'standard', 'wide', 'full'];

// The schema and all schemas below it: [path, schema, depth].
function* below(schema, path = '', depth = 1) {
  yield [path, schema, depth];
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* below(member, `${path}.${name}`, depth + 1);
  if (schema.items) yield* below(schema.items, `${path}[]`, depth);
}
const input = tool => [...below(tool.inputSchema ?? {})];
const both = tool => [...input(tool), ...below(tool.outputSchema ?? {}, 'answer')];
const named = (schemas, isWrong) => schemas.filter(([path, schema, depth]) => isWrong(schema, depth, path)).map(([path]) => path || 'inputSchema');
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

// What a client pays for: all of the entry but its output schema, which no model is given.
export const weight = ({ outputSchema, ...rest }) => Buffer.byteLength(JSON.stringify(rest));
const sum = tools => tools.reduce((total, tool) => total + weight(tool), 0);

// ---- examples: a tool that keeps all rules, and what breaks one

const good = {
  name: 'list_things', title: 'List things', description: 'List things of a project.', annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: {
      project: { type: 'string', description: 'Name or id.' },
      kind: { type: 'string', enum: ['big', 'small'], description: 'Default big.' },
      tags: { type: 'array', description: 'Any of these.', items: { type: 'string' } },
    },
    required: ['tags'],
  },
  outputSchema: { type: 'object', properties: { any: { description: 'Whatever it is.' } } },
};
const property = schema => ({ inputSchema: { type: 'object', properties: { x: { description: 'X.', ...schema } } } });
const nested = depth => (depth ? { type: 'object', description: 'Deeper.', properties: { x: nested(depth - 1) } } : { type: 'string', description: 'X.' });
const many = (count, name = i => `x${i}`) => Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), { type: 'string', description: 'X.' }]));

// One line each: the rule, whose it is, what of a tool breaks it (nothing: it is kept), an example that does.
export const rules = [
  ['the name is 1 to 40 of a-z, 0-9 and _, and begins with a letter', 'all', tool => (/^[a-z][a-z0-9_]{0,39}$/.test(tool.name) ? [] : ['name']), { name: 'list.things' }],
  ['the name has 64 characters at most as mcp__proofarc__NAME', 'Claude, OpenAI, Gemini, VS Code', tool => (`mcp__proofarc__${tool.name}`.length <= 64 ? [] : ['name']), { name: 'x'.repeat(50) }],
  ['the name has 60 characters at most with the name of the server', 'Cursor', tool => (`proofarc:${tool.name}`.length <= 60 ? [] : ['name']), { name: 'x'.repeat(52) }],
  ['there is a description, of 1,024 characters at most', 'OpenAI, VS Code; Claude cuts at 2,048', tool => (tool.description?.length <= 1024 && tool.description ? [] : ['description']), { description: 'x'.repeat(1025) }],
  ['there is a title, and a hint whether it reads or destroys', 'Claude', tool => (tool.title && ['readOnlyHint', 'destructiveHint'].some(hint => typeof tool.annotations?.[hint] === 'boolean') ? [] : ['annotations']), { annotations: {} }],
  ['the input is an object with properties', 'all', tool => (tool.inputSchema?.type === 'object' && isObject(tool.inputSchema.properties) ? [] : ['inputSchema']), { inputSchema: { type: 'object' } }],
  ['no combinator and no reference', 'Claude, Gemini, Cursor', tool => named(both(tool), schema => combinators.some(word => word in schema)), property({ anyOf: [{ type: 'string' }] })],
  ['each schema has one type', 'Cursor; Gemini misses it', tool => named(input(tool), schema => typeof schema.type !== 'string'), property({ type: ['string', 'null'] })],
  ['no keyword beside the common ones', 'Gemini', tool => named(input(tool), schema => Object.keys(schema).some(word => !keywords.includes(word))), property({ type: 'integer', default: 100 })],
  ['each property is described', 'all', tool => named(both(tool).filter(([path]) => /\.\w+$/.test(path)), schema => typeof schema.description !== 'string' || !schema.description), property({ type: 'string', description: '' })],
  ['an array has items', 'OpenAI, Gemini, VS Code', tool => named(both(tool), schema => schema.type === 'array' && !isObject(schema.items)), property({ type: 'array' })],
  ['only an object has properties, only an array items', 'Gemini', tool => named(input(tool), schema => ('properties' in schema && schema.type !== 'object') || ('items' in schema && schema.type !== 'array')), property({ type: 'string', properties: {} })],
  ['what is required is a property', 'Gemini', tool => named(input(tool), schema => 'required' in schema && !(schema.required.length && schema.required.every(name => name in (schema.properties ?? {})))), { inputSchema: { type: 'object', properties: {}, required: ['x'] } }],
  ['an enum is of different words, 100 at most', 'Gemini, OpenAI', tool => named(input(tool), ({ type, enum: words }) => words && !(type === 'string' && words.length && words.length <= 100 && words.every(word => typeof word === 'string' && word) && new Set(words).size === words.length)), property({ type: 'integer', enum: [1, 2] })],
  ['only numbers have bounds, and those are safe integers', 'Gemini; JavaScript', tool => named(input(tool), schema => bounds.some(word => word in schema && !(['integer', 'number'].includes(schema.type) && Number.isSafeInteger(schema[word])))), property({ type: 'integer', maximum: 2 ** 60 })],
  ['the name of a property is 1 to 64 letters, digits and _', 'Claude, Gemini', tool => named(input(tool), schema => Object.keys(schema.properties ?? {}).some(name => !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))), { inputSchema: { type: 'object', properties: { 'a-b': { type: 'string', description: 'X.' } } } }],
  ['objects are nested five deep at most', 'OpenAI', tool => named(input(tool), (schema, depth) => depth > 5 && schema.type === 'object'), { inputSchema: nested(6) }],
  ['100 properties at most', 'OpenAI', tool => (input(tool).length > 101 ? ['inputSchema'] : []), { inputSchema: { type: 'object', properties: many(101) } }],
  ['a name or id is never required: it is asked for', 'strict clients', tool => (tool.inputSchema?.required ?? []).filter(name => /[Nn]ame or id/.test(tool.inputSchema.properties?.[name]?.description)), { inputSchema: { ...good.inputSchema, required: ['project'] } }],
  ['the answer is an object of which nothing is required', 'clients that check it', tool => (!tool.outputSchema || (tool.outputSchema.type === 'object' && !('required' in tool.outputSchema)) ? [] : ['outputSchema']), { outputSchema: { type: 'object', required: ['x'] } }],
  ['no type of the answer is a union', 'Cursor', tool => named(both(tool), schema => Array.isArray(schema.type)), { outputSchema: { type: 'object', properties: { x: { type: ['string', 'null'], description: 'X.' } } } }],
  [`a tool weighs ${budget.tool} bytes at most`, 'the budget', tool => (weight(tool) <= budget.tool ? [] : [`${weight(tool)} bytes`]), { inputSchema: { type: 'object', properties: many(60) } }],
];

const shown = (tools, profile) => tools.filter(tool => tool.profile && order.indexOf(tool.profile) <= order.indexOf(profile));
const bare = tools => tools.map(({ profile, ...tool }) => tool);
const copies = (count, profile, more = {}) => Array.from({ length: count }, (_, i) => ({ ...good, name: `list_${i}`, profile, ...more }));

// The same of the whole list; `profile` of a tool is the smallest that shows it.
export const listRules = [
  ['names are unique', 'all', tools => tools.map(tool => tool.name).filter((name, i, all) => all.indexOf(name) !== i), [good, good]],
  ['a profile has as many tools as its clients take', 'Cursor, VS Code, OpenAI', tools => Object.entries(profiles).filter(([profile, most]) => shown(tools, profile).length > most).map(([profile]) => profile), copies(41, 'core')],
  [`the list weighs ${budget.list} bytes at most`, 'the budget', tools => (sum(bare(tools)) <= budget.list ? [] : [`${sum(bare(tools))} bytes`]), copies(300, 'full')],
  [`a tool weighs ${budget.average} bytes on average`, 'the budget', tools => (sum(bare(tools)) <= budget.average * tools.length ? [] : [`${Math.round(sum(bare(tools)) / tools.length)} bytes`]), copies(2, 'full', { description: 'x'.repeat(600) })],
  [`the profile core weighs ${budget.core} bytes at most`, 'the budget', tools => (sum(bare(shown(tools, 'core'))) <= budget.core ? [] : [`${sum(bare(shown(tools, 'core')))} bytes`]), copies(40, 'core', { description: 'x'.repeat(600) })],
];

// Lines that say which tool breaks which rule of whom, and where.
export function findings(tools) {
  const found = [];
  for (const [rule, whose, check] of rules)
    for (const { profile, ...tool } of tools) found.push(...check(tool).map(where => `${tool.name}: ${where}: ${rule} (${whose})`));
  for (const [rule, whose, check] of listRules) found.push(...check(tools).map(what => `the list: ${what}: ${rule} (${whose})`));
  return found;
}

const goodPrompt = { name: 'test_it', title: 'Test it', description: 'From nothing to tests.', arguments: [{ name: 'base_url', description: 'Where it is.', required: true }] };
const goodResource = { uriTemplate: 'proofarc://thing/{thing_id}', name: 'thing', title: 'Thing', description: 'One thing.', mimeType: 'application/json' };
const isLine = text => typeof text === 'string' && text.length > 3 && text.length <= 300 && !/[\r\n]/.test(text);

// The same of prompts, resources and templates: what a person picks from a menu.
export const menuRules = [
  ['a prompt is a command: 1 to 40 of a-z, 0-9 and _', 'Claude, VS Code', goodPrompt, ({ uri, uriTemplate, name }) => uri || uriTemplate || /^[a-z][a-z0-9_]{0,39}$/.test(name), { name: 'test it' }],
  ['there is a title of 60 characters at most', 'all', goodPrompt, ({ title }) => title && title.length <= 60, { title: '' }],
  ['it is described in one line of 300 characters at most', 'all', goodResource, ({ description }) => isLine(description), { description: 'One\nthing.' }],
  ['arguments are snake_case and described, those that have to be there first', 'Claude, VS Code', goodPrompt,
    ({ arguments: list = [] }) => list.every(({ name, description, required }, i) => /^[a-z][a-z0-9_]*$/.test(name) && isLine(description) && (!required || i === 0 || list[i - 1].required)), { arguments: [{ name: 'x' }] }],
  ['a resource has an address of ours and says what it holds', 'all', goodResource, ({ uri, uriTemplate, mimeType }) => !(uri ?? uriTemplate) || (/^proofarc:\/\/[a-z]/.test(uri ?? uriTemplate) && /^\w+\/[\w.+-]+$/.test(mimeType)), { mimeType: undefined }],
];
export const menuFindings = entries => entries.flatMap(entry => menuRules.filter(([, , , isKept]) => !isKept(entry)).map(([rule, whose]) => `${entry.name}: ${rule} (${whose})`));

// A rule that its own example does not break is no rule, nor is one that the good tool breaks.
export function unproven() {
  const silent = [
    ...rules.filter(([, , check, bad]) => !check({ ...good, ...bad }).length),
    ...listRules.filter(([, , check, bad]) => !check(bad).length),
    ...menuRules.filter(([, , good, isKept, bad]) => isKept({ ...good, ...bad })),
  ];
  return [...silent.map(([rule]) => `its example does not break: ${rule}`), ...[...findings([good]), ...menuFindings([goodPrompt, goodResource])].map(line => `a good one: ${line}`)];
}

// ---- the golden files; docs/tools.md, made from the same rows, has the profiles

const read = (root, isWanted) => fs.readdirSync(`${root}tests/golden`).filter(file => file.endsWith('.json') && isWanted(file)).map(file => JSON.parse(fs.readFileSync(`${root}tests/golden/${file}`, 'utf8')));
const isMenu = file => /^(template|prompt)-/.test(file);

function goldenTools(root) {
  const page = fs.readFileSync(`${root}docs/tools.md`, 'utf8');
  const profileOf = new Map([...page.matchAll(/^### (\w+)\n\n.*\(\w+, profile (\w+)\)$/gm)].map(([, name, profile]) => [name, profile]));
  return read(root, file => !isMenu(file)).map(tool => ({ ...tool, profile: profileOf.get(tool.name) }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const tools = goldenTools(root);
  const found = [...unproven(), ...findings(tools), ...menuFindings(read(root, isMenu)), ...tools.filter(tool => !tool.profile).map(tool => `${tool.name}: docs/tools.md has no profile of it`)];
  if (!tools.length) found.push('tests/golden has no tool');
  found.forEach(line => console.log(line));
  process.exitCode = found.length ? 1 : 0;
}
