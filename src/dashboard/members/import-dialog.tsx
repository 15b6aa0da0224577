import { Alert, List, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { reloadKeys } from '../api/query-client.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { formatNumber } from '../components/format.ts';
import { toast } from '../components/toast.ts';
import { type Imported, type ImportPlan, importMembers, nobody, planImport, subjectsIn } from './import-members.ts';

const maxNamed = 20;

interface Props {
  readonly teamId: string;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Asks for the people who have access, says who would have left, and then imports them. */
export function ImportDialog({ teamId, opened, close }: Props) {
  const [text, setText] = useState('');
  const plan = useSubmit({ mutationFn: async () => await planImport(teamId, text) });
  const [done, setDone] = useState(nobody);
  const run = useSubmit({
    mutationFn: async (planned: ImportPlan) => await importMembers(planned, done, setDone),
    onSuccess: (imported) => {
      toast(`${inWords(imported)}.`);
      end();
    },
    onSettled: () => void reloadKeys(),
  });
  const forget = () => {
    plan.reset();
    run.reset();
    setDone(nobody);
  };
  const end = () => {
    close();
    setText('');
    forget();
  };
  const { data: planned } = plan;
  return (
    <ConfirmDialog
      opened={opened}
      close={end}
      title="Import members"
      confirm={() => (planned === undefined ? plan.submit() : run.submit(planned))}
      confirmLabel={planned === undefined ? 'Compare' : 'Import'}
      disabled={subjectsIn(text).length === 0}
      pending={plan.isPending || run.isPending}
      error={run.error ?? plan.error}
      {...(planned !== undefined && planned.leaving.length > 0 && { color: 'red' })}
    >
      <Text size="sm">
        Compares the members with the people who have access now, such as from a directory. Nothing changes before you
        have seen who would have left.
      </Text>
      <Textarea
        label="Everyone who has access"
        description="The subjects of their session tokens, one in each line."
        classNames={{ input: 'code' }}
        placeholder={'ada@example.com\ngrace@example.com'}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        disabled={plan.isPending || run.isPending}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          forget();
        }}
      />
      {planned !== undefined && <Planned plan={planned} />}
      {run.error !== null && done !== nobody && (
        <Alert role="status" color="yellow">
          Before the error: {inWords(done)}. Import again for the rest.
        </Alert>
      )}
    </ConfirmDialog>
  );
}

function Planned({ plan: { added, leaving } }: { readonly plan: ImportPlan }) {
  const more = leaving.length - maxNamed;
  return (
    <>
      <Text size="sm" role="status">
        {countOf(added.length)} will be added. {leaving.length === 0 && 'Nobody has left.'}
      </Text>
      {leaving.length > 0 && (
        <Alert role="status" color="red" title={`${countOf(leaving.length)} will be recorded as left`}>
          <List size="sm" className="breakable">
            {leaving.slice(0, maxNamed).map((subject) => (
              <List.Item key={subject}>{subject}</List.Item>
            ))}
          </List>
          {more > 0 && <Text size="sm">and {formatNumber(more)} more</Text>}
        </Alert>
      )}
    </>
  );
}

function inWords({ added, left }: Imported): string {
  return `${formatNumber(added)} added, ${formatNumber(left)} left`;
}

function countOf(people: number): string {
  return people === 1 ? '1 person' : `${formatNumber(people)} people`;
}
