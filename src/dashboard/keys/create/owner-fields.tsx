import { TagsInput, Textarea, TextInput } from '@mantine/core';
import { limits } from '../../../domain/limits.ts';
import type { Form } from './form.ts';
import { rejectionOf } from './problems.ts';

/** Who the key belongs to, and how it is found. */
export function OwnerFields({ form, error }: { readonly form: Form; readonly error: unknown }) {
  return (
    <>
      <TextInput
        label="External id"
        description="The customer or service that the key belongs to. Every verification returns it."
        maxLength={limits.externalIdCharacters}
        {...form.getInputProps('externalId')}
        error={rejectionOf(error, 'externalId')}
      />
      <TagsInput
        label="Tags"
        description="Labels by which keys are filtered. Press Enter after each one."
        maxTags={limits.tags}
        splitChars={[',']}
        acceptValueOnBlur
        {...form.getInputProps('tags')}
        error={rejectionOf(error, 'tags')}
      />
      <Textarea
        className="sources"
        label="Metadata"
        description="A JSON object, which every verification returns. It is no place for secrets."
        placeholder={'{"plan": "free"}'}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        {...form.getInputProps('metadata')}
        error={form.errors.metadata ?? rejectionOf(error, 'metadata')}
      />
    </>
  );
}
