import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AnchorLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { EnvBadge, KeyStateDot } from '../components/state-dot.tsx';
import { formOrder } from '../key-settings/key-draft.ts';
import { ExpiryText } from '../key-settings/key-facts.tsx';
import { settingFields } from '../key-settings/setting-fields.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { fromServer } from '../server-values.ts';
import { textOf } from './history/changes-in-words.ts';
import type { Key } from './key-change.ts';

const shownSettings = formOrder.filter((setting) => settingFields[setting].isInSummary);

export function KeySummary({ apiKey }: { readonly apiKey: Key }) {
  const { id, teamId, prefix, env, state, expiresAt } = apiKey;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Copyable what="the prefix" text={prefix} />
        <EnvBadge env={env} />
        <KeyStateDot state={state} expiresAt={expiresAt} />
        <AnchorLink to="/teams/$teamId/try" params={{ teamId }} search={{ prefix }} size="sm" underline="always">
          Try this key
        </AnchorLink>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs" verticalSpacing={4}>
        <Moments apiKey={apiKey} />
        {shownSettings.map((setting) => (
          <Fact key={setting} label={settingFields[setting].label} value={textOf(setting, apiKey[setting])} />
        ))}
      </SimpleGrid>
      <Group gap="lg">
        <Identifier label="Key ID" what="the key ID" text={id} />
        <Identifier label="Team ID" what="the team ID" text={teamId} />
        <Identifier label="curl" what="the curl command" text={showCommand()} />
      </Group>
    </Stack>
  );
}

function Moments({ apiKey }: { readonly apiKey: Key }) {
  const { lastUsedAt, createdAt, expiresAt, revokedAt, rotatedAt } = apiKey;
  return (
    <>
      <Fact label="Last used" value={lastUsedAt === null ? 'never' : <Moment at={lastUsedAt} />} />
      <Fact label="Created" value={<Moment at={createdAt} />} />
      {revokedAt === null && <Fact label="Expires" value={<ExpiryText expiresAt={expiresAt} />} />}
      {revokedAt !== null && <Fact label="Revoked" value={<Moment at={revokedAt} />} />}
      {rotatedAt !== null && <Fact label="Rotated" value={<Moment at={rotatedAt} />} />}
    </>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <Group gap={4} fz="sm" className="breakable">
      {label}: {value}
    </Group>
  );
}

function Identifier({ label, what, text }: { readonly label: string; readonly what: string; readonly text: string }) {
  return (
    <Group gap={4} fz="sm" wrap="nowrap" maw="100%">
      <Text size="sm" className="nowrap">
        {label}:
      </Text>
      <Copyable what={what} text={text} />
    </Group>
  );
}

/** A command that shows a key to its holder. The secret is in a variable, not in the shell's history. */
const showCommand = () => `curl ${fromServer('verify-url')}/v1/keys/self ${fromServer('key-option')}`;
