import { FileInput, NativeSelect, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { formatNumber } from '../components/format.ts';
import { textOf } from './read-lines.ts';
import type { useImport } from './use-import.ts';

const maxFileBytes = 20_000_000;

export function ImportInputs({ form, read }: Pick<ReturnType<typeof useImport>, 'form' | 'read'>) {
  const forgetFile = useRef<() => void>(null);
  const { file } = form.values;
  const readFile = async (file: File | null) => {
    // Lets the browser fire an event when the user chooses the same file again, for example after a correction.
    forgetFile.current?.();
    form.clearFieldError('file');
    if (file === null) form.setValues({ text: '', file });
    else if (file.size > maxFileBytes) {
      form.setFieldError('file', `${file.name} is larger than 20 MB. Use latchkey keys import.`);
    } else {
      try {
        form.setValues({ text: await textOf(file), file });
      } catch (error) {
        form.setValues({ text: '', file });
        form.setFieldError('file', error instanceof Error ? error.message : String(error));
      }
    }
  };
  return (
    <>
      <FileInput
        label="File"
        description={file !== null && sizeOf(file, read.lines.length)}
        placeholder="Choose an .ndjson or .csv file"
        accept=".ndjson,.csv,.json,.txt"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the file' }}
        resetRef={forgetFile}
        value={file}
        onChange={readFile}
        error={form.errors.file ?? (file === null ? null : read.problem)}
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
          error={read.problem}
        />
      )}
      <NativeSelect
        label="Environment of lines without one"
        data={['live', 'test']}
        {...form.getInputProps('env')}
        maw={260}
      />
    </>
  );
}

function sizeOf(file: File, lines: number): string {
  const size = `${formatNumber(Math.ceil(file.size / 1000))} kB`;
  return lines > 0 ? `${size}, ${formatNumber(lines)} lines` : size;
}
