import { Alert, Button, FileInput, Group, NativeSelect, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useMay } from '../session/viewer.ts';
import { ImportRun } from './import-run.tsx';
import { formatOf, readLines } from './read-lines.ts';

const maxFileBytes = 20_000_000;

/** Imports keys of another system by their digests, from a file or pasted lines. */
export function ImportPage() {
  const { teamId = '' } = useParams();
  const mayImport = useMay('import_keys', teamId);
  return (
    <Stack maw={980}>
      <Title order={1} size="h2">
        Import keys
      </Title>
      {mayImport ? (
        // Keyed: what was entered for one team must not be imported into another.
        <Source key={teamId} teamId={teamId} />
      ) : (
        <Alert title="Not for this session" role="status">
          Your session token does not grant import_keys on this team.
        </Alert>
      )}
    </Stack>
  );
}

function Source({ teamId }: { readonly teamId: string }) {
  const [text, setText] = useState('');
  const [env, setEnv] = useState('live');
  const [problem, setProblem] = useState<string | null>(null);
  const readFile = async (file: File | null) => {
    setProblem(null);
    if (file === null) return;
    if (file.size > maxFileBytes) setProblem('The file is larger than 20 MB. Use latchkey keys import.');
    else setText(await file.text());
  };
  const read = text.trim() === '' ? null : linesIn(text);
  return (
    <>
      <Text size="sm">
        Each line has the SHA-256 or SHA-512 digest of a key and a name, as NDJSON or as CSV with the names of the
        columns in its first line. The keys themselves are not needed, and must not be pasted here.
      </Text>
      <Paper withBorder p="md">
        <Stack gap="sm">
          <FileInput
            label="File"
            placeholder="Choose an .ndjson or .csv file"
            accept=".ndjson,.csv,.json,.txt"
            clearable
            onChange={readFile}
            error={problem}
          />
          <Textarea
            classNames={{ input: 'code' }}
            label="Or paste the lines"
            placeholder={'{"digest":"sha256:…","name":"Billing","env":"live"}\nor\ndigest,name,env'}
            autosize
            minRows={4}
            maxRows={12}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={read !== null && 'problem' in read ? read.problem : null}
          />
          <NativeSelect
            label="Environment of lines without one"
            data={['live', 'test']}
            value={env}
            onChange={({ currentTarget }) => setEnv(currentTarget.value)}
            maw={260}
          />
          {text !== '' && (
            <Group>
              <Button variant="subtle" onClick={() => setText('')}>
                Clear the lines
              </Button>
            </Group>
          )}
        </Stack>
      </Paper>
      {/* Keyed: a report belongs to the lines that it is about. */}
      {read !== null && 'lines' in read && (
        <ImportRun key={`${env} ${text}`} teamId={teamId} lines={read.lines} env={env} />
      )}
    </>
  );
}

function linesIn(text: string) {
  try {
    return { lines: readLines(text, formatOf(text)) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
