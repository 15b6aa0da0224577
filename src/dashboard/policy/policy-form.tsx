import { Checkbox, Fieldset, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { reloadKeys } from '../api/query-client.ts';
import { Form } from '../components/form/form.tsx';
import { PillsInput } from '../components/form/pills-input.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { toast } from '../components/toast.ts';
import { SetKeyPolicyDocument } from '../generated/graphql.ts';
import { RateLimitInput, SourcesInput } from '../key-form/inputs.tsx';
import { policyLabels } from './labels.ts';
import { draftOf, inputOf, type KeyPolicy, type PolicyDraft, renamed } from './policy-draft.ts';

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
  const { getInputProps } = form;
  return (
    <Form {...form.frame} isGuarded canSubmit={form.isDirty()} submitLabel={`Save for ${policy.env}`}>
      <Stack gap="sm">
        <Demands getInputProps={getInputProps} />
        <PermittedScopes getInputProps={getInputProps} isShown={form.values.limitsScopes} />
        <Defaults getInputProps={getInputProps} />
        <TextInput
          type="datetime-local"
          label={policyLabels.enforceAfter}
          description="Empty: never. Webhooks get notices 7 days and 1 day before."
          {...getInputProps('enforceAfter')}
        />
      </Stack>
    </Form>
  );
}

interface PartProps {
  readonly getInputProps: UseFormReturnType<PolicyDraft>['getInputProps'];
}

const flags = ['requireExpiry', 'requireAllowedIps', 'requireSigning'] as const;

function Demands({ getInputProps }: PartProps) {
  return (
    <>
      <NumberInput
        {...days}
        label={policyLabels.maxLifetimeSeconds}
        description="From the issue of a secret to the expiry. Forms shorten a longer one."
        {...getInputProps('maxLifetime')}
      />
      <NumberInput
        {...days}
        label={policyLabels.maxSecretAgeSeconds}
        description="The age from which a secret violates the policy."
        {...getInputProps('maxSecretAge')}
      />
      {flags.map((flag) => (
        <Checkbox key={flag} label={policyLabels[flag]} {...getInputProps(flag, { type: 'checkbox' })} />
      ))}
      <RateLimitInput field={{ label: policyLabels.maxRateLimit, ...fieldOf(getInputProps('rateLimit')) }} />
    </>
  );
}

function PermittedScopes({ getInputProps, isShown }: PartProps & { readonly isShown: boolean }) {
  return (
    <>
      <Checkbox
        label="Permit certain scopes only"
        description="Forms offer them, with their descriptions."
        {...getInputProps('limitsScopes', { type: 'checkbox' })}
      />
      {isShown && (
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
    </>
  );
}

function Defaults({ getInputProps }: PartProps) {
  return (
    <Fieldset variant="unstyled" legend="Defaults for new keys">
      <Stack gap="sm">
        <NumberInput
          {...days}
          placeholder="None"
          label={policyLabels['defaults.lifetimeSeconds']}
          description="To its expiry, if its creator chooses none."
          {...getInputProps('defaultLifetime')}
        />
        <SourcesInput
          label={policyLabels['defaults.allowedIps']}
          minRows={2}
          {...fieldOf(getInputProps('defaultSources'))}
        />
        <PillsInput
          kind="scopes"
          label={policyLabels['defaults.scopes']}
          maxTags={limits.scopes}
          {...getInputProps('defaultScopes')}
        />
        <RateLimitInput
          field={{ label: policyLabels['defaults.rateLimit'], ...fieldOf(getInputProps('defaultRateLimit')) }}
        />
      </Stack>
    </Fieldset>
  );
}

function fieldOf({ value, onChange, error }: GetInputPropsReturnType) {
  return { value, onChange, error };
}
