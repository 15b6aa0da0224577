import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import './facts.css';

/** What a page is about, in short. In wide windows, it is at the side. The last fact has the whole width. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <Box component="section" aria-label="Facts" className="facts" flex="none" w={{ lg: '21rem' }}>
      <dl>{children}</dl>
    </Box>
  );
}

export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="breakable">{children}</dd>
    </div>
  );
}
