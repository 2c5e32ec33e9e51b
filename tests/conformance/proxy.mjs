// SPDX-License-Identifier: Apache-2.0
// A reverse proxy that gives each request to the next of several servers, whatever connection it
// came on: nothing that a client does in a row reaches one of them alone.
import http from 'node:http';

// Serves on a free port in front of `urls`: {url, close}, and drop(), which cuts every connection of
// a client whose answer is a stream that has begun; it says how many.
export function startProxy(urls) {
  const agent = new http.Agent({ keepAlive: true });
  const streams = new Set();
  let turn = 0;
  const server = http.createServer((request, response) => {
    const target = new URL(urls[turn++ % urls.length]);
    const forward = http.request({ agent, host: target.hostname, port: target.port, method: request.method, path: request.url, headers: request.headers });
    forward.on('response', answer => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      if (request.method === 'POST' && /event-stream/.test(answer.headers['content-type'])) answer.once('data', () => streams.add(response));
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => {
      streams.delete(response);
      forward.destroy();
    });
    request.pipe(forward);
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve({
      url: `http://127.0.0.1:${server.address().port}`,
      drop: () => {
        const count = streams.size;
        streams.forEach(response => response.destroy());
        return count;
      },
      close: () => { server.closeAllConnections(); server.close(); agent.destroy(); },
    }));
  });
}
