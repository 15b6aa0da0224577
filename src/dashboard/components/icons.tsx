/** Icons from Lucide (https://lucide.dev), ISC License, Copyright (c) 2026 Lucide Icons and Contributors. */
import type { ReactNode } from 'react';

interface Props {
  /** Width and height in pixels. */
  readonly size: number;
}

/** Decorative: the control that contains the icon has the accessible name. */
function Icon({ size, children }: Props & { readonly children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}

export const KeyRound = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z" />
    <circle cx="16.5" cy="7.5" r=".5" fill="currentColor" />
  </Icon>
);

export const Moon = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401" />
  </Icon>
);

export const Sun = ({ size }: Props) => (
  <Icon size={size}>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M4.93 4.93l1.41 1.41M17.66 17.66l1.41 1.41M2 12h2M20 12h2M6.34 17.66l-1.41 1.41M19.07 4.93l-1.41 1.41" />
  </Icon>
);

export const User = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2" />
    <circle cx="12" cy="7" r="4" />
  </Icon>
);

export const Command = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M15 6v12a3 3 0 1 0 3-3H6a3 3 0 1 0 3 3V6a3 3 0 1 0-3 3h12a3 3 0 1 0-3-3" />
  </Icon>
);

export const ArrowDown = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M12 5v14M19 12l-7 7-7-7" />
  </Icon>
);

export const ArrowUp = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M5 12l7-7 7 7M12 19V5" />
  </Icon>
);

export const ChevronsUpDown = ({ size }: Props) => (
  <Icon size={size}>
    <path d="M7 15l5 5 5-5M7 9l5-5 5 5" />
  </Icon>
);

export const Ellipsis = ({ size }: Props) => (
  <Icon size={size}>
    <circle cx="12" cy="12" r="1" />
    <circle cx="19" cy="12" r="1" />
    <circle cx="5" cy="12" r="1" />
  </Icon>
);
