/** A floor of `npm run load -- bench reads`: an Express route with Prisma, without authentication. */
import express from 'express';
import { openReader, pageOf } from './plain-prisma.ts';

const [port = '', file = ''] = process.argv.slice(2);
const reader = await openReader(file);
express()
  .get('/v1/keys', async (request, response) => {
    response.json(await pageOf(reader, String(request.query.teamId), Number(request.query.limit)));
  })
  .listen(Number(port), '127.0.0.1', () => console.log('ready'));
