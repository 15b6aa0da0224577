/** The expiry of a key: a preset, or a date and time in the user's time zone. */
import { Group, NativeSelect } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { type ReactNode, useId, useState } from 'react';
import { dayMs, inDays } from './expiry.ts';

interface Props {
  readonly value: Date | null;
  readonly onChange: (value: Date | null) => void;
  readonly error?: ReactNode;
}

const ariaLabels = {
  nextMonth: 'Next month',
  previousMonth: 'Previous month',
  nextYear: 'Next year',
  previousYear: 'Previous year',
  nextDecade: 'Next decade',
  previousDecade: 'Previous decade',
};
/** One minute, in days. */
const presetAgeDays = 1 / 1440;
const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });
const presets = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'At a date…' },
];

export function ExpiryInput({ value, onChange, error }: Props) {
  const [chosen, setChosen] = useState({ preset: presetOf(value), at: value?.getTime() });
  const id = useId();
  // The expiry was changed elsewhere, for example by a template or another session.
  if (!Object.is(chosen.at, value?.getTime())) setChosen({ preset: presetOf(value), at: value?.getTime() });
  const { preset } = chosen;
  const changeTo = (preset: string, next: Date | null) => {
    setChosen({ preset, at: next?.getTime() });
    onChange(next);
  };
  return (
    <Group align="start" gap="xs">
      <NativeSelect
        label="Expires"
        description={preset === 'never' || value === null ? undefined : `On ${until.format(value)}`}
        data={presets}
        value={preset}
        onChange={({ currentTarget }) => changeTo(currentTarget.value, expiryOf(currentTarget.value, value))}
        error={preset === 'date' ? undefined : error}
      />
      {preset === 'date' && (
        <DateTimePicker
          label="Date and time"
          // The label of the calendar refers to this id.
          id={id}
          popoverProps={{ id }}
          valueFormat="YYYY-MM-DD HH:mm"
          minDate={new Date()}
          value={value}
          // The picker returns local time.
          onChange={(text) => changeTo(preset, text === null ? null : new Date(text.replace(' ', 'T')))}
          error={error}
          // The red of weekends has a contrast below 4.5 to 1, and weekends differ between countries.
          weekendDays={[]}
          ariaLabels={ariaLabels}
          timePickerProps={{
            withDropdown: false,
            hoursInputLabel: 'Hours',
            minutesInputLabel: 'Minutes',
            hiddenInputProps: { 'aria-label': 'Time' },
          }}
          submitButtonProps={{ 'aria-label': 'Use this date and time' }}
          w={220}
        />
      )}
    </Group>
  );
}

function expiryOf(preset: string, value: Date | null): Date | null {
  if (preset === 'never') return null;
  return preset === 'date' ? (value ?? inDays(1)) : inDays(Number(preset));
}

/** Returns the preset that gave this value within the last minute, otherwise `date`. */
function presetOf(value: Date | null): string {
  if (value === null) return 'never';
  const days = (value.getTime() - Date.now()) / dayMs;
  const isPreset = ({ value }: (typeof presets)[number]) =>
    days <= Number(value) && days > Number(value) - presetAgeDays;
  return presets.find(isPreset)?.value ?? 'date';
}
