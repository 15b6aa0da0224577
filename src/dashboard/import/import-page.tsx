import { Button, Fieldset, FileInput, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useParams } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { formatNumber } from '../components/format.ts';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { ImportRun } from './import-run.tsx';
import { readLines } from './read-lines.ts';

const maxFileBytes = 20_000_000;

/** Imports keys of another system by their digests, from a file or pasted lines. */
export function ImportPage() {
  const { teamId = '' } = useParams({ strict: false });
  return (
    <Page title="Import keys" width={980}>
      <RequirePermission permission="import_keys" teamId={teamId}>
        {/* `key` resets the page, so that lines for one team are not imported into another team. */}
        <Source key={teamId} teamId={teamId} />
      </RequirePermission>
    </Page>
  );
}

interface Input {
  readonly text: string;
  /** Null if the text was pasted. */
  readonly file: File | null;
  readonly env: string;
}

const nothing: Input = { text: '', file: null, env: 'live' };

function Source({ teamId }: { readonly teamId: string }) {
  const [version, setVersion] = useState(0);
  const form = useForm({ initialValues: nothing, onValuesChange: () => setVersion((before) => before + 1) });
  const [running, setRunning] = useState(false);
  const forgetFile = useRef<() => void>(null);
  const { text, file, env } = form.values;
  const read = useMemo(() => linesIn(text), [text]);
  const readFile = async (file: File | null) => {
    // Lets the browser fire an event when the user chooses the same file again, for example after a correction.
    forgetFile.current?.();
    form.clearFieldError('file');
    if (file === null) form.setValues({ text: '', file });
    else if (file.size > maxFileBytes) {
      form.setFieldError('file', `${file.name} is larger than 20 MB. Use latchkey keys import.`);
    } else form.setValues({ text: await file.text(), file });
  };
  const lineProblem = read !== null && 'problem' in read ? read.problem : null;
  return (
    <>
      <Text size="sm">
        Each line has the SHA-256 or SHA-512 digest of a key and a name, as NDJSON or as CSV with the names of the
        columns in its first line. The keys themselves are not needed, and must not be pasted here.
      </Text>
      {/* Disabled during a run, because other lines would reset its report. */}
      <Fieldset p="md" disabled={running} aria-label="Lines to import">
        <Stack gap="sm">
          <FileInput
            label="File"
            description={file !== null && sizeOf(file, read)}
            placeholder="Choose an .ndjson or .csv file"
            accept=".ndjson,.csv,.json,.txt"
            clearable
            clearButtonProps={{ 'aria-label': 'Remove the file' }}
            resetRef={forgetFile}
            value={file}
            onChange={readFile}
            error={form.errors.file ?? (file === null ? null : lineProblem)}
          />
          {/* Absent for a file, which can have 20 MB. */}
          {file === null && (
            <Textarea
              classNames={{ input: 'code' }}
              label="Or paste the lines"
              placeholder={'{"digest":"sha256:…","name":"Billing","env":"live"}\nor\ndigest,name,env'}
              autosize
              minRows={4}
              maxRows={12}
              spellCheck={false}
              {...form.getInputProps('text')}
              error={lineProblem}
            />
          )}
          <NativeSelect
            label="Environment of lines without one"
            data={['live', 'test']}
            {...form.getInputProps('env')}
            maw={260}
          />
          {text !== '' && (
            <Group>
              <Button variant="subtle" onClick={() => form.setValues({ text: '', file: null })}>
                Clear the lines
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
      {/* `key` removes the report of earlier lines. */}
      {read !== null && 'lines' in read && (
        <ImportRun key={version} teamId={teamId} lines={read.lines} env={env} setRunning={setRunning} />
      )}
    </>
  );
}

function linesIn(text: string) {
  if (text.trim() === '') return null;
  try {
    return { lines: readLines(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function sizeOf(file: File, read: ReturnType<typeof linesIn>): string {
  const size = `${formatNumber(Math.ceil(file.size / 1000))} kB`;
  return read !== null && 'lines' in read ? `${size}, ${formatNumber(read.lines.length)} lines` : size;
}
