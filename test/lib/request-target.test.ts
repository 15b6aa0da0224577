import { expect, test } from 'vitest';
import { originForm } from '../../src/lib/request-target.ts';

test.each([
  ['http://api.example/v1/verify', 'api.example', '/v1/verify'],
  ['HTTP://127.0.0.1:4001/v1/authorize?env=live', '127.0.0.1:4001', '/v1/authorize?env=live'],
  ['https://[::1]:4001', '[::1]:4001', '/'],
  ['http://api.example?a=b', 'api.example', '/?a=b'],
  ['http://api.example/a@b', 'api.example', '/a@b'],
])('%s asks %s for %s', (target, host, path) => {
  expect(originForm(target)).toEqual({ host, target: path });
});

test.each(['/v1/verify', '*', 'api.example:443', 'ftp://api.example/', 'http:///v1', 'http://user@api.example/', ''])(
  '%s has another form',
  (target) => {
    expect(originForm(target)).toBeNull();
  },
);
