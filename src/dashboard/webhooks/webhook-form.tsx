/** The fields of a webhook, for a new one and for changes. */
import { MultiSelect, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { describe, eventActions, eventTypeOf, isEventType } from '../../domain/event/event-types.ts';
import { limits } from '../../domain/limits.ts';
import { DocsTextLink } from '../components/links.tsx';
import type { EventForm, WebhookSignature } from '../generated/graphql.ts';

export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly form: EventForm;
}

export const emptyDraft: WebhookDraft = { url: '', description: '', types: [], form: 'STANDARD' };

/** Returns what is sent to the server, which checks all rules. */
export function inputOf({ url, description, types, form }: WebhookDraft) {
  return { url: url.trim(), description: description.trim() || null, types: [...types], form };
}

export const formNames: Readonly<Record<EventForm, string>> = {
  STANDARD: 'Standard Webhooks',
  CLOUDEVENTS: 'CloudEvents 1.0',
  OCSF: 'OCSF, for a SIEM',
};

export const signatureNames: Readonly<Record<WebhookSignature, string>> = {
  V1: 'Shared secret (HMAC-SHA-256)',
  V1A: 'Public key (Ed25519)',
};

/** The choices of a select. */
export const choicesOf = <Value extends string>(names: Readonly<Record<Value, string>>) =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }));

const descriptions = new Map(
  eventActions.map((action) => [eventTypeOf(action) as string, describe(action).description]),
);
const types = [...descriptions.keys()].filter(isEventType);
const subjectOf = (type: string) => type.split('.')[0] ?? '';
const choices = [...new Set(types.map(subjectOf))].map((group) => ({
  group,
  items: types.filter((type) => subjectOf(type) === group),
}));

interface Props {
  readonly getInputProps: (field: keyof WebhookDraft) => GetInputPropsReturnType;
}

export function WebhookFields({ getInputProps }: Props) {
  return (
    <>
      <TextInput
        label="URL"
        description="An https URL, at port 443 or above 1023. The operator can allow networks with other URLs."
        placeholder="https://hooks.example.com/latchkey"
        maxLength={limits.webhookUrlCharacters}
        withAsterisk
        required
        spellCheck={false}
        autoComplete="off"
        {...getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="A name for people."
        maxLength={limits.descriptionCharacters}
        {...getInputProps('description')}
      />
      <MultiSelect
        label="Events"
        description="The types of events that are sent. None chosen: all, also types of later versions."
        placeholder="Add a type"
        data={choices}
        searchable
        renderOption={({ option: { value } }) => (
          <Stack gap={0}>
            <Text size="sm">{value}</Text>
            <Text size="xs" c="dimmed">
              {descriptions.get(value)}
            </Text>
          </Stack>
        )}
        // The list itself scrolls: a scroll area in it could not be reached by keyboard.
        withScrollArea={false}
        styles={{ options: { maxHeight: '16rem', overflowY: 'auto' } }}
        // Users of screen readers rarely find elements outside of landmarks.
        comboboxProps={{ withinPortal: false }}
        {...getInputProps('types')}
      />
      <NativeSelect
        label="Form"
        description={
          <>
            How the events are written. <DocsTextLink section="eventForms">What each form looks like</DocsTextLink>
          </>
        }
        data={choicesOf(formNames)}
        {...getInputProps('form')}
      />
    </>
  );
}
