export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'error';
  /** What was found and what to do, without secrets. */
  readonly note: string;
}

export const ok = (what: string, note: string): Finding => ({ what, state: 'ok', note });
export const warning = (what: string, note: string): Finding => ({ what, state: 'warning', note });
export const error = (what: string, note: string): Finding => ({ what, state: 'error', note });

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
