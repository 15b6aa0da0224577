import { Button, Group, Text } from '@mantine/core';
import { formatNumber } from '../../components/format.ts';
import { sourcesIn } from '../../key-settings/allowed-sources.ts';
import { useViewer } from '../../session/viewer.ts';
import { UnlistedNotice } from './source-table.tsx';
import { suggestionsFor } from './suggestions.ts';
import { useSources } from './use-sources.ts';

const maxShown = 8;

interface Props {
  readonly keyId: string;
  readonly text: string;
  /** Changes the text of the list, and moves the focus to it, because the button that was clicked disappears. */
  readonly change: (text: string) => void;
}

/** Adds what the allow-list lacks: the user's address, and observed sources. Or replaces it with the observed ones. */
export function SuggestedSources({ keyId, text, change }: Props) {
  const { observedSources = [], unlistedSources = [] } = useSources(keyId).query.data ?? {};
  const missing = suggestionsFor(observedSources, sourcesIn(text));
  const all = suggestionsFor(observedSources, []);
  const list = (entries: readonly { readonly entry: string }[]) => entries.map(({ entry }) => `${entry}\n`).join('');
  const add = (entries: Parameters<typeof list>[0]) =>
    change(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${list(entries)}`);
  const own = useViewer().data?.source ?? null;
  const lacksOwn = own !== null && !sourcesIn(text).some((entry) => entry.split('#', 1)[0]?.trim() === own);
  return (
    <>
      {lacksOwn && (
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => add([{ entry: `${own} # my address` }])}>
            Add my address, {own}
          </Button>
        </Group>
      )}
      {missing.length > 0 && (
        <Text size="sm" c="dimmed">
          Suggested, because requests from there were accepted:
        </Text>
      )}
      <Group gap="xs">
        {missing.slice(0, maxShown).map(({ entry, addresses }) => (
          <Button key={entry} size="compact-sm" variant="default" onClick={() => add([{ entry }])}>
            Add {entry}
            {addresses > 1 && `, ${formatNumber(addresses)} addresses`}
          </Button>
        ))}
        {missing.length > 1 && (
          <Button size="compact-sm" variant="default" onClick={() => add(missing)}>
            Add all {formatNumber(missing.length)}
          </Button>
        )}
        {missing.length > 0 && text.trim() !== '' && (
          <Button size="compact-sm" variant="default" onClick={() => change(list(all))}>
            Allow only observed sources
          </Button>
        )}
      </Group>
      <UnlistedNotice unlisted={unlistedSources}>
        An allow-list of the observed sources may reject clients.
      </UnlistedNotice>
    </>
  );
}
