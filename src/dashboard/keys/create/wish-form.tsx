import { Button, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExpiryInput } from '../../components/expiry-input.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Section } from '../../components/section.tsx';
import type { KeyEnv } from '../../generated/graphql.ts';
import { useListLink } from '../list-link.ts';
import { type Form, useWishForm } from './form.ts';
import { OwnerFields } from './owner-fields.tsx';
import { rejectionOf } from './problems.ts';
import { RestrictionFields } from './restriction-fields.tsx';
import { fromTemplate, templates } from './templates.ts';
import { defaultExpiry, newWish, type Wish } from './wish.ts';

interface Props {
  readonly teamId: string;
  readonly initial: Wish;
  readonly error: unknown;
  readonly pending: boolean;
  readonly create: (wish: Wish) => void;
}

export function WishForm({ teamId, initial, error, pending, create }: Props) {
  const form = useWishForm(initial);
  const listLink = useListLink(teamId);
  const known = error instanceof ApiError && error.fields.length > 0;
  return (
    <form onSubmit={form.onSubmit(create)} noValidate>
      <Stack>
        {error != null && !known && <ErrorNotice error={error} />}
        <Section title="Key">
          <Basics form={form} error={error} />
        </Section>
        <Section title="Restrictions">
          <RestrictionFields form={form} error={error} />
        </Section>
        <Section title="Owner and labels">
          <OwnerFields form={form} error={error} />
        </Section>
        <Group>
          <Button type="submit" loading={pending}>
            Create
          </Button>
          <Button variant="default" component={Link} to={listLink}>
            Cancel
          </Button>
        </Group>
      </Stack>
      {form.isDirty() && <LeaveGuard title="Leave without creating the key?" text="What you entered will be lost." />}
    </form>
  );
}

function Basics({ form, error }: { readonly form: Form; readonly error: unknown }) {
  // A new expiry input for each expiry that the user did not enter, because it has a state of its own.
  const [defaults, setDefaults] = useState(0);
  const [chosen, setChosen] = useState(false);
  const start = (id: string) => {
    form.setValues(fromTemplate(id === '' ? { ...newWish(), name: form.values.name } : form.values, id));
    setDefaults(defaults + 1);
  };
  const chooseEnv = (env: KeyEnv) => {
    form.setFieldValue('env', env);
    if (chosen) return;
    form.setFieldValue('expiresAt', defaultExpiry(env));
    setDefaults(defaults + 1);
  };
  return (
    <>
      <NativeSelect
        label="Start from"
        data={[{ value: '', label: 'An empty form' }, ...templates.map(({ id, label }) => ({ value: id, label }))]}
        onChange={({ currentTarget }) => start(currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="A label for people, up to 100 characters."
        maxLength={100}
        withAsterisk
        required
        data-autofocus
        {...form.getInputProps('name')}
        error={form.errors.name ?? rejectionOf(error, 'name')}
      />
      <Radio.Group
        label="Environment"
        description="It never changes."
        value={form.values.env}
        onChange={(env) => chooseEnv(env === 'test' ? 'test' : 'live')}
      >
        <Group mt="xs">
          <Radio value="live" label="live" />
          <Radio value="test" label="test" />
        </Group>
      </Radio.Group>
      <ExpiryInput
        key={defaults}
        value={form.values.expiresAt}
        onChange={(at) => {
          setChosen(true);
          form.setFieldValue('expiresAt', at);
        }}
        error={form.errors.expiresAt ?? rejectionOf(error, 'expiresAt')}
      />
    </>
  );
}
