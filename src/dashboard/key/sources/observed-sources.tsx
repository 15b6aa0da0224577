import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Actions, UnsavedGuard } from '../../components/form/form.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { ObservedSourcesDocument } from '../../generated/graphql.ts';
import { draftOf } from '../../key-settings/key-draft.ts';
import { MergeDialog, SavedStatus } from '../details/edit-parts.tsx';
import { useEdit } from '../details/use-edit.ts';
import type { Key } from '../key-change.ts';
import { type Source, SourceTable, type Unlisted, UnlistedNotice } from './source-table.tsx';
import { SourcesPreview } from './sources-preview.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
}

export function ObservedSources({ apiKey, editable }: Props) {
  const query = useQuery({
    queryKey: ['observed-sources', apiKey.id],
    queryFn: async ({ signal }) => await execute(ObservedSourcesDocument, { keyId: apiKey.id }, signal),
    refetchInterval: 30_000,
  });
  return (
    <Section title="Recent sources">
      <QueryView query={query}>
        {({ observedSources: sources, unlistedSources: unlisted }) =>
          sources.length === 0 ? (
            <Text size="sm">No sources yet. They appear here once an API sends the address of its callers.</Text>
          ) : (
            <AllowOnly apiKey={apiKey} editable={editable} sources={sources} unlisted={unlisted} />
          )
        }
      </QueryView>
    </Section>
  );
}

const settings: readonly SettingName[] = ['allowedIps'];

interface AllowOnlyProps extends Props {
  readonly sources: readonly Source[];
  readonly unlisted: Unlisted;
}

function AllowOnly({ apiKey, editable, sources, unlisted }: AllowOnlyProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const edit = useEdit(apiKey, settings);
  const [isConfirming, setConfirming] = useState(false);
  const problem = edit.problems.allowedIps ?? null;
  const toggle = (address: string) => {
    const next = new Set(chosen);
    if (!next.delete(address)) next.add(address);
    setChosen(next);
  };
  const open = () => {
    edit.change('allowedIps', [...chosen].join('\n'));
    setConfirming(true);
  };
  const close = () => {
    edit.change('allowedIps', draftOf(edit.base).allowedIps);
    setConfirming(false);
  };
  return (
    <>
      <UnlistedNotice unlisted={unlisted}>An allow-list made from this list may reject clients.</UnlistedNotice>
      <SourceTable label="Recent sources" sources={sources} {...(editable ? { selection: { chosen, toggle } } : {})} />
      {editable && (
        <Actions error={isConfirming ? null : edit.error}>
          <Button variant="default" disabled={chosen.size === 0} onClick={open}>
            Allow only these…
          </Button>
          <SavedStatus isSaved={edit.isSaved} />
        </Actions>
      )}
      {edit.isSaving && <UnsavedGuard />}
      <ConfirmDialog
        opened={isConfirming}
        close={close}
        title="Allow only these sources?"
        confirm={() => edit.save(() => setConfirming(false))}
        confirmLabel="Allow only these"
        disabled={!edit.isDirty || problem !== null}
        pending={edit.isSaving}
        error={edit.error}
      >
        <Text size="sm">
          {apiKey.allowedIps.length === 0
            ? 'Today, every source can use the key.'
            : `This replaces the current list of ${apiKey.allowedIps.length}.`}{' '}
          From then on, requests from other sources are rejected:
        </Text>
        <Text size="sm" className="breakable">
          {[...chosen].join(', ')}
        </Text>
        <UnlistedNotice unlisted={unlisted}>Requests from such addresses will be rejected.</UnlistedNotice>
        {problem !== null && (
          <Text size="sm" c="red" role="alert">
            {problem}
          </Text>
        )}
        <SourcesPreview keyId={apiKey.id} entries={[...chosen]} />
      </ConfirmDialog>
      <MergeDialog {...edit.merge} />
    </>
  );
}
