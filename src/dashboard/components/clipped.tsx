/** Texts in the cells of a table: at most two lines, or one line of items. `WholeText` shows what is cut off. */
import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import './clipped.css';

/** The arrow keys move to these texts, because a keyboard has no other way to read what is cut off. */
const focusable = { tabIndex: -1 };

export function Clipped({ children }: { readonly children: ReactNode }) {
  return (
    <span className="clipped" {...focusable}>
      {children}
    </span>
  );
}

interface ItemsProps {
  readonly texts: readonly string[];
  /** The content of an item, such as a link; by default its text. */
  readonly item?: (text: string) => ReactNode;
}

const maxItems = 3;
const maxCharacters = 24;

/** Shows the first items in one line, and how many more there are. In a narrow cell, CSS shows only the first one. */
export function Items({ texts, item = (text) => text }: ItemsProps) {
  if (texts.length === 0) return null;
  const shown = countThatFits(texts);
  const rest = texts.length - shown;
  return (
    <span className="items" data-whole={texts.join('\n')} {...focusable}>
      {texts.slice(0, shown).map((text) => (
        <span key={text} className="item">
          {item(text)}
        </span>
      ))}
      {texts.length > 1 && (
        <span className="more" data-wide={rest > 0 ? `+${rest}` : ''} data-narrow={`+${texts.length - 1}`} />
      )}
      {rest > 0 && <span className="for-readers">{texts.slice(shown).join(', ')}</span>}
    </span>
  );
}

function countThatFits(texts: readonly string[]): number {
  let characters = 0;
  let count = 0;
  for (const text of texts.slice(0, maxItems)) {
    characters += text.length;
    if (count > 0 && characters > maxCharacters) break;
    count += 1;
  }
  return count;
}

/** So that a pointer that crosses the table shows nothing. */
const hoverMs = 250;

interface Shown {
  readonly element: HTMLElement;
  readonly text: string;
  readonly left: number;
  readonly top: number | undefined;
  readonly bottom: number | undefined;
}

/** Shows the whole text of the clipped element that the pointer rests on, or that has the focus of the keyboard. */
export function WholeText({ within }: { readonly within: RefObject<HTMLElement | null> }) {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => {
    const { current: area } = within;
    if (area === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = new AbortController();
    const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
      target.addEventListener(type, listener, { signal: end.signal, capture: true });
    const show = (element: HTMLElement | null, delayMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setShown(element === null ? null : shownFor(element)), delayMs);
    };
    on(area, 'mouseover', ({ target }) => {
      if (target instanceof Element && target.closest('[role=tooltip]') === null) show(clippedAround(target), hoverMs);
    });
    on(area, 'mouseleave', ({ target }) => target === area && show(null, hoverMs));
    on(area, 'focusin', ({ target }) => {
      if (target instanceof Element && target.matches(':focus-visible')) show(clippedAround(target), 0);
    });
    const hide = () => show(null, 0);
    on(area, 'focusout', hide);
    // The page may scroll because of the focus.
    on(document, 'scroll', () => setShown((shown) => shown && shownFor(shown.element)));
    on(window, 'keydown', (event) => event instanceof KeyboardEvent && event.key === 'Escape' && hide());
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [within]);
  if (shown === null) return null;
  const { text, left, top, bottom } = shown;
  return (
    <div role="tooltip" className="whole-text" style={{ left, top, bottom }}>
      {text}
    </div>
  );
}

/** Returns the element of a cell around an element if a part of its text is cut off. */
export function clippedAround(target: Element): HTMLElement | null {
  const element = target.closest<HTMLElement>('.clipped, .items');
  if (element === null) return null;
  return [element, ...element.children].some(isCut) ? element : null;
}

function isCut(element: Element): boolean {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  return element.matches('.more') || scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
}

const maxWidth = 420;

function shownFor(element: HTMLElement): Shown {
  const { left, top, bottom } = element.getBoundingClientRect();
  const isLow = bottom > innerHeight / 2;
  return {
    element,
    text: element.dataset.whole ?? element.textContent,
    left: Math.max(8, Math.min(left, innerWidth - maxWidth - 16)),
    top: isLow ? undefined : bottom,
    bottom: isLow ? innerHeight - top : undefined,
  };
}
