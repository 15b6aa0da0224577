/** Whether a navigation is under way, as the search box asks it, on the real router. */
import { createMemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { followRouter, isStaying } from '../../src/dashboard/shell/destination.ts';

it('the user leaves when a navigation starts, and has left when it ends; one that is blocked changes nothing', async () => {
  let load = (_route: object) => {};
  const lazy = () => new Promise<object>((resolve) => (load = resolve));
  const router = createMemoryRouter([{ path: '/' }, { path: '/late', lazy }, { path: '/other' }]);
  router.initialize();
  router.subscribe(followRouter);
  const list = router.state.location;
  expect(isStaying(list)).toBe(true);

  router.getBlocker('leave', () => true);
  await router.navigate('/other');
  expect(isStaying(list)).toBe(true);
  router.deleteBlocker('leave');

  const arrival = router.navigate('/late');
  expect(isStaying(list)).toBe(false);
  load({ Component: () => null });
  await arrival;
  // React may still show the list.
  expect(router.state.location.pathname).toBe('/late');
  expect(isStaying(list)).toBe(false);
  expect(isStaying(router.state.location)).toBe(true);
  router.dispose();
});
