import { type RefObject, useEffect, useRef } from 'react';

/** Moves the focus to an element when it appears, because the element that had the focus is gone. */
export function useFirstFocus<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}
