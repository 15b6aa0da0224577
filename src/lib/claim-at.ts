import { isJsonObject, type JsonObject } from './json-object.ts';

/**
 * Returns the value of a claim. A claim with exactly this name counts before a path, because names can contain dots:
 * that of a URL, or of a client in `resource_access`.
 */
export function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const outer = path.slice(0, dot);
    const inner = Object.hasOwn(claims, outer) ? claims[outer] : undefined;
    const found = isJsonObject(inner) ? claimAt(inner, path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
