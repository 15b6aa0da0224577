import { Button, Group, Text } from '@mantine/core';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import type { PartProps } from '../key-change.ts';
import { useTab } from '../use-tab.ts';
import { SourceTable, UnlistedNotice } from './source-table.tsx';
import { useSources } from './use-sources.ts';

export function ObservedSources({ apiKey, editable }: Pick<PartProps, 'apiKey' | 'editable'>) {
  const { query } = useSources(apiKey.id);
  const { show } = useTab();
  return (
    <Section title="Recent sources">
      <QueryView query={query}>
        {({ observedSources: sources, unlistedSources: unlisted }) =>
          sources.length === 0 ? (
            <Text size="sm">No sources yet. They appear here once an API sends the address of its callers.</Text>
          ) : (
            <>
              <UnlistedNotice unlisted={unlisted}>An allow-list of these sources may reject clients.</UnlistedNotice>
              <SourceTable label="Recent sources" sources={sources} />
              {editable && (
                <Group>
                  <Button variant="default" onClick={() => show('access')}>
                    Choose allowed sources
                  </Button>
                </Group>
              )}
            </>
          )
        }
      </QueryView>
    </Section>
  );
}
