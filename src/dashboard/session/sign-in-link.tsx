import { Button, type ButtonProps } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { rememberPlace } from './arrival.ts';

interface Props extends Pick<ButtonProps, 'size' | 'fullWidth'> {
  /** Signs in in another window, so that this page and what the user typed stay. */
  readonly inWindow: boolean;
  readonly children: ReactNode;
}

/** Leads to the identity provider. */
export function SignInLink({ inWindow, children, ...rest }: Props) {
  const open = (event: MouseEvent) => {
    if (!inWindow) rememberPlace();
    // Without a window, because the browser blocks it, the link opens a tab.
    else if (window.open(signInUrl('/signed-in'), 'latchkey-sign-in', 'popup,width=500,height=720') !== null)
      event.preventDefault();
  };
  return (
    <Button
      component="a"
      {...rest}
      data-autofocus
      href={signInUrl(inWindow ? '/signed-in' : '/')}
      target={inWindow ? '_blank' : '_self'}
      onClick={open}
    >
      {children}
    </Button>
  );
}

function signInUrl(place: string): string {
  return `/session/sign-in?${new URLSearchParams({ return: place })}`;
}
