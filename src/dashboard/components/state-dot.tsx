/** States, and the environment of a key, quiet: only a state that needs attention has a color. */
import type { ReactNode } from 'react';
import type { KeyEnv, KeyState } from '../generated/graphql.ts';
import { stateNow } from '../key-form/expiry.ts';
import { useAtNow } from './clock.ts';
import './state-dot.css';

interface StateProps {
  readonly state: KeyState;
  readonly expiresAt?: string | null | undefined;
}

/** Shows the state at the current time, because an active key can expire while it is shown. */
export function KeyStateDot({ state, expiresAt }: StateProps) {
  const current = useAtNow((now) => stateNow({ state, expiresAt }, now));
  const name = current.toLowerCase();
  return <StateDot kind={name}>{name}</StateDot>;
}

interface DotProps {
  /** In lower case; state-dot.css has the look of each. */
  readonly kind: string;
  readonly children: ReactNode;
}

export function StateDot({ kind, children }: DotProps) {
  return (
    <span className="state" data-state={kind}>
      {children}
    </span>
  );
}

export function EnvBadge({ env }: { readonly env: KeyEnv }) {
  return <span className="env">{env}</span>;
}
