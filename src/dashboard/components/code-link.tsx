import { Anchor, Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { errorsPath } from '../../domain/errors.ts';
import { formatNumber } from './format.ts';

/** A verdict or an error code, or words for it, linked to its entry on the page that explains all codes. */
export function CodeLink({ code, children }: { readonly code: string; readonly children?: ReactNode }) {
  return (
    <Anchor href={`${errorsPath}#${code}`} target="_blank" inherit c="var(--mantine-color-text)" underline="always">
      {children ?? <Code className="breakable">{code}</Code>}
    </Anchor>
  );
}

interface CountsProps {
  readonly counts: readonly { readonly code: string; readonly count: number }[];
}

/** Verdicts with their numbers, such as `VALID 2, EXPIRED 1`. */
export function VerdictCounts({ counts }: CountsProps) {
  return counts.map(({ code, count }, i) => (
    <Fragment key={code}>
      {i > 0 && ', '}
      <CodeLink code={code} /> {formatNumber(count)}
    </Fragment>
  ));
}
