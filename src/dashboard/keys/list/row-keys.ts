/**
 * The keyboard in a list of keys. Each row is one stop of the Tab key, its link, so that a list of 100 keys has 100
 * stops and not 400. The arrow keys reach the other controls of a row, and what its cells cut off.
 */
import { type RefObject, useEffect } from 'react';
import { singleKeyOf } from '../../commands/shortcuts.ts';
import { clippedAround } from '../../components/clipped.tsx';

const rowOf = (element: Element | null) => element?.closest<HTMLTableRowElement>('tbody tr') ?? null;
const linkIn = (row: Element) => row.querySelector<HTMLElement>('a');
const controls = 'input, a, button';
const stops = `${controls}, [tabindex="-1"]`;

export function useRowKeys(table: RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { current } = table;
      if (current === null || event.defaultPrevented) return;
      if (document.querySelector('[aria-modal=true], [role=menu]') !== null) return;
      const { activeElement } = document;
      const focused = activeElement instanceof HTMLElement && current.contains(activeElement) ? activeElement : null;
      if (act(current, rowOf(focused), focused, event)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [table]);
}

/** Returns whether the key did something. */
function act(table: HTMLTableElement, row: Element | null, focused: HTMLElement | null, event: KeyboardEvent): boolean {
  const letter = singleKeyOf(event);
  if (letter === 'j' || letter === 'k') return focusRow(table, row, letter === 'j' ? 1 : -1);
  if (row === null || focused === null || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (letter === 'x' || letter === 'X') return select(row, event.shiftKey);
  switch (event.key) {
    case 'ArrowDown':
      return focusRow(table, row, 1);
    case 'ArrowUp':
      return focusRow(table, row, -1);
    case 'ArrowRight':
      return focusBeside(row, focused, 1);
    case 'ArrowLeft':
      return focusBeside(row, focused, -1);
    case 'Enter':
      if (focused.matches('a, button')) return false;
      linkIn(row)?.click();
      return true;
    default:
      return false;
  }
}

/** Without a row that has the focus, goes to the first or last one. */
function focusRow(table: HTMLTableElement, row: Element | null, step: 1 | -1): boolean {
  const rows = [...table.querySelectorAll('tbody tr')];
  const next = row === null ? rows.at(step === 1 ? 0 : -1) : rows[rows.indexOf(row) + step];
  if (next !== undefined) linkIn(next)?.focus();
  return rows.length > 0;
}

function focusBeside(row: Element, focused: HTMLElement, step: 1 | -1): boolean {
  const reachable = [...row.querySelectorAll<HTMLElement>(stops)].filter(
    (stop) => stop.checkVisibility() && (stop.matches(controls) || clippedAround(stop) !== null),
  );
  reachable[reachable.indexOf(focused) + step]?.focus();
  return true;
}

/** As a click, so that Shift selects a range here too. */
function select(row: Element, shiftKey: boolean): boolean {
  const box = row.querySelector('input');
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
  return box !== null;
}
