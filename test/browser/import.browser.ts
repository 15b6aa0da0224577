/** The import page: a preview, a dry run, and an import with a report for each line. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import {
  both,
  type Dashboard,
  holdOperation,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
  withNewTeam,
} from './support/dashboard.ts';

const importing: readonly Permission[] = [...both, 'import_keys'];
let dashboard: Dashboard;
let tab: Tab;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(async () => dashboard.stop());
beforeEach(async () => {
  dashboard = withNewTeam(dashboard);
  tab = await dashboard.open();
  await tab.signIn(tokenFor({ [dashboard.team]: importing }));
  await tab.goTo(`teams/${dashboard.team}/import`);
});
afterEach(async () => tab.close());

const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const sha256 = (secret: string) => createHash('sha256').update(secret).digest('hex');
const paste = (text: string) => tab.page.getByLabel('Or paste the lines').fill(text);

it('pasted NDJSON is tried first and then imported, with a result for each line', async () => {
  const { page } = tab;
  const lines = [
    JSON.stringify({ digest: sha256('one-secret'), name: 'One', env: 'live' }),
    'not json',
    JSON.stringify({ digest: 'short', name: 'Bad' }),
    JSON.stringify({ digest: sha256('two-secret'), name: 'Two' }),
  ];
  await paste(lines.join('\n'));
  await page.getByRole('region', { name: '4 lines' }).waitFor();
  expect(await button('Import').isDisabled()).toBe(true);
  await button('Dry run').click();
  await page.getByText('2 would be imported, 0 existed already, 2 rejected').waitFor();
  await page.getByRole('row', { name: '2 rejected: must be JSON' }).waitFor();
  await page.getByRole('row', { name: /^3 rejected: digest: must be/ }).waitFor();
  expect(await verdictOn(dashboard.service, { key: 'one-secret' })).not.toBe('VALID');
  await button('Import 2 keys').click();
  await page.getByText('2 imported, 0 existed already, 2 rejected').waitFor();
  expect(await verdictOn(dashboard.service, { key: 'one-secret', env: 'live' })).toBe('VALID');
  expect(await verdictOn(dashboard.service, { key: 'two-secret', env: 'live' })).toBe('VALID');
  await button('Dry run').click();
  await page.getByText('0 would be imported, 2 existed already').waitFor();
});

it('a CSV file of many batches is imported, and what can’t be read is said by line', async () => {
  const { page } = tab;
  const rows = Array.from({ length: 450 }, (_, i) => `${sha256(`secret-${i}`)},Key ${i},test,10.0.0.1; 10.0.0.2`);
  const csv = ['digest,name,env,allowedIps', ...rows, 'only one cell'].join('\r\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('region', { name: '451 lines' }).waitFor();
  await button('Dry run').click();
  await page.getByText('450 would be imported, 0 existed already, 1 rejected').waitFor();
  await page.getByRole('row', { name: '452 rejected: must have as many cells as the first line' }).waitFor();
  await button('Import 450 keys').click();
  await page.getByText('450 imported').waitFor();
  expect(await verdictOn(dashboard.service, { key: 'secret-449', env: 'test', sourceIp: '10.0.0.2' })).toBe('VALID');
});

it('columns that are not known are named, and a session without import_keys can’t import', async () => {
  const { page } = tab;
  await paste('digest,name,hush\nx,y,z');
  await page.getByText('line 1: must name only the columns digest, name').waitFor();
  const manager = await dashboard.open();
  await manager.signIn(tokenFor({ [dashboard.team]: both }));
  await manager.goTo(`teams/${dashboard.team}/import`);
  await manager.page.getByText('does not grant import_keys').waitFor();
  await manager.close();
});

it('the lines can’t be changed during an import, so that its report is not lost', async () => {
  const { page } = tab;
  await paste(JSON.stringify({ digest: sha256('held-secret'), name: 'Held' }));
  await button('Dry run').click();
  const { answer } = await holdOperation(tab, '"dryRun":false');
  await button('Import 1 key').click();
  await expect.poll(() => page.getByLabel('Or paste the lines').isDisabled()).toBe(true);
  expect(await page.getByLabel('Environment of lines without one').isDisabled()).toBe(true);
  expect(await button('Clear the lines').isDisabled()).toBe(true);
  await answer();
  await page.getByText('1 imported').waitFor();
  await paste('');
});

it('a corrected file can be chosen again, and nothing of a cleared one is left', async () => {
  const { page } = tab;
  const file = page.locator('input[type=file]');
  const choose = async (csv: string) =>
    file.setInputFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await choose('digest,nam');
  await page.getByText('line 1: must name only the columns').waitFor();
  // The browser reports no change if the input has the same file already.
  expect(await file.inputValue()).toBe('');
  await choose(`digest,name\n${sha256('corrected-1')},One\n${sha256('corrected-2')},Two`);
  await page.getByText('1 kB, 2 lines').waitFor();
  await page.getByText('keys.csv').waitFor();
  expect(await page.getByLabel('Or paste the lines').count()).toBe(0);
  await button('Clear the lines').click();
  await page.getByLabel('Or paste the lines').waitFor();
  expect(await page.getByText('keys.csv').count()).toBe(0);
  expect(await button('Dry run').count()).toBe(0);
});

it('an import that is stopped sends no further batch, and says how far it came', async () => {
  const { page } = tab;
  const lines = Array.from({ length: 250 }, (_, i) =>
    JSON.stringify({ digest: sha256(`stopped-${i}`), name: `Stopped ${i}` }),
  );
  await paste(lines.join('\n'));
  await button('Dry run').click();
  await page.getByText('250 would be imported').waitFor();
  const { answer } = await holdOperation(tab, '"dryRun":false');
  await button('Import 250 keys').click();
  await button('Stop').click();
  await answer();
  await page.getByText('Stopped after 200 of 250 lines.').waitFor();
  await page.getByText('200 imported, 0 existed already').waitFor();
  expect(await button('Import').isDisabled()).toBe(true);
  expect(await verdictOn(dashboard.service, { key: 'stopped-0', env: 'live' })).toBe('VALID');
  expect(await verdictOn(dashboard.service, { key: 'stopped-249', env: 'live' })).not.toBe('VALID');
});
