// SPDX-License-Identifier: Apache-2.0
// What the five revisions of the protocol say of their messages. The official suite brings the schemas of
// four of them within its program; of 2024-11-05 no package has any, and the official SDK
// of that time speaks for it.
import fs from 'node:fs';
import vm from 'node:vm';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as sdk from 'sdk-2024-11-05/types.js';

// The schemas stand in the suite's program one after the other, and behind them a table that names each.
function readSchemas() {
  const text = fs.readFileSync(new URL('node_modules/conformance-alpha/dist/index.js', import.meta.url), 'utf8');
  const table = /const (\w+)=\{"2025-03-26":(\w+),[^}]*\[(\w+)\]:\w+\}/.exec(text);
  const begin = text.indexOf(`${table[2]}={$schema:`);
  const source = `${text.slice(begin, table.index + table[0].length)};JSON.stringify(${table[1]})`;
  return JSON.parse(vm.runInNewContext(source, { [table[3]]: '2026-07-28' }));
}

// Each specification: {names, methodOf, union, check}, by names of the schema.
function ofJsonSchema(schema) {
  const key = schema.$defs ? '$defs' : 'definitions';
  const definitions = schema[key];
  // The schemas as published want integers where their source has numbers.
  for (const bound of ['minimum', 'maximum', 'default'])
    if (definitions.NumberSchema?.properties[bound]) definitions.NumberSchema.properties[bound].type = 'number';
  const ajv = new (schema.$defs ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('byte', true);
  ajv.addSchema(schema, 'mcp');
  return {
    names: Object.keys(definitions),
    methodOf: name => definitions[name].properties?.method?.const,
    codeOf: name => definitions[name].properties?.error?.allOf?.map(part => part.properties?.code?.const).find(code => code !== undefined),
    union: name => definitions[name].anyOf.map(item => item.$ref.split('/').at(-1)),
    check(name, value) {
      const validate = ajv.getSchema(`mcp#/${key}/${name}`);
      return validate(value) ? [] : validate.errors.map(error => `${name}${error.instancePath} ${error.message}`);
    },
  };
}

function ofSdk() {
  const names = Object.keys(sdk).filter(name => name.endsWith('Schema')).map(name => name.slice(0, -'Schema'.length));
  const of = name => sdk[`${name}Schema`];
  return {
    names,
    methodOf: name => of(name).shape?.method?._def.value,
    codeOf: () => undefined,
    union: name => of(name).options.map(option => names.find(other => of(other) === option)),
    check: (name, value) => of(name).safeParse(value).error?.issues.map(issue => `${name}/${issue.path.join('/')} ${issue.message}`) ?? [],
  };
}

const specifications = new Map([['2024-11-05', ofSdk()]]);
for (const [revision, schema] of Object.entries(readSchemas())) specifications.set(revision, ofJsonSchema(schema));

export const revisions = [...specifications.keys()];

// Methods of an extension, whose results and notifications no schema of the core knows.
const extension = ['tasks/get', 'tasks/update', 'tasks/cancel', 'notifications/tasks'];
const emptyResults = ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];

// The methods that may stand in a union of the schema, such as ClientRequest or ServerNotification.
export function methodsOf(revision, union) {
  const specification = specifications.get(revision);
  return specification.names.includes(union) ? specification.union(union).map(specification.methodOf) : [];
}

function resultName(specification, method, result) {
  if (result?.resultType === 'input_required') return 'InputRequiredResult';
  if (result?.resultType === 'task' || extension.includes(method)) return 'Result';
  if (emptyResults.includes(method)) return 'EmptyResult';
  const request = specification.names.find(name => name.endsWith('Request') && specification.methodOf(name) === method);
  return request?.replace(/Request$/, 'Result');
}

function messageFindings(specification, message, method) {
  const first = (...names) => names.find(name => specification.names.includes(name));
  if (message.method !== undefined) {
    const known = specification.names.find(name => specification.methodOf(name) === message.method);
    const name = known ?? (extension.includes(message.method) && first('SubscriptionsListenRequest') ? 'JSONRPCNotification' : undefined);
    return name ? specification.check(name, message) : [`there is no method ${message.method}`];
  }
  if (message.error !== undefined) {
    const known = specification.names.find(name => message.error.code !== undefined && specification.codeOf(name) === message.error.code);
    return specification.check(known ?? first('JSONRPCErrorResponse', 'JSONRPCError'), message);
  }
  const name = resultName(specification, method, message.result);
  const envelope = specification.check(first('JSONRPCResultResponse', 'JSONRPCResponse'), message);
  return [...envelope, ...(specification.names.includes(name) ? specification.check(name, message.result) : [`${method} has no result that a schema knows`])];
}

// What is wrong with a message of the server: sentences, none if it is as the revision wants it.
// `method` is that of the request which a response answers.
export function findings(revision, message, method) {
  const specification = specifications.get(revision);
  if (Array.isArray(message)) {
    const found = specification.names.includes('JSONRPCBatchResponse') ? specification.check('JSONRPCBatchResponse', message) : ['there are no batches'];
    return [...found, ...message.flatMap((one, index) => findings(revision, one, method[index]))];
  }
  // Up to 2025-06-18 an error has to have an id, and the schema has none for a request that has none:
  // JSON-RPC says null.
  const isNameless = message.error !== undefined && message.id === null && revision < '2025-11-25';
  return messageFindings(specification, isNameless ? { ...message, id: 0 } : message, method);
}
