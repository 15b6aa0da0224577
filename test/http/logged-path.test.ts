// SECURITY.md: A log or a trace
import { expect, it } from 'vitest';
import { loggedPath } from '../../src/http/request-log.ts';
import { sessionToken } from '../support/service.ts';

const id = '123e4567-e89b-42d3-a456-426614174000';
const secret = `lk_live_4fJx81Qz_${'a'.repeat(49)}`;

it.each([
  ['a key', secret],
  ['a key with another tag', secret.replace('lk_live', 'acme_test')],
  ['a key that is escaped', secret.replaceAll('_', '%5F')],
  ['a key of another system', '9c1f0b6dd1c04b2fbd3c'],
  ['a session token', sessionToken({})],
])('%s in a path is not logged', (_, text) => {
  expect(loggedPath(`/v1/keys/${text}`)).toBe('/v1/keys/[redacted]');
  expect(loggedPath(`/${text}/signing/enable?key=${text}`)).toBe('/[redacted]/signing/enable');
  expect(loggedPath(`/assets/${text}`)).toBe('/assets/[redacted]');
});

it.each(['/', '/graphql', `/v1/keys/${id}/signing/rotate`, '/assets/create-key-page-CGcXQACz.js', '/wp-login.php'])(
  '%s is logged as it is',
  (path) => {
    expect(loggedPath(path)).toBe(path);
  },
);
