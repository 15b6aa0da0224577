/** The rules and defaults of a policy in words. */
import { durationText } from '../../domain/policy/duration-text.ts';
import type { KeyDefaults } from '../../domain/policy/key-defaults.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { formatRate } from '../components/format.ts';

/** Returns a sentence for each rule that demands something, and what of a key it is about. */
export function rulesInWords(rules: PolicyRules) {
  const { maxLifetimeSeconds: lifetime, maxSecretAgeSeconds: age, scopes, maxRateLimit: rate } = rules;
  const sentences = {
    expiresAt:
      lifetime === null
        ? rules.requireExpiry && 'It has an expiry.'
        : `It expires at most ${durationText(lifetime)} after its secret was issued.`,
    allowedIps: rules.requireAllowedIps && 'It has allowed sources, and not every address is one.',
    signing: rules.requireSigning && 'Requests with it are signed.',
    secret: age !== null && `Its secret is rotated at least every ${durationText(age)}.`,
    scopes: scopes !== null && `Its scopes are among: ${scopes.map(({ name }) => name).join(', ') || 'none'}.`,
    rateLimit: rate !== null && `It has a rate limit of at most ${formatRate(rate.limit, rate.windowSeconds)}.`,
  };
  return Object.entries(sentences).flatMap(([about, text]) => (text === false ? [] : [{ about, text }]));
}

/** Returns a sentence for each setting that a new key gets. */
export function defaultsInWords({ lifetimeSeconds, allowedIps, scopes, rateLimit }: KeyDefaults) {
  const sentences = [
    lifetimeSeconds !== null && `An expiry ${durationText(lifetimeSeconds)} after its creation.`,
    allowedIps.length > 0 && `The allowed sources ${allowedIps.join(', ')}.`,
    scopes.length > 0 && `The scopes ${scopes.join(', ')}.`,
    rateLimit !== null && `A rate limit of ${formatRate(rateLimit.limit, rateLimit.windowSeconds)}.`,
  ];
  return sentences.flatMap((text) => (text === false ? [] : [{ text }]));
}
