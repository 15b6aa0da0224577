import {
  Button,
  Group,
  NativeSelect,
  Paper,
  PasswordInput,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '../../domain/limits.ts';
import { FocusableButton } from '../components/focusable-button.tsx';
import { scopesIn } from '../key/scopes.ts';
import { useViewer } from '../session/viewer.ts';
import type { Question } from './question.ts';

interface Props {
  readonly form: UseFormReturnType<Question>;
  readonly pending: boolean;
  readonly submit: (question: Question) => void;
}

export function ExplainForm({ form, pending, submit }: Props) {
  const { data: viewer } = useViewer();
  const own = viewer?.source ?? null;
  return (
    <Paper component="form" withBorder p="md" noValidate onSubmit={form.onSubmit(submit)}>
      <Stack gap="sm">
        <PasswordInput
          label="Key"
          description="Its secret, or its prefix such as lk_live_4fJx81Qz."
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.presentedCharacters}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key', tabIndex: 0 }}
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
        />
        <Switch
          label="The request is signed"
          description="Also checks the signature of a request, without using up its nonce."
          {...form.getInputProps('isSigned', { type: 'checkbox' })}
        />
        {form.values.isSigned && <RequestFields form={form} />}
        <Group>
          <FocusableButton type="submit" loading={pending}>
            Try it
          </FocusableButton>
          {own !== null && (
            <Button variant="default" onClick={() => form.setFieldValue('sourceIp', own)}>
              From my address, {own}
            </Button>
          )}
        </Group>
      </Stack>
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
