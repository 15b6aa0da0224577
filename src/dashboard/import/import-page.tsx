import { Alert, Button, Fieldset, Progress, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { Form } from '../components/form/form.tsx';
import { formatNumber } from '../components/format.ts';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { ImportInputs } from './import-inputs.tsx';
import { ImportPreview, ImportReport } from './import-report.tsx';
import { useImport } from './use-import.ts';

/** Imports keys of another system by their digests, from a file or pasted lines. */
export function ImportPage() {
  const { teamId = '' } = useParams({ strict: false });
  return (
    <Page title="Import keys" width={980}>
      <RequirePermission permission="import_keys" teamId={teamId}>
        {/* `key` resets the page, so that lines for one team are not imported into another team. */}
        <Import key={teamId} teamId={teamId} />
      </RequirePermission>
    </Page>
  );
}

function Import({ teamId }: { readonly teamId: string }) {
  const { form, read, report, isTried, isStopping, stop } = useImport(teamId);
  const { dryRun, entries } = report;
  const { env, text } = form.values;
  const importable = entries.filter(({ outcome }) => outcome === 'IMPORTED').length;
  return (
    <>
      <Text size="sm">
        Each line has the SHA-256 or SHA-512 digest of a key and a name, as NDJSON or as CSV with the names of the
        columns in its first line. The keys themselves are not needed, and must not be pasted here.
      </Text>
      <Form
        {...form.frame}
        isPending={form.isPending && dryRun}
        notice={form.error && <ErrorNotice error={form.error} retry={() => form.send({ ...form.values, dryRun })} />}
        {...(read.lines.length > 0 ? { submitLabel: 'Dry run' } : {})}
        actions={
          read.lines.length > 0 && (
            <>
              <FocusableButton
                loading={form.isPending && !dryRun}
                // Enabled after a dry run, so that the user sees the result before the import.
                disabled={!isTried || importable === 0}
                onClick={() => form.send({ ...form.values, dryRun: false })}
              >
                {isTried ? `Import ${formatNumber(importable)} ${importable === 1 ? 'key' : 'keys'}` : 'Import'}
              </FocusableButton>
              {form.isPending && (
                <FocusableButton variant="default" loading={isStopping} onClick={stop}>
                  Stop
                </FocusableButton>
              )}
              {!isTried && !form.isPending && (
                <Text size="sm" c="dimmed">
                  A dry run shows what would be imported.
                </Text>
              )}
            </>
          )
        }
      >
        {/* Disabled during a run, because other lines would reset its report. */}
        <Fieldset p="md" disabled={form.isPending} aria-label="Lines to import">
          <Stack gap="sm">
            <ImportInputs form={form} read={read} />
            {text !== '' && (
              <Button variant="subtle" w="fit-content" onClick={() => form.setValues({ text: '', file: null })}>
                Clear the lines
              </Button>
            )}
          </Stack>
        </Fieldset>
        {read.lines.length > 0 && <ImportPreview lines={read.lines} env={env} />}
      </Form>
      {form.isPending && !dryRun && (
        <LeaveGuard
          title="Leave during the import?"
          text="The import stops. Keys that were imported until then stay, but the report is not shown."
        />
      )}
      {form.isPending && (
        <Progress.Root size="lg">
          <Progress.Section value={(entries.length / read.lines.length) * 100} aria-label="Lines that were processed" />
        </Progress.Root>
      )}
      {form.data === false && entries.length > 0 && (
        <Alert color="yellow" role="status">
          Stopped after {formatNumber(entries.length)} of {formatNumber(read.lines.length)} lines. The others were not
          sent.
        </Alert>
      )}
      {entries.length > 0 && <ImportReport teamId={teamId} report={entries} dryRun={dryRun} />}
    </>
  );
}
