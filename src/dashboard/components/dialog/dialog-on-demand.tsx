import { useLoaded } from '../loading/loaded.ts';
import { NotLoaded } from '../loading/not-loaded.tsx';
import type { DialogProps } from './dialog.tsx';

const loadDialog = async () => (await import('./dialog.tsx')).Dialog;

/** A dialog whose code is loaded when it first opens, for what every page imports. */
export function DialogOnDemand(props: DialogProps) {
  const { part: Dialog, failed, retry } = useLoaded(loadDialog, props.opened);
  if (Dialog !== undefined) return <Dialog {...props} />;
  return props.opened && failed && <NotLoaded what="The dialog" retry={retry} />;
}
