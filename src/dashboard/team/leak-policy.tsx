import { Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { QueryView } from '../components/query-view.tsx';
import { Section } from '../components/section.tsx';
import { toast } from '../components/toast.ts';
import { type LeakPolicyAction, LeakPolicyDocument, SetLeakPolicyDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';

const policies: Readonly<Record<LeakPolicyAction, { readonly label: string; readonly text: string }>> = {
  NOTIFY: { label: 'Notify', text: 'It is written to the audit trail and sent to webhooks. People decide.' },
  DISABLE: { label: 'Notify and disable the key', text: 'The key is rejected until someone enables it again.' },
  REVOKE: { label: 'Notify and revoke the key', text: 'The key is rejected forever. It can’t be restored.' },
};

/** What happens to a key of the team that a scanner has found where it must not be. */
export function LeakPolicy({ teamId }: { readonly teamId: string }) {
  const queryKey = ['leak-policy', teamId];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await execute(LeakPolicyDocument, { teamId }, signal)).leakPolicy,
  });
  const mayManage = useMay('manage_keys', teamId);
  return (
    <Section title="Leaked keys">
      <Text size="sm">What happens when GitHub or a scanner of yours reports that a key is public:</Text>
      <QueryView query={query}>
        {(policy) =>
          mayManage ? (
            <PolicyForm
              // `key` shows what another session has chosen.
              key={policy}
              teamId={teamId}
              policy={policy}
              onSaved={(saved) => queryClient.setQueryData(queryKey, saved)}
            />
          ) : (
            <Text size="sm">
              {policies[policy].label}. {policies[policy].text}
            </Text>
          )
        }
      </QueryView>
    </Section>
  );
}

interface FormProps {
  readonly teamId: string;
  readonly policy: LeakPolicyAction;
  readonly onSaved: (policy: LeakPolicyAction) => void;
}

function PolicyForm({ teamId, policy, onSaved }: FormProps) {
  const form = useServerForm({
    initialValues: { policy },
    send: async ({ policy }) => (await execute(SetLeakPolicyDocument, { teamId, policy })).setLeakPolicy.policy,
    onSent: (saved) => {
      onSaved(saved);
      toast(`For leaked keys: ${policies[saved].label}.`);
    },
  });
  return (
    <Form {...form.frame} canSubmit={form.isDirty()} submitLabel="Save">
      <Radio.Group aria-label="What happens to a leaked key" {...form.getInputProps('policy')}>
        <Stack gap="xs">
          {Object.entries(policies).map(([value, { label, text }]) => (
            <Radio key={value} value={value} label={label} description={text} />
          ))}
        </Stack>
      </Radio.Group>
    </Form>
  );
}
