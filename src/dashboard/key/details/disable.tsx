import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../domain/limits.ts';
import { execute } from '../../api/execute.ts';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form, problemOf } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { DisableKeyDocument, EnableKeyDocument } from '../../generated/graphql.ts';
import { type Key, useKeyChange } from '../key-change.ts';

export function Disable({ apiKey: { id, disabledAt } }: { readonly apiKey: Key }) {
  const [reason, setReason] = useState('');
  const isDisabled = disabledAt !== null;
  const change = useKeyChange(async () => {
    const variables = { id, reason: reason.trim() === '' ? null : reason.trim() };
    if (isDisabled) return (await execute(EnableKeyDocument, variables)).enableKey;
    return (await execute(DisableKeyDocument, variables)).disableKey;
  });
  return (
    <Section title={isDisabled ? 'Enable' : 'Disable'}>
      <Text size="sm">
        {isDisabled ? (
          <>
            Disabled <Moment at={disabledAt} />. Requests with the key are rejected until it is enabled.
          </>
        ) : (
          'A disabled key is rejected immediately on every instance, until it is enabled again.'
        )}
      </Text>
      <Form
        submit={() => change.submit(undefined, { onSuccess: () => setReason('') })}
        error={change.error}
        fields={['reason']}
        actions={
          <FocusableButton type="submit" variant={isDisabled ? 'filled' : 'default'} loading={change.isPending}>
            {isDisabled ? 'Enable' : 'Disable'}
          </FocusableButton>
        }
      >
        <TextInput
          label="Reason"
          description="For the history. Optional."
          maxLength={limits.reasonCharacters}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          error={problemOf(change.error, 'reason')}
        />
      </Form>
    </Section>
  );
}
