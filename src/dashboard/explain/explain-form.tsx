import { Button, Group, NativeSelect, Paper, Switch, Textarea, TextInput } from '@mantine/core';
import { limits } from '../../domain/limits.ts';
import { Form } from '../components/form/form.tsx';
import { PillsInput } from '../components/form/pills-input.tsx';
import { SecretInput } from '../components/form/secret-input.tsx';
import { useViewer } from '../session/viewer.ts';
import type { useTrial } from './trial.ts';

interface Props {
  readonly form: ReturnType<typeof useTrial>;
}

export function ExplainForm({ form }: Props) {
  const { data: viewer } = useViewer();
  const own = viewer?.source ?? null;
  return (
    <Paper withBorder p="md">
      <Form
        {...form.frame}
        submitLabel="Try it"
        actions={
          own !== null && (
            <Button variant="default" onClick={() => form.setFieldValue('sourceIp', own)}>
              From my address, {own}
            </Button>
          )
        }
      >
        <SecretInput
          what="key"
          label="Key"
          description="Its secret, its prefix such as lk_live_4fJx81Qz, or whatever a search finds it by, such as a line of a log."
          maxLength={limits.searchCharacters}
          {...form.getInputProps('key')}
        />
        <Group align="start">
          <TextInput
            label="Source"
            description="The address that the request comes from. Empty: unknown."
            placeholder="203.0.113.9"
            {...form.getInputProps('sourceIp')}
          />
          <NativeSelect
            label="Environment"
            description="The environment that the API serves."
            data={[{ value: '', label: 'Any' }, 'live', 'test']}
            {...form.getInputProps('env')}
          />
        </Group>
        <PillsInput
          kind="scopes"
          label="Scopes"
          description="The scopes that the request needs."
          maxTags={limits.scopes}
          {...form.getInputProps('scopes')}
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

function RequestFields({ form }: Props) {
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
