/** The search parameters of the dashboard's pages. */
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { keySearch } from '../../src/dashboard/key/key-search.ts';
import { only, parseSearch, stringifySearch, texts } from '../../src/dashboard/shell/search.ts';

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

it('the router passes on no parameter that the validation of the page has removed', () => {
  const root = createRootRoute();
  const validateSearch = only(keySearch);
  const page = createRoute({ getParentRoute: () => root, path: 'key', validateSearch });
  const history = createMemoryHistory({ initialEntries: ['/key?tab=none&part=none&other=x&period=7d&period='] });
  const router = createRouter({ routeTree: root.addChildren([page]), history, parseSearch, stringifySearch });
  const search = router.matchRoutes(router.latestLocation).at(-1)?.search;
  expect(search).toEqual({ period: '7d' });
  expect(stringifySearch(search ?? {})).toBe('?period=7d');
});
