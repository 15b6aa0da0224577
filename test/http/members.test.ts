/** What the identity provider says about who has access, and what becomes of it in the list of members. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Browser, signInWith } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const publicUrl = 'https://latchkey.example.test';
const team = randomUUID();
const otherTeam = randomUUID();
const provider = inTests(() => TestProvider.start({ publicUrl }));
const running = inTests(() => startService(theProvider, provider.environment));
const admin = sessionToken({ [team]: both, [otherTeam]: both }, 'admin');
const seconds = () => Math.floor(Date.now() / 1000);

beforeEach(() => {
  // One test must not be about the user of another.
  Object.assign(provider.behavior, {
    subject: `user ${randomUUID()}`,
    teams: { [team]: both, [otherTeam]: both },
    answer: null,
    tamper: null,
    isDown: false,
  });
});

const signIn = async () =>
  (await signInWith(new Browser(running.url, publicUrl), new Browser(provider.issuer))).browser;

/** The state of the user in both teams. */
async function states(subject = provider.behavior.subject) {
  const query = `query ($team: UUID!, $other: UUID!) { one: members(teamId: $team, first: 100) { nodes { subject state } }
    other: members(teamId: $other, first: 100) { nodes { subject state } } }`;
  const { data } = (await graphql(running.url, admin, query, { team, other: otherTeam })).body;
  type Member = { readonly subject: string; readonly state: string };
  const stateIn = ({ nodes }: { readonly nodes: readonly Member[] }) =>
    nodes.find((member) => member.subject === subject)?.state ?? null;
  return [stateIn(data.one), stateIn(data.other)];
}

async function logOut(claims: Readonly<Record<string, unknown>>) {
  // The provider may be ahead by some seconds: a token that is older than the sign-in says nothing about it.
  const body = new URLSearchParams({ logout_token: await provider.logoutToken({ iat: seconds() + 2, ...claims }) });
  const { status } = await fetch(`${running.url}/session/back-channel-logout`, { method: 'POST', body });
  expect(status).toBe(200);
}

describe('a person who signs in at the identity provider', () => {
  it('is a member of the teams that it names, and has left one that the next renewal does not name', async () => {
    const browser = await signIn();
    await expect.poll(() => states()).toEqual(['ACTIVE', 'ACTIVE']);
    provider.behavior.teams = { [team]: both };
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    await expect.poll(() => states()).toEqual(['ACTIVE', 'LEFT']);
    const events = await rest(running.url, admin, 'GET', `/v1/events?teamId=${otherTeam}&types=member.left`);
    const left = events.body.events.filter(
      ({ data }: { data: { member: { subject: string } } }) => data.member.subject === provider.behavior.subject,
    );
    expect(left).toMatchObject([{ type: 'member.left', data: { actor: 'latchkey', actorKind: 'SYSTEM', key: null } }]);
    // Signs in again, with access to both.
    provider.behavior.teams = { [team]: both, [otherTeam]: both };
    await signIn();
    await expect.poll(() => states()).toEqual(['ACTIVE', 'ACTIVE']);
  });

  it('has left a team that the next sign-in does not name, and all of them if a renewal names none', async () => {
    await signIn();
    await expect.poll(() => states()).toEqual(['ACTIVE', 'ACTIVE']);
    provider.behavior.teams = { [otherTeam]: both };
    const browser = await signIn();
    await expect.poll(() => states()).toEqual(['LEFT', 'ACTIVE']);
    provider.behavior.teams = undefined;
    expect((await browser.send('POST', '/session/renew')).status).toBe(401);
    await expect.poll(() => states()).toEqual(['LEFT', 'LEFT']);
  });

  it('has left when the provider ends all sessions, and not by signing out of one', async () => {
    const { subject: sub } = provider.behavior;
    await signIn();
    await expect.poll(() => states()).toEqual(['ACTIVE', 'ACTIVE']);
    await logOut({ sub, sid: 'one session' });
    // A token from before the sign-in arrives late.
    await logOut({ sub, iat: seconds() - 60 });
    // What is recorded later is in the list only after what was recorded before.
    const later = sessionToken({ [team]: both }, `later ${sub}`);
    await graphql(running.url, later, '{ viewer { subject } }');
    await expect.poll(() => states(`later ${sub}`)).toEqual(['ACTIVE', null]);
    expect(await states()).toEqual(['ACTIVE', 'ACTIVE']);
    await logOut({ sub });
    await expect.poll(() => states()).toEqual(['LEFT', 'LEFT']);
  });
});

describe('a session token', () => {
  it('makes its subject a member of the teams on which it grants something, and of no others', async () => {
    const subject = `script ${randomUUID()}`;
    const token = sessionToken({ [team]: ['view_team'], [otherTeam]: [] }, subject);
    await graphql(running.url, token, '{ viewer { subject } }');
    await expect.poll(() => states(subject)).toEqual(['ACTIVE', null]);
    // A second token with fewer teams says nothing about the others: a script asks for what it needs.
    await graphql(running.url, sessionToken({ [otherTeam]: both }, subject), '{ viewer { subject } }');
    await expect.poll(() => states(subject)).toEqual(['ACTIVE', 'ACTIVE']);
  });
});
