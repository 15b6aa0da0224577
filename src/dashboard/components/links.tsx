/** Mantine's components as typed links of the router. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { docsPath } from '../../domain/docs.ts';
import { type DocsSection, docs } from './docs.ts';

type Host<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

export const AnchorLink = createLink((props: Host<AnchorProps>) => <Anchor {...props} />);

/** A link inside a text. It is underlined, because a color alone does not distinguish a link from the text. */
export const TextLink = createLink((props: Host<AnchorProps>) => <Anchor inherit underline="always" {...props} />);

export const ButtonLink = createLink((props: Host<ButtonProps>) => <Button component="a" {...props} />);

interface DocsProps {
  readonly section: DocsSection;
  readonly children: ReactNode;
}

/** Links to a section of the documents, inside a text. They open in another tab, so that nothing typed is lost. */
export function DocsTextLink({ section, children }: DocsProps) {
  return (
    <Anchor href={docsAddress(section)} target="_blank" inherit underline="always">
      {children}
    </Anchor>
  );
}

export function docsAddress(section: DocsSection): string {
  return `${docsPath}/${docs[section]}`;
}
