/** The filters: first the fields, then the values of one, with what is typed narrowing both. Loaded on demand. */
import { Combobox, useCombobox } from '@mantine/core';
import { useDebouncedValue, useId } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { AddFilterButton } from './add-filter-button.tsx';
import { withValue } from './chosen.ts';
import { type MenuField, menuField, useOffer } from './field-options.ts';
import type { KeyQuery } from './key-query.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
}

const typingMs = 200;

export function FilterMenu({ teamId, query }: Props) {
  const [field, setField] = useState<MenuField | null>(null);
  const [typed, setTyped] = useState('');
  const listId = useId();
  const show = (next: MenuField | null) => {
    setField(next);
    setTyped('');
  };
  const combobox = useCombobox({
    // The button that loaded this menu was clicked to open it.
    defaultOpened: true,
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
      show(null);
    },
  });
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const { label, options, message } = useOffer({ teamId, query, field, typed: typed.trim(), search });
  useEffect(() => combobox.focusSearchInput(), [combobox.focusSearchInput]);
  // Enter takes the first option that matches.
  useEffect(() => {
    if (options.length > 0) combobox.selectFirstOption();
  }, [options, combobox.selectFirstOption]);
  const submit = (value: string) => {
    if (field === null) return show(menuField(value));
    query.choose(withValue(query.chosen, field, value));
    combobox.closeDropdown();
  };
  const back = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && typed === '') show(null);
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={submit}
      width="min(320px, calc(100vw - 32px))"
      position="bottom-start"
      // In the landmark of the search. Users of screen readers rarely find elements outside of landmarks.
      withinPortal={false}
      shadow="md"
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <AddFilterButton aria-expanded={combobox.dropdownOpened} onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown role="dialog" aria-label={label}>
        <Combobox.Search
          // Mantine leaves them out, the last one at first: screen readers would not say that the arrow keys choose from a list.
          role="combobox"
          aria-controls={listId}
          aria-expanded={combobox.dropdownOpened}
          aria-label={label}
          placeholder={field === null ? 'Filter by…' : `${label}…`}
          maxLength={100}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={back}
        />
        {field !== null && (
          <button type="button" className="filter-back" onClick={() => show(null)}>
            ‹ {label}
          </button>
        )}
        <Combobox.Options id={listId} mah="min(320px, 50vh)" style={{ overflowY: 'auto' }} aria-label={label}>
          {options.map(({ value, label, count, isChosen }) => (
            <Combobox.Option key={value} value={value} active={isChosen === true} disabled={isChosen === true}>
              <span className="filter-option">
                <span className="breakable">{label}</span>
                {count !== undefined && <span className="count">{count}</span>}
              </span>
            </Combobox.Option>
          ))}
          {message !== null && <Combobox.Empty>{message}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
