// SPDX-License-Identifier: Apache-2.0
// A service under test: answers from a table of routes and remembers every request.
import http from 'node:http';

const send = (response, { status = 200, headers = {}, body = '' }) => {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = typeof body === 'string' || Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers }).end(text);
};

// `routes` maps "GET /path" to an answer {status, headers, body}, or to a function of the request
// {method, path, query, headers, body} that gives one or a promise of one; `otherwise` is asked
// for the rest.
export async function serve(routes = {}, otherwise = () => ({ status: 404, body: { error: 'no such thing' } })) {
  const requests = [];
  const server = http.createServer((incoming, response) => {
    const chunks = [];
    incoming.on('data', chunk => chunks.push(chunk));
    incoming.on('end', async () => {
      const [path, query = ''] = incoming.url.split(/\?(.*)/s);
      const request = { method: incoming.method, path, query, headers: incoming.headers, body: Buffer.concat(chunks) };
      requests.push(request);
      const route = routes[`${request.method} ${path}`] ?? otherwise;
      send(response, await (typeof route === 'function' ? route(request) : route) ?? {});
    });
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise(resolve => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, port: server.address().port, requests, routes, close };
}
