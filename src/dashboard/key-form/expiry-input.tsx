/** The expiry of a key: a preset, or what is typed. A typed moment is shown in the user's time zone. */
import { ActionIcon, Group, NativeSelect, TextInput, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { durationText } from '../../domain/policy/duration-text.ts';
import { withChoice } from '../components/form/choices.ts';
import { Calendar } from '../components/icons.tsx';
import { type Expiry, expiryProblem, momentOf, writeMoment } from './expiry.ts';
import { type ExpiryBounds, isTooLate, shortened } from './expiry-bounds.ts';

/** The choice to leave the expiry to a policy that the user may not read. */
export interface LeftExpiry {
  readonly isLeft: boolean;
  readonly leave: () => void;
}

interface Props extends Partial<ExpiryBounds> {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  readonly error?: ReactNode;
  /** False for a key that exists: it never expires, whatever the policy demands, until an expiry is chosen. */
  readonly isNew?: boolean;
  readonly left?: LeftExpiry | undefined;
}

const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });
const defaultDays = 30;
const presets = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'At a date…' },
];

const byPolicy = { value: 'left', label: 'As the policy says' };

export function ExpiryInput({ value: draft, onChange, error, isNew = true, left, ...bounds }: Props) {
  const { isRequired = false, maxDays = Infinity } = bounds;
  const isLeft = left?.isLeft === true;
  const isTyped = typeof draft === 'string' && !isLeft;
  const value = isTyped || (draft === null && !isNew) ? draft : shortened(draft, { isRequired, maxDays });
  const choice = isLeft ? 'left' : isTyped ? 'date' : String(value ?? 'never');
  const choose = (choice: string) => {
    if (choice === 'left') left?.leave();
    else if (choice === 'date') onChange(isTyped ? value : `${value ?? defaultDays}d`);
    else onChange(choice === 'never' ? null : Number(choice));
  };
  const offered = [...(left === undefined ? [] : [byPolicy]), ...presets].filter(
    ({ value }) => value === choice || (value === 'never' ? !isRequired : !(Number(value) > maxDays)),
  );
  return (
    <Group align="start" gap="xs">
      <NativeSelect
        label="Expires"
        description={isLeft ? 'Never, if the policy has no default.' : !isTyped && understood(value)}
        data={withChoice(offered, choice, (days) => `In ${durationText(Math.round(Number(days) * 86_400))}`)}
        value={choice}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        error={isTyped ? undefined : error}
      />
      {isTyped && <TypedExpiry value={draft} onChange={onChange} error={error} maxDays={maxDays} />}
    </Group>
  );
}

function understood(value: Expiry): string | null {
  const moment = momentOf(value);
  return moment === null ? null : `On ${until.format(moment)}`;
}

function permittedText(maxDays: number): string {
  if (maxDays <= 0) return 'The policy permits none with this secret: rotate the key first';
  return `The policy permits: ${understood(maxDays)}`;
}

function TypedExpiry({ value, onChange, error, maxDays = Infinity }: Props & { readonly value: string }) {
  const calendar = useRef<HTMLInputElement>(null);
  const moment = momentOf(value);
  return (
    <TextInput
      label="Date or time"
      placeholder="2030-01-31"
      description={
        expiryProblem(value) === null
          ? isTooLate(value, maxDays)
            ? permittedText(maxDays)
            : (understood(value) ?? 'It never expires')
          : 'Such as 2030-01-31, 30d or in 6 months'
      }
      descriptionProps={{ role: 'status' }}
      autoComplete="off"
      spellCheck={false}
      w={260}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      rightSection={
        <>
          <VisuallyHidden aria-hidden>
            <input
              ref={calendar}
              type="datetime-local"
              tabIndex={-1}
              value={moment === null ? '' : writeMoment(moment).slice(0, 16)}
              onChange={({ currentTarget }) => {
                if (currentTarget.value !== '') onChange(writeMoment(new Date(currentTarget.value)));
              }}
            />
          </VisuallyHidden>
          <ActionIcon variant="subtle" aria-label="Choose in a calendar" onClick={() => calendar.current?.showPicker()}>
            <Calendar size={16} />
          </ActionIcon>
        </>
      }
    />
  );
}
