import { ActionIcon, Loader } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useState } from 'react';
import { Dialog } from '../components/dialog/dialog.tsx';
import { Command as CommandIcon } from '../components/icons.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { undoLast } from '../components/toast.ts';
import type { Viewer } from '../session/viewer.ts';
import { searchBox } from '../shell/page-heading.ts';
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx';

const loadPalette = async () => (await import('./palette.tsx')).Palette;

export function Commands({ viewer, teamId }: { readonly viewer: Viewer; readonly teamId: string | undefined }) {
  const [opened, setOpened] = useState<'palette' | 'shortcuts' | null>(null);
  const [wanted, setWanted] = useState(false);
  const { part: Palette, failed, retry } = useLoaded(loadPalette, wanted);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const close = useCallback(() => setOpened(null), []);
  // A layout effect runs before the user can open the palette on the new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes the dialogs.
  useLayoutEffect(close, [pathname]);
  const openPalette = () => {
    setWanted(true);
    setOpened('palette');
  };
  const search = () => {
    const box = searchBox();
    if (box !== null) box.focus();
    else if (teamId !== undefined)
      void navigate({ to: '/teams/$teamId/keys', params: { teamId }, state: { focus: 'search' } });
  };
  useShortcuts({ palette: openPalette, search, undo: undoLast, help: () => setOpened('shortcuts') });
  return (
    <>
      <ActionIcon variant="default" size="lg" aria-label="Commands" aria-keyshortcuts="Control+K" onClick={openPalette}>
        <CommandIcon size={18} />
      </ActionIcon>
      <Dialog opened={opened === 'palette'} close={close} title="Commands">
        {failed && <NotLoaded what="The list of commands" retry={retry} />}
        {Palette === undefined && !failed && <Loader aria-label="Loading" />}
        {Palette !== undefined && (
          <Palette viewer={viewer} teamId={teamId} close={close} showShortcuts={() => setOpened('shortcuts')} />
        )}
      </Dialog>
      <ShortcutsDialog opened={opened === 'shortcuts'} close={close} />
    </>
  );
}
