import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { graphql, jwtSecret, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;
const query = '{ viewer { subject source teams { id permissions } } }';
const tokenFor = (teams: Readonly<Record<string, readonly string[]>>) =>
  jwt.sign({ teams }, jwtSecret, { subject: 'ada@example.com', expiresIn: 60 });

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

it('the name of a team is the one in the token or, without one, that of the operator; names of other teams are hidden', async () => {
  const { teamNames } = running.service.management.store;
  await teamNames.set({ id: ids[0], name: 'Operator’s' });
  await teamNames.set({ id: ids[1], name: 'Replaced' });
  await teamNames.set({ id: ids[1], name: 'Second' });
  const third = '00000000-0000-4000-8000-00000000000c';
  await teamNames.set({ id: '00000000-0000-4000-8000-00000000000d', name: 'Foreign' });
  const teams = { [ids[0]]: ['view_team'], [ids[1]]: [], [third]: ['view_team'] };
  const token = jwt.sign({ teams, team_names: { [ids[0]]: 'Token’s' } }, jwtSecret, { subject: 'ada', expiresIn: 60 });
  const { body } = await graphql(running.url, token, '{ viewer { teams { id name } } }');
  expect(body.data.viewer.teams).toEqual([
    { id: ids[0], name: 'Token’s' },
    { id: ids[1], name: 'Second' },
    { id: third, name: null },
  ]);
  expect((await teamNames.list()).map(({ name }) => name)).toEqual(['Foreign', 'Operator’s', 'Second']);
  await teamNames.remove(ids[1]);
  await teamNames.remove(ids[1]);
  expect(
    (await graphql(running.url, token, '{ viewer { teams { name } } }')).body.data.viewer.teams[1].name,
  ).toBeNull();
});
