import type { MouseEvent } from 'react';
import { type ValueCriterion, valueFields } from '../filter/key-filter.ts';

interface Props {
  readonly criterion: ValueCriterion;
  readonly value: string;
}

/** A value in a cell that filters the list by it. The table handles the click, because rows know nothing of the filter. */
export function FilterValue({ criterion, value }: Props) {
  return (
    <button
      type="button"
      className="filter-value"
      tabIndex={-1}
      data-filter={criterion}
      title={`Only keys with ${value}`}
    >
      {value}
    </button>
  );
}

/** Returns what a click on a value filters by; null for other clicks. */
export function filterClicked({
  target,
}: MouseEvent): { readonly criterion: ValueCriterion; readonly value: string } | null {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-filter]') : null;
  const field = valueFields.find(({ criterion }) => criterion === button?.dataset.filter);
  return button === null || field === undefined ? null : { criterion: field.criterion, value: button.textContent };
}
