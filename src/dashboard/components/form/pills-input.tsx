/** A field of several short texts, each shown as a pill. `Form` keeps Enter in it from submitting. */
import { TagsInput, type TagsInputProps } from '@mantine/core';

/** What ends an entry besides Enter. */
const kinds = {
  // A scope contains no spaces (RFC 6749, section 3.3).
  scopes: { splitChars: [',', ' '], separator: /[\s,]+/, hint: 'Press Enter, space or comma after each one.' },
  tags: { splitChars: [','], separator: /[\r\n,]+/, hint: 'Press Enter or comma after each one.' },
};

interface Props extends Omit<TagsInputProps, 'value' | 'onChange' | 'splitChars' | 'description'> {
  readonly kind: keyof typeof kinds;
  readonly description?: string;
  readonly value?: readonly string[];
  readonly onChange: (entries: string[]) => void;
}

export function PillsInput({ kind, value = [], onChange, description, ...props }: Props) {
  const { splitChars, separator, hint } = kinds[kind];
  /** Splits new entries only: another client may have stored a tag with a comma. */
  const split = (entry: string) => (value.includes(entry) ? [entry] : entry.split(separator).map((one) => one.trim()));
  return (
    <TagsInput
      // Keeps the empty list of proposals closed. An open list would take the Escape that should close the dialog.
      dropdownOpened={false}
      // A list of many entries scrolls, so that its form fits on a screen.
      styles={{
        input: { maxHeight: '12rem', overflowY: 'auto' },
        options: { maxHeight: '16rem', overflowY: 'auto' },
      }}
      // The list itself scrolls: a scroll area in it could not be reached by keyboard.
      withScrollArea={false}
      // Users of screen readers rarely find elements outside of landmarks.
      comboboxProps={{ withinPortal: false }}
      isDuplicate={(entry, entries) => entries.includes(entry)}
      {...props}
      description={description === undefined ? hint : `${description} ${hint}`}
      splitChars={splitChars}
      value={[...value]}
      onChange={(entries) => onChange([...new Set(entries.flatMap(split))].filter((entry) => entry !== ''))}
    />
  );
}
