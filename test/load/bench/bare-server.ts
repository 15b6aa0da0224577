/** The floor: a `node:http` server that parses the same JSON body, if there is one, and answers as many bytes. */
import { createServer } from 'node:http';

const [port = '', bodySize = '', headerSize = '0'] = process.argv.slice(2);
const body = bodySize === '0' ? '' : JSON.stringify({ valid: true, padding: 'x'.repeat(Number(bodySize) - 27) });
const headers = ['content-length', String(body.length)];
if (body !== '') headers.push('content-type', 'application/json');
if (headerSize !== '0') headers.push('x-padding', 'x'.repeat(Number(headerSize)));

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [first] = chunks;
    if (first !== undefined) JSON.parse((chunks.length === 1 ? first : Buffer.concat(chunks)).toString());
    response.writeHead(200, headers);
    response.end(body);
  });
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
