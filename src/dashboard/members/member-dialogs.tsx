import { Text, TextInput } from '@mantine/core';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { reloadKeys } from '../api/query-client.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { isElsewhere } from '../components/form/field-errors.ts';
import { useServerForm } from '../components/form/use-server-form.ts';
import { formatNumber } from '../components/format.ts';
import { toast } from '../components/toast.ts';
import { HandOverKeysDocument, RemoveMemberDocument } from '../generated/graphql.ts';

interface Props {
  readonly teamId: string;
  /** The person. */
  readonly subject: string;
  readonly opened: boolean;
  readonly close: () => void;
}

export function HandOverDialog({ teamId, subject, opened, close }: Props) {
  const { getInputProps, frame, error, isPending, forgetResult } = useServerForm({
    initialValues: { to: '' },
    validate: { to: (to) => (to.trim() === '' ? 'Name a person or a team.' : null) },
    send: ({ to }) => handOver(teamId, subject, to.trim()),
    onSent: ({ changed, failed }, { to }) => {
      close();
      const left = failed === 0 ? '' : ` ${formatNumber(failed)} could not be changed.`;
      toast(`${to.trim()} is responsible for ${countOfKeys(changed)} more.${left}`);
      void reloadKeys();
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        forgetResult();
      }}
      title="Hand over the keys?"
      confirm={frame.submit}
      confirmLabel="Hand over"
      pending={isPending}
      error={isElsewhere(error, frame.fields) ? error : null}
    >
      <Text size="sm" className="breakable">
        Who is responsible for the keys of {subject} from now on. The keys themselves work as before.
      </Text>
      <TextInput
        label="New responsible person or team"
        maxLength={limits.responsibleCharacters}
        autoComplete="off"
        data-autofocus
        {...getInputProps('to')}
      />
    </ConfirmDialog>
  );
}

/** Repeats the call, which changes a limited number of keys, until none remains or none of a call was changed. */
async function handOver(teamId: string, from: string, to: string) {
  let changed = 0;
  for (;;) {
    const { results, hasMore } = (await execute(HandOverKeysDocument, { teamId, from, to })).handOverKeys;
    const now = results.filter(({ outcome }) => outcome === 'CHANGED').length;
    changed += now;
    if (!hasMore || now === 0) return { changed, failed: results.length - now };
  }
}

function countOfKeys(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'key' : 'keys'}`;
}

export function RemoveDialog({ teamId, subject, opened, close }: Props) {
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async () => await execute(RemoveMemberDocument, { teamId, subject }),
    onSuccess: async () => {
      toast(`It is recorded that ${subject} has left.`);
      close();
      await reloadKeys();
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Record that this person has left?"
      confirm={() => submit()}
      confirmLabel="Record"
      pending={isPending}
      error={error}
    >
      <Text size="sm" className="breakable">
        Webhooks are told that {subject} has left. No key is revoked, and no access is taken away: that is what the
        identity provider does.
      </Text>
    </ConfirmDialog>
  );
}
