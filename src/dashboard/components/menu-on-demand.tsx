import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useLoaded } from './loading/loaded.ts';
import { NotLoaded } from './loading/not-loaded.tsx';

/**
 * Returns a button whose first click loads its menu. The loaded menu replaces the button, so its component must draw
 * the same button, and call `useOpened`.
 */
export function menuOnDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  PlainButton: ComponentType<Props & { readonly open: () => void }>,
) {
  return function MenuOnDemand(props: Props) {
    const [used, setUsed] = useState(false);
    const { part: Menu, failed, retry } = useLoaded(load, used);
    if (Menu !== undefined) return <Menu {...props} />;
    if (failed) return <NotLoaded what="The menu" retry={retry} />;
    return <PlainButton {...props} open={() => setUsed(true)} />;
  };
}

/** The state of a loaded menu. The menu opens, and its button gets the focus that the replaced button had. */
export function useOpened() {
  const [opened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);
  return { target, opened, setOpened };
}
