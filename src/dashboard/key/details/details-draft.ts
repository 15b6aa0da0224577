/** The fields of the form for details, as the user edits them. */
import { parseJsonObject } from '../../key-settings/json-object.ts';
import { noRateLimit, problemOfRateLimit, type RateLimitDraft, rateLimitIn } from '../../key-settings/rate-limit.ts';
import type { Key } from '../key-change.ts';
import type { SettingsForm } from './use-edit.ts';

export interface DetailsDraft extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly scopes: readonly string[];
  readonly externalId: string;
  readonly tags: readonly string[];
  /** JSON; empty for none. */
  readonly metadata: string;
  readonly rateLimit: RateLimitDraft;
}

export const detailsForm: SettingsForm<DetailsDraft> = {
  draftOf: ({ name, expiresAt, scopes, externalId, tags, metadata, rateLimit }) => ({
    name,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    scopes,
    externalId: externalId ?? '',
    tags,
    metadata: metadata == null ? '' : JSON.stringify(metadata, null, 2),
    rateLimit: rateLimit ?? noRateLimit,
  }),
  settingsOf: (draft, base) => {
    const metadata = metadataIn(draft.metadata, base);
    if (metadata === undefined || problemOfRateLimit(draft.rateLimit) !== null) return null;
    return {
      name: draft.name === base.name ? base.name : draft.name.trim(),
      expiresAt: draft.expiresAt?.toISOString() ?? null,
      scopes: [...draft.scopes],
      externalId: draft.externalId.trim() === '' ? null : draft.externalId.trim(),
      tags: [...draft.tags],
      metadata,
      rateLimit: rateLimitIn(draft.rateLimit),
    };
  },
};

/** Returns undefined for text that is not a JSON object. */
function metadataIn(text: string, base: Key): unknown {
  const parsed = parseJsonObject(text);
  if (!parsed.ok) return undefined;
  // Unchanged, whatever the white space.
  return JSON.stringify(parsed.value) === JSON.stringify(base.metadata) ? base.metadata : parsed.value;
}
