/** The import page: a preview, a dry run, and an import with a report for each line. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { both, holdOperation, tokenFor, verdictOn } from './support/dashboard.ts';
import { all, it as base } from './support/test.ts';

const it = base
  .override('permissions', () => all)
  .override('page', async ({ tab, goTo }) => {
    await goTo('import');
    return tab.page;
  })
  .extend(
    'paste',
    ({ page }) =>
      async (text: string) =>
        await page.getByLabel('Or paste the lines').fill(text),
  )
  .extend('choose', ({ page }) => async (csv: string) => {
    const file = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.locator('input[type=file]').setInputFiles(file);
  })
  // The same secret would be that of the keys of several teams.
  .extend(
    'secret',
    ({ dashboard }) =>
      (name: string) =>
        `${name}-${dashboard.team}`,
  )
  .extend(
    'digest',
    ({ secret }) =>
      (name: string) =>
        createHash('sha256').update(secret(name)).digest('hex'),
  )
  .extend('verdict', ({ dashboard, secret }) => async (name: string, rest: object = { env: 'live' }) => {
    return await verdictOn(dashboard.service, { key: secret(name), ...rest });
  });

it('pasted NDJSON is tried first and then imported, with a result for each line', async ({
  digest,
  page,
  button,
  paste,
  verdict,
}) => {
  const lines = [
    JSON.stringify({ digest: digest('one-secret'), name: 'One', env: 'live' }),
    'not json',
    JSON.stringify({ digest: 'short', name: 'Bad' }),
    JSON.stringify({ digest: digest('two-secret'), name: 'Two' }),
  ];
  await paste(lines.join('\n'));
  await page.getByRole('region', { name: '4 lines' }).waitFor();
  expect(await button('Import').isDisabled()).toBe(true);
  await button('Dry run').click();
  await page.getByText('2 would be imported, 0 existed already, 2 rejected').waitFor();
  await page.getByRole('row', { name: '2 rejected: must be JSON' }).waitFor();
  await page.getByRole('row', { name: /^3 rejected: digest: must be/ }).waitFor();
  expect(await verdict('one-secret')).not.toBe('VALID');
  await button('Import 2 keys').click();
  await page.getByText('2 imported, 0 existed already, 2 rejected').waitFor();
  expect(await verdict('one-secret')).toBe('VALID');
  expect(await verdict('two-secret')).toBe('VALID');
  await button('Dry run').click();
  await page.getByText('0 would be imported, 2 existed already').waitFor();
});

it('a CSV file of many batches is imported, and what can’t be read is said by line', async ({
  digest,
  page,
  button,
  choose,
  verdict,
}) => {
  const rows = Array.from({ length: 450 }, (_, i) => `${digest(`secret-${i}`)},Key ${i},test,10.0.0.1; 10.0.0.2`);
  const csv = ['digest,name,env,allowedIps', ...rows, 'only one cell'].join('\r\n');
  await choose(csv);
  await page.getByRole('region', { name: '451 lines' }).waitFor();
  await button('Dry run').click();
  await page.getByText('450 would be imported, 0 existed already, 1 rejected').waitFor();
  await page.getByRole('row', { name: '452 rejected: must have as many cells as the first line' }).waitFor();
  await button('Import 450 keys').click();
  await page.getByText('450 imported').waitFor();
  expect(await verdict('secret-449', { env: 'test', sourceIp: '10.0.0.2' })).toBe('VALID');
});

it('columns that are not known are named, and a session without import_keys can’t import', async ({
  page,
  dashboard,
  paste,
}) => {
  await paste('digest,name,hush\nx,y,z');
  await page.getByText('line 1: must name only the columns digest, name').waitFor();
  const manager = await dashboard.open();
  await manager.signIn(tokenFor({ [dashboard.team]: both }));
  await manager.goTo(`teams/${dashboard.team}/import`);
  await manager.page.getByText('does not grant import_keys').waitFor();
  await manager.close();
});

it('the lines can’t be changed during an import, so that its report is not lost', async ({
  digest,
  tab,
  page,
  button,
  paste,
}) => {
  await paste(JSON.stringify({ digest: digest('held-secret'), name: 'Held' }));
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

it('a corrected file can be chosen again, and nothing of a cleared one is left', async ({
  page,
  button,
  choose,
  digest,
}) => {
  const file = page.locator('input[type=file]');
  await choose('digest,nam');
  await page.getByText('line 1: must name only the columns').waitFor();
  // The browser reports no change if the input has the same file already.
  expect(await file.inputValue()).toBe('');
  await choose(`digest,name\n${digest('corrected-1')},One\n${digest('corrected-2')},Two`);
  await page.getByText('1 kB, 2 lines').waitFor();
  await page.getByText('keys.csv').waitFor();
  expect(await page.getByLabel('Or paste the lines').count()).toBe(0);
  await button('Clear the lines').click();
  await page.getByLabel('Or paste the lines').waitFor();
  expect(await page.getByText('keys.csv').count()).toBe(0);
  expect(await button('Dry run').count()).toBe(0);
});

it('an import that is stopped sends no further batch, and says how far it came', async ({
  digest,
  tab,
  page,
  button,
  paste,
  verdict,
}) => {
  const lines = Array.from({ length: 250 }, (_, i) =>
    JSON.stringify({ digest: digest(`stopped-${i}`), name: `Stopped ${i}` }),
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
  expect(await verdict('stopped-0')).toBe('VALID');
  expect(await verdict('stopped-249')).not.toBe('VALID');
});
