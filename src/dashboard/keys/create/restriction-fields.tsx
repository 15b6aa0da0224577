import { Checkbox, Group, NativeSelect, NumberInput, TagsInput, Textarea } from '@mantine/core';
import { limits } from '../../../domain/limits.ts';
import type { Form } from './form.ts';
import { rejectionOf } from './problems.ts';

const windows = [
  { value: '1', label: 'second' },
  { value: '60', label: 'minute' },
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
];

/** What the key can be used for, from where and how often. */
export function RestrictionFields({ form, error }: { readonly form: Form; readonly error: unknown }) {
  const { windowSeconds } = form.values;
  const isKnown = windows.some(({ value }) => value === windowSeconds);
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
        {...form.getInputProps('sources')}
        error={form.errors.sources ?? rejectionOf(error, 'allowedIps')}
      />
      <TagsInput
        label="Scopes"
        description="What the key can be used for, in the words of your API. Press Enter after each one."
        maxTags={limits.scopes}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.getInputProps('scopes')}
        error={rejectionOf(error, 'scopes')}
      />
      <Group align="start" gap="xs">
        <NumberInput
          label="Rate limit"
          description="Accepted requests. Empty: no limit."
          min={1}
          max={limits.rateLimit}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('limit')}
          error={form.errors.limit ?? rejectionOf(error, 'rateLimit')}
        />
        <NativeSelect
          label="Per"
          description="Window of the limit."
          data={isKnown ? windows : [...windows, { value: windowSeconds, label: `${windowSeconds} seconds` }]}
          {...form.getInputProps('windowSeconds')}
        />
      </Group>
      <Checkbox
        label="Require signed requests"
        description="The signing secret is shown once, after the secret of the key."
        {...form.getInputProps('signing', { type: 'checkbox' })}
      />
    </>
  );
}
