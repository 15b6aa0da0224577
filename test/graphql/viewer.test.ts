import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql, jwtSecret, type RunningService, startService } from '../support/service.ts';

let running: RunningService;
const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;
const query = '{ viewer { subject source teams { id permissions } } }';
const tokenFor = (teams: Readonly<Record<string, readonly string[]>>) =>
  jwt.sign({ teams }, jwtSecret, { subject: 'ada@example.com', expiresIn: 60 });

beforeAll(async () => {
  running = await startService('sqlite');
});
afterAll(() => running.stop());

it('the viewer is the subject of the token, with sorted teams and permissions', async () => {
  const token = tokenFor({
    [ids[1].toUpperCase()]: ['manage_keys', 'pay_bills', 'view_team'],
    [ids[0]]: ['pay_bills'],
  });
  expect((await graphql(running.url, token, query)).body).toEqual({
    data: {
      viewer: {
        subject: 'ada@example.com',
        source: '127.0.0.1',
        teams: [
          { id: ids[0], permissions: [] },
          { id: ids[1], permissions: ['view_team', 'manage_keys'] },
        ],
      },
    },
  });
});

it('the viewer needs a valid token, but no permission', async () => {
  expect((await graphql(running.url, tokenFor({}), query)).body.data.viewer.teams).toEqual([]);
  const answer = await graphql(running.url, null, query);
  expect(answer.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
});
