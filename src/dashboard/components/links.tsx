/** Mantine's components as typed links of the router. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Host<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

export const AnchorLink = createLink((props: Host<AnchorProps>) => <Anchor {...props} />);

/** A link inside a text. It is underlined, because a color alone does not distinguish a link from the text. */
export const TextLink = createLink((props: Host<AnchorProps>) => <Anchor inherit underline="always" {...props} />);

export const ButtonLink = createLink((props: Host<ButtonProps>) => <Button component="a" {...props} />);
