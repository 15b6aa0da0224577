/** Fields of a key's settings, for the form that creates it and the one that changes it. */
import { Group, NativeSelect, NumberInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import { limits } from '../../domain/limits.ts';
import { problemOf } from '../components/field-problems.ts';
import { parseJsonObject } from './json-object.ts';
import { problemOfRateLimit, type RateLimitDraft } from './rate-limit.ts';
import { windowChoices } from './rate-windows.ts';
import { scopesIn } from './scopes.ts';

interface Props<Draft> {
  readonly draft: Draft;
  readonly change: (fields: Partial<Draft>) => void;
  /** What the server rejected. */
  readonly error: unknown;
}

interface Limits {
  readonly scopes: readonly string[];
  readonly rateLimit: RateLimitDraft;
}

/** What the key can be used for, and how often. */
export function LimitFields({ draft: { scopes, rateLimit }, change, error }: Props<Limits>) {
  const changeLimit = (part: Partial<RateLimitDraft>) => change({ rateLimit: { ...rateLimit, ...part } });
  return (
    <>
      <TagsInput
        label="Scopes"
        description="What the key can be used for, in the words of your API. Press Enter after each one."
        maxTags={limits.scopes}
        splitChars={[',', ' ']}
        value={[...scopes]}
        onChange={(texts) => change({ scopes: scopesIn(texts) })}
        error={problemOf(error, 'scopes')}
      />
      <Group align="start" gap="xs">
        <NumberInput
          label="Rate limit"
          description="Accepted requests. Empty: no limit."
          min={1}
          max={limits.rateLimit}
          // Otherwise, pressing Save would change an invalid number and save it.
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          value={rateLimit.limit}
          onChange={(limit) => changeLimit({ limit })}
          error={problemOfRateLimit(rateLimit) ?? problemOf(error, 'rateLimit')}
        />
        <NativeSelect
          label="Per"
          description="Window of the limit."
          data={windowChoices(String(rateLimit.windowSeconds))}
          value={rateLimit.windowSeconds}
          onChange={({ currentTarget }) => changeLimit({ windowSeconds: Number(currentTarget.value) })}
        />
      </Group>
    </>
  );
}

interface Labels {
  readonly externalId: string;
  readonly tags: readonly string[];
  /** JSON; empty for none. */
  readonly metadata: string;
}

/** Who the key belongs to, and how it is found. */
export function LabelFields({ draft: { externalId, tags, metadata }, change, error }: Props<Labels>) {
  const parsed = parseJsonObject(metadata);
  return (
    <>
      <TextInput
        label="External ID"
        description="The customer or service that the key belongs to. Every verification returns it."
        maxLength={limits.externalIdCharacters}
        value={externalId}
        onChange={({ currentTarget }) => change({ externalId: currentTarget.value })}
        error={problemOf(error, 'externalId')}
      />
      <TagsInput
        label="Tags"
        description="Labels by which keys are filtered. Press Enter after each one."
        maxTags={limits.tags}
        value={[...tags]}
        onChange={(tags) => change({ tags })}
        error={problemOf(error, 'tags')}
      />
      <Textarea
        classNames={{ input: 'code' }}
        label="Metadata"
        description="A JSON object, which every verification returns. It is no place for secrets."
        placeholder={'{"plan": "free"}'}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        value={metadata}
        onChange={({ currentTarget }) => change({ metadata: currentTarget.value })}
        error={parsed.ok ? problemOf(error, 'metadata') : parsed.problem}
      />
    </>
  );
}
