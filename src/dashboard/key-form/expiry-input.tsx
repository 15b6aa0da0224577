/** The expiry of a key: a preset, or a date and time in the user's time zone. */
import { Group, NativeSelect } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { type ReactNode, useId } from 'react';
import { withChoice } from '../components/form/choices.ts';
import { type Expiry, momentOf } from './expiry.ts';

interface Props {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
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
  const id = useId();
  const moment = momentOf(value);
  const choice = value instanceof Date ? 'date' : String(value ?? 'never');
  const choose = (choice: string) => {
    if (choice === 'date') onChange(moment ?? momentOf(1));
    else onChange(choice === 'never' ? null : Number(choice));
  };
  return (
    <Group align="start" gap="xs">
      <NativeSelect
        label="Expires"
        description={moment !== null && `On ${until.format(moment)}`}
        data={withChoice(presets, choice, (days) => `In ${days} days`)}
        value={choice}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        error={choice === 'date' ? undefined : error}
      />
      {choice === 'date' && (
        <DateTimePicker
          label="Date and time"
          // The field is a button, on which the focus must be visible (WCAG 2.4.7).
          classNames={{ input: 'mantine-focus-auto' }}
          // The label of the calendar refers to this id.
          id={id}
          popoverProps={{ id }}
          valueFormat="YYYY-MM-DD HH:mm"
          minDate={new Date()}
          value={moment}
          // The picker returns local time.
          onChange={(text) => onChange(text === null ? null : new Date(text.replace(' ', 'T')))}
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
