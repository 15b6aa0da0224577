/** The team of a command: from `--team`, LATCHKEY_TEAM or the profile, or the only team of the session token. */
import { usageFailure } from '../failure.ts';
import type { CliViewerQuery } from '../service/generated/graphql.ts';
import { viewer } from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { connection } from './connection.ts';

/** Throws Failure if the session token has no team, or several, and none of them is the default. */
export async function teamOf(given: string | undefined): Promise<string> {
  const [team, ...others] = await teamsOf(given);
  if (team !== undefined && others.length === 0) return team;
  const reason = team === undefined ? 'the session token has no team' : 'the session token has several teams';
  const choice = [team, ...others].filter((id) => id !== undefined).join(', ');
  throw usageFailure('NO_TEAM', `--team: give one, because ${reason}${choice === '' ? '' : `: ${choice}`}`);
}

/** Returns the given or default team, or else every team of the session token. */
export async function teamsOf(given: string | undefined): Promise<readonly string[]> {
  const team = given ?? connection().LATCHKEY_TEAM;
  return team === undefined ? (await readViewer()).teams.map(({ id }) => id) : [team];
}

export async function readViewer(): Promise<CliViewerQuery['viewer']> {
  return (await execute(viewer, {})).viewer;
}
