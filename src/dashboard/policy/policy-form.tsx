import { Checkbox, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { reloadKeys } from '../api/query-client.ts';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { toast } from '../components/toast.ts';
import { SetKeyPolicyDocument } from '../generated/graphql.ts';
import { RateLimitInput } from '../key-form/inputs.tsx';
import type { KeyPolicy } from './policy.ts';
import { draftOf, inputOf, renamed } from './policy-draft.ts';

const days = {
  placeholder: 'Any',
  suffix: ' days',
  min: 0,
  // With clamping, pressing Save would change an invalid number and save it.
  clampBehavior: 'none',
  allowNegative: false,
  hideControls: true,
} as const;

export function PolicyForm({ policy }: { readonly policy: KeyPolicy }) {
  const form = useServerForm({
    initialValues: draftOf(policy),
    renamed,
    send: async (draft) => (await execute(SetKeyPolicyDocument, { input: inputOf(policy, draft) })).setKeyPolicy.policy,
    onSent: ({ env }) => {
      toast(`The policy for ${env} is saved.`);
      void reloadKeys();
    },
  });
  const { getInputProps, values } = form;
  const flag = (field: 'requireExpiry' | 'requireAllowedIps' | 'requireSigning' | 'limitsScopes') =>
    getInputProps(field, { type: 'checkbox' });
  return (
    <Form {...form.frame} isGuarded canSubmit={form.isDirty()} submitLabel={`Save for ${policy.env}`}>
      <Stack gap="sm">
        <NumberInput
          {...days}
          label="Longest lifetime"
          description="From the issue of a secret to the expiry. Forms shorten a longer one."
          {...getInputProps('maxLifetime')}
        />
        <NumberInput
          {...days}
          label="Rotation at least every"
          description="The age from which a secret violates the policy."
          {...getInputProps('maxSecretAge')}
        />
        <Checkbox label="Require an expiry" {...flag('requireExpiry')} />
        <Checkbox label="Require allowed sources" {...flag('requireAllowedIps')} />
        <Checkbox label="Require signed requests" {...flag('requireSigning')} />
        <RateLimitInput field={{ label: 'Highest rate limit', ...rateLimitOf(getInputProps('rateLimit')) }} />
        <Checkbox
          label="Permit certain scopes only"
          description="Forms offer them, with their descriptions."
          {...flag('limitsScopes')}
        />
        {values.limitsScopes && (
          <Textarea
            label="Permitted scopes"
            description={`One in each line, at most ${limits.permittedScopes}, each with a description after a space. None: keys have no scopes.`}
            classNames={{ input: 'code' }}
            placeholder={'orders:read Read orders\norders:write Create and cancel orders'}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            {...getInputProps('scopes')}
          />
        )}
        <TextInput
          type="datetime-local"
          label="Disable keys that violate it at"
          description="Empty: never. Webhooks get notices 7 days and 1 day before."
          {...getInputProps('enforceAfter')}
        />
      </Stack>
    </Form>
  );
}

function rateLimitOf({ value, onChange, error }: ReturnType<ReturnType<typeof useServerForm>['getInputProps']>) {
  return { value, onChange, error };
}
