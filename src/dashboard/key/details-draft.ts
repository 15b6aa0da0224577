/** The fields of the form for details, as the user edits them. */
import type { UpdateKeyInput } from '../generated/graphql.ts';
import type { Key } from './key-change.ts';
import type { Form } from './use-edit.ts';

export interface DetailsDraft extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly scopes: readonly string[];
  readonly externalId: string;
  readonly tags: readonly string[];
  /** JSON; empty for none. */
  readonly metadata: string;
  /** The number of requests in a window; empty for no limit. */
  readonly limit: number | string;
  readonly windowSeconds: number;
}

const minute = 60;

export const detailsForm: Form<DetailsDraft> = {
  draftOf: ({ name, expiresAt, scopes, externalId, tags, metadata, rateLimit }) => ({
    name,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    scopes,
    externalId: externalId ?? '',
    tags,
    metadata: metadata == null ? '' : JSON.stringify(metadata, null, 2),
    limit: rateLimit?.limit ?? '',
    windowSeconds: rateLimit?.windowSeconds ?? minute,
  }),
  settingsOf: (draft, base) => {
    const metadata = metadataIn(draft.metadata, base);
    if (metadata === undefined) return null;
    const settings: UpdateKeyInput = {
      name: draft.name === base.name ? base.name : draft.name.trim(),
      expiresAt: draft.expiresAt?.toISOString() ?? null,
      scopes: [...draft.scopes],
      externalId: draft.externalId.trim() === '' ? null : draft.externalId.trim(),
      tags: [...draft.tags],
      metadata,
      rateLimit: draft.limit === '' ? null : { limit: Number(draft.limit), windowSeconds: draft.windowSeconds },
    };
    return settings;
  },
};

/** Returns undefined for text that is not a JSON object. */
export function metadataIn(text: string, base?: Pick<Key, 'metadata'>): unknown {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Unchanged, whatever the white space.
    return JSON.stringify(value) === JSON.stringify(base?.metadata) ? base?.metadata : value;
  } catch {
    return undefined;
  }
}
