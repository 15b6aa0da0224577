/** The search parameters of the dashboard's pages. */
import { expect, it } from 'vitest';
import { parseSearch, stringifySearch, texts } from '../../src/dashboard/shell/search.ts';

it('reads each parameter as text, whatever it looks like, and repeated ones as lists', () => {
  const search = { search: '123', state: 'true', tag: ['a b', '&='] };
  expect(stringifySearch(search)).toBe('?search=123&state=true&tag=a+b&tag=%26%3D');
  expect(parseSearch('?search=123&state=true&tag=a+b&tag=%26%3D')).toEqual(search);
  expect(stringifySearch({})).toBe('');
});

it('removes empty and unknown parameters, and all but the first of repeated ones', () => {
  const page = texts(['search', 'state', 'sort']);
  expect(page(parseSearch('?search=&state=active&state=all&constructor=x'))).toEqual({ state: 'active' });
});
