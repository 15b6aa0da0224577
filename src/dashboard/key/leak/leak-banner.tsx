import { Alert, Anchor, Button, Code, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../components/format.ts';
import { Moment } from '../../components/moment.tsx';
import type { KeyState } from '../../generated/graphql.ts';
import type { Key, PartProps } from '../key-change.ts';
import { reporterOf } from './leak-in-words.ts';

type Leak = NonNullable<Key['leak']>;

interface Props extends PartProps {
  readonly leak: Leak;
  readonly state: KeyState;
}

/** Says which secret leaked, where, when and who reported it, and offers the action that makes it useless. */
export function LeakBanner({ apiKey, leak, state, editable, ask }: Props) {
  const isCurrent = leak.secret === 'CURRENT';
  const isDisabled = state === 'DISABLED';
  const reporter = reporterOf(leak);
  return (
    <Alert role="alert" color="red" title={`The ${isCurrent ? '' : 'previous '}secret of this key has leaked`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="breakable">
          <Code>{leak.prefix}</Code> was reported <Moment at={leak.reportedAt} />
          {reporter !== null && ` by ${reporter}`}.
        </Text>
        <Found leak={leak} />
        <Text size="sm">
          {isCurrent ? consequences[state] : <PreviousAccepted apiKey={apiKey} isDisabled={isDisabled} />}
        </Text>
        {editable && (
          <Button size="xs" color="red" onClick={() => ask(isCurrent ? 'replaceLeaked' : 'endOverlap')}>
            {isCurrent ? `${isDisabled ? 'Issue' : 'Disable and issue'} a new secret…` : 'End the overlap…'}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Found({ leak: { source, url, places } }: { readonly leak: Leak }) {
  if (source === null && url === null && places === 1) return null;
  const more = places - 1;
  return (
    <Text size="sm" className="breakable">
      {source === null ? 'Found' : `Found in ${source}`}
      {url !== null && (
        <>
          : <Place url={url} />
        </>
      )}
      {more > 0 && `, and in ${formatNumber(more)} more ${more === 1 ? 'place' : 'places'}, which the history has`}.
    </Text>
  );
}

/** The reporter has written it: it must not run as a script, and must not see the address of this page. */
function Place({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return <span className="breakable">{url}</span>;
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      inherit
      c="inherit"
      underline="always"
      className="breakable"
    >
      {url}
    </Anchor>
  );
}

const consequences: Readonly<Record<KeyState, string>> = {
  ACTIVE: 'Anyone who has found it can use the key.',
  DISABLED: 'It is rejected while the key is disabled, and works again once the key is enabled.',
  EXPIRED: 'It is rejected because the key has expired, and works again once the key is renewed.',
  REVOKED: 'It is rejected.',
};

function PreviousAccepted({ apiKey, isDisabled }: { readonly apiKey: Key; readonly isDisabled: boolean }) {
  const { previousSecretExpiresAt } = apiKey;
  return (
    <>
      {isDisabled ? 'Once the key is enabled, it is' : 'It is'} accepted beside the current one
      {previousSecretExpiresAt !== null && (
        <>
          , until the overlap ends <Moment at={previousSecretExpiresAt} />
        </>
      )}
      .
    </>
  );
}
