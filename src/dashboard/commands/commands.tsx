import { ActionIcon, Loader } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useState } from 'react';
import { DialogOnDemand } from '../components/dialog/dialog-on-demand.tsx';
import { useReturnFocus } from '../components/dialog/return-focus.ts';
import { Command as CommandIcon } from '../components/icons.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { undoLast } from '../components/toast.ts';
import type { Viewer } from '../session/viewer.ts';
import { searchBox } from '../shell/page-heading.ts';
import { useShortcuts } from './shortcuts.ts';

const loadPalette = async () => (await import('./palette.tsx')).Palette;
const loadShortcuts = async () => (await import('./shortcut-list.tsx')).ShortcutList;

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
  // The dialog that is shown until the palette has loaded would return the focus to the button too early.
  useReturnFocus(opened === 'palette');
  const openPalette = () => {
    setWanted(true);
    setOpened('palette');
  };
  const search = () => {
    const box = searchBox();
    if (box !== null) box.focus();
    else if (teamId !== undefined) {
      void navigate({ to: '/teams/$teamId/keys', params: { teamId }, state: { focus: 'search' } });
    }
  };
  useShortcuts({ palette: openPalette, search, undo: undoLast, help: () => setOpened('shortcuts') });
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--mantine-color-text)"
        size="lg"
        aria-label="Commands"
        aria-keyshortcuts="Control+K"
        onClick={openPalette}
      >
        <CommandIcon size={18} />
      </ActionIcon>
      {opened === 'palette' && Palette === undefined && (
        <DialogOnDemand opened close={close} title="Commands">
          {failed ? <NotLoaded what="The list of commands" retry={retry} /> : <Loader aria-label="Loading" />}
        </DialogOnDemand>
      )}
      {Palette !== undefined && (
        <Palette
          opened={opened === 'palette'}
          // Not `close`, because a command can open the list of shortcuts.
          close={() => setOpened((now) => (now === 'palette' ? null : now))}
          viewer={viewer}
          teamId={teamId}
          showShortcuts={() => setOpened('shortcuts')}
        />
      )}
      <DialogOnDemand opened={opened === 'shortcuts'} close={close} title="Keyboard shortcuts">
        <Shortcuts />
      </DialogOnDemand>
    </>
  );
}

function Shortcuts() {
  const { part: ShortcutList, failed, retry } = useLoaded(loadShortcuts, true);
  if (failed) return <NotLoaded what="The list of shortcuts" retry={retry} />;
  return ShortcutList === undefined ? <Loader aria-label="Loading" /> : <ShortcutList />;
}
