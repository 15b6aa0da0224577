import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface Props extends AnchorProps {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link inside a text. It is underlined, because a color alone does not distinguish a link from the text. */
export function TextLink({ to, ...props }: Props) {
  return <Anchor component={Link} to={to} inherit underline="always" {...props} />;
}
