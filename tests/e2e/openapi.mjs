// SPDX-License-Identifier: Apache-2.0
// An OpenAPI document read independently of the product, just far enough to say which operations
// it has and whether a request fits one of them.
import fs from 'node:fs';
import path from 'node:path';
import yaml from 'yaml';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const noHeaders = ['accept', 'content-type', 'authorization'];  // OpenAPI ignores parameters of these names

// A file and what its $refs lead to; a ref that leads nowhere or in a circle is undefined.
class Files {
  constructor(root) { this.root = root; this.read = new Map(); }
  open(file) {
    if (!this.read.has(file)) this.read.set(file, yaml.parseDocument(fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), { merge: true, uniqueKeys: false, logLevel: 'silent', maxAliasCount: -1 }));
    return this.read.get(file);
  }
  json(file) {
    const document = this.open(file);
    return document.json ??= document.toJS({ maxAliasCount: -1 });
  }
  // {value, file} behind all $refs.
  follow(value, file, depth = 0) {
    if (!isObject(value) || typeof value.$ref !== 'string') return { value, file };
    const [where, pointer = ''] = value.$ref.split('#');
    if (depth > 50 || /^\w+:/.test(where)) return { file };
    const other = where ? path.resolve(path.dirname(file), decodeURIComponent(where)) : file;
    if (!fs.existsSync(other) || path.relative(path.dirname(this.root), other).startsWith('..')) return { file };
    let found = this.json(other);
    for (const part of pointer.split('/').slice(1)) found = found?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
    return this.follow(found, other, depth + 1);
  }
}

// The servers' first address, made absolute: what stands before the path.
function base(document, servers, url) {
  if (document.swagger) return new URL(document.basePath ?? '', `${document.schemes?.[0] ?? 'http'}://${document.host ?? new URL(url).host}/`);
  const [server] = servers ?? [];
  const text = (server?.url ?? '/').replace(/\{([^}]*)\}/g, (_, name) => server.variables?.[name]?.default ?? server.variables?.[name]?.enum?.[0] ?? '');
  return new URL(text, url);
}

function parametersOf(files, item, operation, file, itemFile) {
  const byName = new Map();
  for (const [list, at] of [[item.parameters, itemFile], [operation.parameters, file]])
    for (const given of Array.isArray(list) ? list : []) {
      const { value, file: where } = files.follow(given, at);
      if (isObject(value) && value.name) byName.set(`${value.in} ${value.name}`, { ...value, schema: files.follow(value.schema ?? value, where).value });
    }
  return [...byName.values()];
}

function contentOf(files, document, operation, parameters, file) {
  if (!document.swagger) {
    const body = files.follow(operation.requestBody, file).value;
    return { types: Object.keys(body?.content ?? {}), required: body?.required === true };
  }
  const sent = parameters.filter(p => p.in === 'body' || p.in === 'formData');
  const types = operation.consumes ?? document.consumes ?? [];
  const isForm = sent.some(p => p.in === 'formData');
  const fallback = sent.some(p => p.type === 'file') ? 'multipart/form-data' : isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return { types: sent.length ? types.length ? types : [fallback] : [], required: sent.some(p => p.required) };
}

// A status that the document promises, as the test's service gives it.
function statusOf(responses) {
  const all = Object.keys(responses ?? {});
  const good = all.filter(s => /^2\d\d$/.test(s)), other = all.filter(s => /^[13]\d\d$/.test(s));
  if (good.length) return Number(good[0]);
  return all.some(s => /^2xx$/i.test(s)) || all.includes('default') || !other.length ? 200 : Number(other[0]);
}

