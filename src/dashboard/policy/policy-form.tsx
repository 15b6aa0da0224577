import { Checkbox, Fieldset, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { reloadKeys } from '../api/query-client.ts';
import { Form } from '../components/form/form.tsx';
import { PillsInput } from '../components/form/pills-input.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { toast } from '../components/toast.ts';
import { SetKeyPolicyDocument } from '../generated/graphql.ts';
import { RateLimitInput, SourcesInput } from '../key-form/inputs.tsx';
import { draftOf, inputOf, type KeyPolicy, renamed } from './policy-draft.ts';

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
        <RateLimitInput field={{ label: 'Highest rate limit', ...fieldOf(getInputProps('rateLimit')) }} />
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
        <Fieldset variant="unstyled" legend="Defaults for new keys">
          <Stack gap="sm">
            <NumberInput
              {...days}
              placeholder="None"
              label="Lifetime of a new key"
              description="To its expiry, if its creator chooses none."
              {...getInputProps('defaultLifetime')}
            />
            <SourcesInput label="Default allowed sources" minRows={2} {...fieldOf(getInputProps('defaultSources'))} />
            <PillsInput
              kind="scopes"
              label="Default scopes"
              maxTags={limits.scopes}
              {...getInputProps('defaultScopes')}
            />
            <RateLimitInput field={{ label: 'Default rate limit', ...fieldOf(getInputProps('defaultRateLimit')) }} />
          </Stack>
        </Fieldset>
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

function fieldOf({ value, onChange, error }: ReturnType<ReturnType<typeof useServerForm>['getInputProps']>) {
  return { value, onChange, error };
}
