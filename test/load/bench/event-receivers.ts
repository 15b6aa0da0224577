/** Receivers of webhooks on one port: answers 204 at once. `GET` returns how many events have arrived. Prints its port. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let arrived = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(arrived));
    return;
  }
  request.resume().once('end', () => {
    arrived += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
