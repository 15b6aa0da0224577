import { Button, Group, Text } from '@mantine/core';
import { formatNumber } from '../../components/format.ts';
import { sourcesIn } from '../../key-form/allowed-sources.ts';
import { useViewer } from '../../session/viewer.ts';
import { UnlistedNotice, useSources } from './observed-sources.tsx';
import { suggestionsFor } from './suggestions.ts';

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
  const listed = sourcesIn(text);
  const missing = suggestionsFor(observedSources, listed);
  const linesOf = (entries: readonly string[]) => [...entries, ''].join('\n');
  const add = (entries: readonly string[]) => change(linesOf([...listed, ...entries]));
  const own = useViewer().data?.source ?? null;
  const lacksOwn = own !== null && !listed.some((entry) => entry.split('#', 1)[0]?.trim() === own);
  const choice = (label: string, act: () => void) => (
    <Button key={label} size="compact-sm" variant="default" onClick={act}>
      {label}
    </Button>
  );
  return (
    <>
      {missing.length > 0 && (
        <Text size="sm" c="dimmed">
          Suggested, because requests from there were accepted:
        </Text>
      )}
      <Group gap="xs">
        {missing.slice(0, maxShown).map(({ entry, addresses }) => {
          const label = addresses === 1 ? `Add ${entry}` : `Add ${entry}, ${formatNumber(addresses)} addresses`;
          return choice(label, () => add([entry]));
        })}
        {missing.length > 0 &&
          choice('Allow only observed sources', () =>
            change(linesOf(suggestionsFor(observedSources, []).map(({ entry }) => entry))),
          )}
        {lacksOwn && choice(`Add my address, ${own}`, () => add([`${own} # my address`]))}
      </Group>
      <UnlistedNotice unlisted={unlistedSources}>
        An allow-list of the observed sources may reject clients.
      </UnlistedNotice>
    </>
  );
}
