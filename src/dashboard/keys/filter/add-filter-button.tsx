import type { ComponentPropsWithRef } from 'react';

/** The button before and after the form with all filters has been loaded. */
export function AddFilterButton(props: ComponentPropsWithRef<'button'>) {
  return (
    <button type="button" aria-haspopup="dialog" {...props} className="chip add-filter">
      + Filter
    </button>
  );
}
