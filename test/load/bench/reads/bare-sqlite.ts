/** The lowest floor of `npm run load -- bench reads`: `node:http`, one prepared statement and JSON. */
import { createServer } from 'node:http';
import Sqlite from 'better-sqlite3';

const [port = '', file = ''] = process.argv.slice(2);
const page = new Sqlite(file, { readonly: true }).prepare(`
  SELECT k."id", k."name", k."env", k."prefix", u."lastUsedAt", k."createdAt"
  FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id"
  WHERE k."teamId" = ? AND k."revokedAt" IS NULL ORDER BY k."createdAt" DESC, k."id" DESC LIMIT ?`);

createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(page.all(searchParams.get('teamId'), Number(searchParams.get('limit')))));
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
