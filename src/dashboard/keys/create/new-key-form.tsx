import { Button, Checkbox, Fieldset, Group, NativeSelect, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { problemOf } from '../../components/field-problems.ts';
import { FocusableButton } from '../../components/focusable-button.tsx';
import { Form } from '../../components/form.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Section } from '../../components/section.tsx';
import type { KeyEnv } from '../../generated/graphql.ts';
import { ExpiryInput } from '../../key-settings/expiry-input.tsx';
import { LabelFields, LimitFields } from '../../key-settings/setting-fields.tsx';
import { isSame } from '../../key-settings/settings.ts';
import { useListLink } from '../filter/list-link.ts';
import { defaultExpiry, type Wish } from './new-key-draft.ts';
import { type Problems, problemsIn } from './problems.ts';
import { changeTemplate, type Start, templates } from './templates.ts';

interface Props {
  readonly teamId: string;
  readonly start: Start;
  readonly error: unknown;
  /** What to show in place of the error. */
  readonly notice: ReactNode;
  readonly pending: boolean;
  readonly create: (wish: Wish) => void;
}

const shownFields = ['name', 'expiresAt', 'allowedIps', 'scopes', 'rateLimit', 'externalId', 'tags', 'metadata'];

export function WishForm({ teamId, start, error, notice, pending, create }: Props) {
  const [wish, setWish] = useState(start.wish);
  const [submitted, setSubmitted] = useState(false);
  const listLink = useListLink(teamId);
  const problems = problemsIn(wish);
  const change = (fields: Partial<Wish>) => setWish((now) => ({ ...now, ...fields }));
  const submit = () => {
    setSubmitted(true);
    if (Object.values(problems).every((problem) => problem === null)) create(wish);
  };
  const fields = { wish, change, error, problems: submitted ? problems : null };

  return (
    <Form
      submit={submit}
      error={error}
      notice={notice}
      fields={shownFields}
      actions={
        <>
          <FocusableButton type="submit" loading={pending}>
            Create
          </FocusableButton>
          <Button variant="default" component={Link} to={listLink}>
            Cancel
          </Button>
        </>
      }
    >
      {/* Disabled while the key is created, which would lack what is entered meanwhile. */}
      <Fieldset variant="unstyled" disabled={pending}>
        <Stack>
          <Section title="Key">
            <Basics start={start} {...fields} />
          </Section>
          <Section title="Restrictions">
            <Restrictions {...fields} />
          </Section>
          <Section title="Owner and labels">
            <LabelFields draft={wish} change={change} error={error} />
          </Section>
        </Stack>
      </Fieldset>
      {!isSame(wish, start.wish) && (
        <LeaveGuard title="Leave without creating the key?" text="What you entered will be lost." />
      )}
    </Form>
  );
}

interface FieldsProps {
  readonly wish: Wish;
  readonly change: (fields: Partial<Wish>) => void;
  /** What the server rejected. */
  readonly error: unknown;
  /** Null until the form is submitted: nobody has made a mistake yet. */
  readonly problems: Problems | null;
}

function Basics({ start, wish, change, error, problems }: FieldsProps & { readonly start: Start }) {
  // A new expiry input for each expiry that the user did not enter, because it has a state of its own.
  const [defaults, setDefaults] = useState(0);
  const [template, setTemplate] = useState(start.template);
  const [hasExpiry, setHasExpiry] = useState(start.hasExpiry);
  const choose = (id: string) => {
    change(changeTemplate(wish, start.origin(), template, id));
    setTemplate(id);
    setHasExpiry(id !== '' || start.isDuplicate);
    setDefaults(defaults + 1);
  };
  const chooseEnv = (env: KeyEnv) => {
    change({ env });
    if (hasExpiry) return;
    change({ expiresAt: defaultExpiry(env) });
    setDefaults(defaults + 1);
  };
  return (
    <>
      <NativeSelect
        label="Start from"
        data={[
          { value: '', label: start.isDuplicate ? 'The duplicated key' : 'An empty form' },
          ...templates.map(({ id, label }) => ({ value: id, label })),
        ]}
        value={template}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="A label for people, up to 100 characters."
        maxLength={100}
        withAsterisk
        required
        data-autofocus
        value={wish.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        error={problems?.name ?? problemOf(error, 'name')}
      />
      <Radio.Group
        label="Environment"
        description="It never changes."
        value={wish.env}
        onChange={(env) => chooseEnv(env === 'test' ? 'test' : 'live')}
      >
        <Group mt="xs">
          <Radio value="live" label="live" />
          <Radio value="test" label="test" />
        </Group>
      </Radio.Group>
      <ExpiryInput
        key={defaults}
        value={wish.expiresAt}
        onChange={(expiresAt) => {
          setHasExpiry(true);
          change({ expiresAt });
        }}
        error={problems?.expiresAt ?? problemOf(error, 'expiresAt')}
      />
    </>
  );
}

/** What the key can be used for, from where and how often. */
function Restrictions({ wish, change, error, problems }: FieldsProps) {
  return (
    <>
      <Textarea
        className="sources"
        label="Allowed sources"
        description="One per line: an IP address, a CIDR range or a host name, optionally followed by a # comment. Empty: every source."
        placeholder={'203.0.113.9\n10.0.0.0/8 # our network'}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={wish.sources}
        onChange={({ currentTarget }) => change({ sources: currentTarget.value })}
        error={problems?.sources ?? problemOf(error, 'allowedIps')}
      />
      <LimitFields draft={wish} change={change} error={error} />
      <Checkbox
        label="Require signed requests"
        description="The signing secret is shown once, after the secret of the key."
        checked={wish.signing}
        onChange={({ currentTarget }) => change({ signing: currentTarget.checked })}
      />
    </>
  );
}
