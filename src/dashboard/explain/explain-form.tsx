import { Button, Group, NativeSelect, Paper, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '../../domain/limits.ts';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { Form, problemOf } from '../components/form/form.tsx';
import { SecretInput } from '../components/form/secret-input.tsx';
import { scopesIn } from '../key-settings/setting-fields.ts';
import { useViewer } from '../session/viewer.ts';
import type { Trial } from './trial.ts';

interface Props {
  readonly form: UseFormReturnType<Trial>;
  readonly pending: boolean;
  readonly error: unknown;
  readonly submit: (trial: Trial) => void;
}

const shownFields = ['secret', 'prefix', 'sourceIp', 'scopes'];

export function ExplainForm({ form, pending, error, submit }: Props) {
  const { data: viewer } = useViewer();
  const own = viewer?.source ?? null;
  const key = form.getInputProps('key');
  const sourceIp = form.getInputProps('sourceIp');
  const trySubmit = () => {
    if (!form.validate().hasErrors) submit(form.values);
  };
  return (
    <Paper withBorder p="md">
      <Form
        submit={trySubmit}
        error={error}
        fields={shownFields}
        actions={
          <>
            <FocusableButton type="submit" loading={pending}>
              Try it
            </FocusableButton>
            {own !== null && (
              <Button variant="default" onClick={() => form.setFieldValue('sourceIp', own)}>
                From my address, {own}
              </Button>
            )}
          </>
        }
      >
        <SecretInput
          what="key"
          label="Key"
          description="Its secret, or its prefix such as lk_live_4fJx81Qz."
          maxLength={limits.presentedCharacters}
          {...key}
          error={key.error ?? problemOf(error, 'secret') ?? problemOf(error, 'prefix')}
        />
        <Group align="start">
          <TextInput
            label="Source"
            description="The address that the request comes from. Empty: unknown."
            placeholder="203.0.113.9"
            {...sourceIp}
            error={sourceIp.error ?? problemOf(error, 'sourceIp')}
          />
          <NativeSelect
            label="Environment"
            description="The environment that the API serves."
            data={[
              { value: '', label: 'Any' },
              { value: 'live', label: 'live' },
              { value: 'test', label: 'test' },
            ]}
            {...form.getInputProps('env')}
          />
        </Group>
        <TagsInput
          label="Scopes"
          description="The scopes that the request needs. Press Enter after each."
          splitChars={[' ']}
          maxTags={limits.scopes}
          {...form.getInputProps('scopes')}
          onChange={(scopes) => form.setFieldValue('scopes', scopesIn(scopes))}
          error={problemOf(error, 'scopes')}
        />
        <Switch
          label="The request is signed"
          description="Also checks the signature of a request, without using up its nonce."
          {...form.getInputProps('isSigned', { type: 'checkbox' })}
        />
        {form.values.isSigned && <RequestFields form={form} />}
      </Form>
    </Paper>
  );
}

function RequestFields({ form }: Pick<Props, 'form'>) {
  return (
    <>
      <Group align="start" wrap="nowrap">
        <TextInput label="Method" w={96} {...form.getInputProps('method')} />
        <TextInput
          label="URL"
          placeholder="https://api.example.com/orders?limit=5"
          flex={1}
          {...form.getInputProps('url')}
        />
      </Group>
      <Textarea
        classNames={{ input: 'code' }}
        label="Headers"
        description="One per line, as they arrived: Signature-Input, Signature and, with a body, Content-Digest."
        placeholder={'Signature-Input: sig1=(…)\nSignature: sig1=:…:'}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        {...form.getInputProps('headers')}
      />
      <TextInput
        label="Digest of the body"
        description="A Content-Digest of the body that arrived. Empty: no body arrived."
        placeholder="sha-256=:…:"
        {...form.getInputProps('bodyDigest')}
      />
    </>
  );
}
