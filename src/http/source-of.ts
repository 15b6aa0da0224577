import type { Request } from 'express';
import { plainAddress } from '../domain/source/forwarded-address.ts';

/**
 * Returns the address of the client, behind the proxies that `TRUST_PROXY` names; null if a proxy reports something else
 * than an address. Express reads addresses in their usual form only, so `withShortLists` has written them so.
 */
export function sourceOf({ ip }: Pick<Request, 'ip'>): string | null {
  return plainAddress(ip);
}