// Every operation of the file, with all that a request to it must have.
export function operationsOf(file, url) {
  const files = new Files(file);
  const document = files.json(file);
  const operations = [];
  for (const pair of files.open(file).get('paths')?.items ?? []) {  // not as a map: a path may stand there twice
    const template = String(pair.key.value ?? pair.key);
    const { value: item, file: itemFile } = files.follow(pair.value?.toJS?.(files.open(file), { maxAliasCount: -1 }), file);
    if (!template.startsWith('/') || !isObject(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      const parameters = parametersOf(files, item, operation, itemFile, itemFile);
      operations.push({ name: `${method.toUpperCase()} ${template}`, method: method.toUpperCase(), template, parameters, status: statusOf(operation.responses),
        content: contentOf(files, document, operation, parameters, itemFile), base: base(document, [operation.servers, item.servers, document.servers].find(servers => servers?.length), url) });
    }
  }
  return operations;
}

const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const unfold = text => { try { return decodeURI(text); } catch { return text; } };

function pathFits(operation, request) {
  const [template, query = ''] = operation.template.split('?');
  const segments = new Map(operation.parameters.filter(p => p.in === 'path').map(p => [`{${p.name}}`, p['x-multi-segment'] ? '[^?#]+' : '[^/?#]+']));
  const pattern = template.split(/(\{[^{}]+\})/).map((part, i) => (i % 2 ? segments.get(part) ?? '[^/?#]+' : escape(unfold(part).replaceAll('#', '%23')))).join('');
  const prefix = escape(unfold(operation.base.pathname.replace(/\/$/, '')));
  return new RegExp(`^${prefix}${pattern}$`).test(unfold(request.path)) && query.split('&').every(pair => `&${request.query}&`.includes(`&${pair}&`) || !pair);
}

const propertiesOf = schema => Object.keys(schema?.properties ?? {});
const isEmptyObject = p => p.schema?.type === 'object' && !propertiesOf(p.schema).length && !p.content;

function queryHas(parameter, query) {
  const names = [...new URLSearchParams(query).keys()];
  const { name, schema } = parameter;
  if (names.includes(name) || names.includes(`${name}[]`) || names.some(n => n.startsWith(`${name}[`))) return true;
  return propertiesOf(schema).some(property => names.includes(property));  // an object whose members are sent one by one
}

const has = {
  path: () => true,  // the template says it
  query: (parameter, request) => queryHas(parameter, request.query),
  header: ({ name }, request) => noHeaders.includes(name.toLowerCase()) || request.headers[name.toLowerCase()] !== undefined,
  cookie: (parameter, request) => [parameter.name, ...propertiesOf(parameter.schema)].some(name => new RegExp(`(^|; ?)${escape(name)}=`).test(request.headers.cookie ?? '')),
  body: () => true,
  formData: ({ name, type }, request) => request.body.includes(type === 'file' ? `name="${name}"` : name),
};

const mediaFits = (type, given) => type === given || new RegExp(`^${escape(type).replaceAll('\\*', '[^/]+')}$`).test(given);
const plain = type => type.split(';')[0].trim().toLowerCase();

function bodyFindings({ content }, request) {
  const type = plain(request.headers['content-type'] ?? '');
  const findings = [];
  if (!request.body.length) return content.required && !content.types.every(t => /\*|octet|^text/.test(t)) ? ['the required body is missing'] : [];
  if (!content.types.some(t => mediaFits(plain(t), type))) findings.push(`the body is ${type}, not ${content.types.join(' or ')}`);
  if (/[/+]json$/.test(type)) try { JSON.parse(request.body); } catch { findings.push('the body is no JSON'); }
  if (type === 'multipart/form-data' && !request.body.includes(request.headers['content-type'].match(/boundary="?([^";]+)/)?.[1] ?? '\0')) findings.push('the body has no boundary');
  return findings;
}

// What is wrong with a request for this operation, as sentences.
export function findingsOf(operation, request) {
  const findings = [];
  if (request.method !== operation.method) findings.push(`the method is ${request.method}`);
  if (!pathFits(operation, request)) findings.push(`the path ${request.path}?${request.query} does not fit ${operation.base.pathname} ${operation.template}`);
  for (const parameter of operation.parameters.filter(p => p.required && !isEmptyObject(p)))
    if (has[parameter.in] && !has[parameter.in](parameter, request)) findings.push(`the ${parameter.in} parameter ${parameter.name} is missing`);
  return [...findings, ...bodyFindings(operation, request)];
}
