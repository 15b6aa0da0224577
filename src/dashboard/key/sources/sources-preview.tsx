import { List, Stack, Text } from '@mantine/core';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Moment } from '../../components/moment.tsx';
import { PreviewAllowedIpsDocument, type PreviewAllowedIpsQuery } from '../../generated/graphql.ts';

type Preview = PreviewAllowedIpsQuery['previewAllowedIps'];

/** Shows on request which recent sources the list `entries` would reject. */
export function SourcesPreview({ keyId, entries }: { readonly keyId: string; readonly entries: readonly string[] }) {
  const text = entries.join('\n');
  const preview = useSubmit({
    mutationFn: async () => {
      const { previewAllowedIps: result } = await execute(PreviewAllowedIpsDocument, {
        keyId,
        allowedIps: [...entries],
      });
      return { text, result };
    },
  });
  return (
    <Stack gap="xs" align="flex-start">
      <FocusableButton size="xs" variant="default" loading={preview.isPending} onClick={() => preview.submit()}>
        Preview with recent sources
      </FocusableButton>
      {preview.error !== null && <ErrorNotice error={preview.error} />}
      {/* Editing the list hides the result. */}
      {preview.data?.text === text && <Result preview={preview.data.result} />}
    </Stack>
  );
}

function Result({ preview: { accepted, rejected, unlisted } }: { readonly preview: Preview }) {
  if (accepted.length + rejected.length + unlisted.length === 0) {
    return (
      <Text size="sm" role="status">
        No sources were recorded for this key yet.
      </Text>
    );
  }
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {unlisted.length === 0 || rejected.length > 0
          ? `Of the recent sources, this list accepts ${accepted.length} and rejects ${rejected.length}`
          : `This list accepts the ${accepted.length} recent sources that are known`}
        {rejected.length === 0 ? '.' : ':'}
      </Text>
      <List size="sm" aria-label="Sources that would be rejected">
        {rejected.map(({ address, secret, lastAt }) => (
          <List.Item key={`${address} ${secret}`}>
            {address}, last seen <Moment at={lastAt} />
          </List.Item>
        ))}
      </List>
      {unlisted.length > 0 && (
        <Text size="sm" fw={600}>
          There were more sources than are listed. How many of those it rejects is not known.
        </Text>
      )}
    </Stack>
  );
}
