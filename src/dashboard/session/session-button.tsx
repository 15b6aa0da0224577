import { useState } from 'react';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { UserButton } from './user-button.tsx';

const loadMenu = async () => (await import('./user-menu.tsx')).UserMenu;

/** A plain button, until the first click loads the menu. */
export function SessionButton({ subject }: { readonly subject: string }) {
  const [used, setUsed] = useState(false);
  const { part: UserMenu, failed, retry } = useLoaded(loadMenu, used);
  if (UserMenu !== undefined) return <UserMenu subject={subject} />;
  if (failed) return <NotLoaded what="The menu" retry={retry} />;
  return <UserButton onClick={() => setUsed(true)} />;
}
