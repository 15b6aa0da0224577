import { queryOptions } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { FindKeysDocument, type FindKeysQuery } from '../../generated/graphql.ts';

export type KeySearch = FindKeysQuery['findKeys'];
export type FoundKey = KeySearch['keys'][number]['apiKey'];

/** @param teamId the team whose keys are found by their texts too; null for ids, prefixes and secrets alone */
export async function findKeys(text: string, teamId: string | null, signal?: AbortSignal): Promise<KeySearch> {
  return (await execute(FindKeysDocument, { text, teamId }, signal)).findKeys;
}

export function keySearch(text: string, teamId: string | null) {
  return queryOptions({
    queryKey: ['keys', 'found', teamId, text],
    queryFn: async ({ signal }) => await findKeys(text, teamId, signal),
    // The text can be a secret.
    gcTime: 0,
  });
}
