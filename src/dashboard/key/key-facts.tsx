import { Text } from '@mantine/core';
import type { SettingName } from '../../domain/key/settings.ts';
import { Fact, Facts } from '../components/facts.tsx';
import { Moment } from '../components/moment.tsx';
import type { DeedFragment } from '../generated/graphql.ts';
import { ExpiryText } from '../key-form/expiry-text.tsx';
import { settingFields } from '../key-form/fields.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { textOf } from './history/changes-in-words.ts';
import type { Key } from './key-change.ts';
import { By } from './origin.tsx';
import { Values } from './values.tsx';

/** The settings that have no fact of their own, and are short. */
const shownSettings: readonly SettingName[] = [
  'description',
  'scopes',
  'rateLimit',
  'externalId',
  'responsible',
  'tags',
];

/** The settings that the list of keys is filtered by. */
const listedBy = { scopes: 'scope', externalId: 'externalId', responsible: 'responsible', tags: 'tag' } as const;
const isListed = (setting: SettingName): setting is keyof typeof listedBy => setting in listedBy;

export function KeyFacts({ apiKey, created }: { readonly apiKey: Key; readonly created: DeedFragment | undefined }) {
  const { id, teamId, createdBy, createdAt, rotatedAt, expiresAt, state, allowedIps, signingEnabled } = apiKey;
  return (
    <Facts>
      <Fact label={created?.action === 'KEY_IMPORTED' ? 'Imported' : 'Created'}>
        <Moment at={createdAt} />
        {created?.actorKind === 'SESSION' && createdBy !== null ? (
          <>
            {' by '}
            <Values teamId={teamId} criterion="creator" values={[createdBy]} />
          </>
        ) : (
          <By deed={created} />
        )}
      </Fact>
      {rotatedAt !== null && (
        <Fact label="Rotated">
          <Moment at={rotatedAt} />
        </Fact>
      )}
      <Fact label="Expires">
        <ExpiryText expiresAt={expiresAt} state={state} />
      </Fact>
      <Fact label="Allowed sources">{allowedIps.length === 0 ? 'every source' : allowedIps.length}</Fact>
      <Fact label="Signing">{signingEnabled ? 'required' : 'not required'}</Fact>
      {shownSettings
        .map((setting) => ({ setting, text: textOf(setting, apiKey[setting]) }))
        .filter(({ text }) => text !== 'none')
        .map(({ setting, text }) => (
          <Fact key={setting} label={settingFields[setting].label}>
            {isListed(setting) ? (
              <Values teamId={teamId} criterion={listedBy[setting]} values={[apiKey[setting] ?? []].flat()} />
            ) : (
              <Text inherit lineClamp={3}>
                {text}
              </Text>
            )}
          </Fact>
        ))}
      <Fact label="Key ID">
        <Copyable what="the key ID" text={id} />
      </Fact>
    </Facts>
  );
}
