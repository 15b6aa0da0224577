/** The import page: a preview, a dry run, and an import with a report for each line. */
import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, hold, sees } = user;
beforeEach(() => goTo('import'));

const paste = (text: string) => user.page.getByLabel('Or paste the lines').fill(text);
const choose = (csv: string) =>
  user.page
    .locator('input[type=file]')
    .setInputFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
// The same secret would be that of the keys of several teams.
const secret = (name: string) => `${name}-${user.dashboard.team}`;
const digest = (name: string) => createHash('sha256').update(secret(name)).digest('hex');
const verdict = (name: string, rest: object = { env: 'live' }) => user.verdict({ key: secret(name), ...rest });

it('imports pasted NDJSON after a dry run, with a result for each line', async () => {
  const { page } = user;
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
  await sees('2 would be imported, 0 existed already, 2 rejected');
  await page.getByRole('row', { name: '2 rejected: must be JSON' }).waitFor();
  await page.getByRole('row', { name: /^3 rejected: digest: must be/ }).waitFor();
  expect(await verdict('one-secret')).not.toBe('VALID');
  await button('Import 2 keys').click();
  await sees('2 imported, 0 existed already, 2 rejected');
  expect(await verdict('one-secret')).toBe('VALID');
  expect(await verdict('two-secret')).toBe('VALID');
  await button('Dry run').click();
  await sees('0 would be imported, 2 existed already');
});

it('previews fields of other types than text', async () => {
  await paste(`{"digest":"${digest('odd')}","name":{"toString":1},"env":["live"]}`);
  await user.page.getByRole('region', { name: '1 lines' }).waitFor();
});

it('an import that failed can be repeated', async () => {
  await paste(JSON.stringify({ digest: digest('repeated'), name: 'Repeated' }));
  await button('Dry run').click();
  await sees('1 would be imported');
  const recover = await user.fail('ImportKeys', { message: 'Too slow.', extensions: { code: 'RATE_LIMITED' } });
  await button('Import 1 key').click();
  await sees('Too slow.');
  await recover();
  await button('Try again').click();
  await sees('1 imported, 0 existed already');
});

it('imports a CSV file of many batches, and names unreadable lines', async () => {
  const { page } = user;
  const rows = Array.from({ length: 450 }, (_, i) => `${digest(`secret-${i}`)},Key ${i},test,10.0.0.1; 10.0.0.2`);
  const csv = ['digest,name,env,allowedIps', ...rows, 'only one cell'].join('\r\n');
  await choose(csv);
  await page.getByRole('region', { name: '451 lines' }).waitFor();
  await button('Dry run').click();
  await sees('450 would be imported, 0 existed already, 1 rejected');
  await page.getByRole('row', { name: '452 rejected: has 1 cell, but the file has 4 columns' }).waitFor();
  await button('Import 450 keys').click();
  await sees('450 imported');
  expect(await verdict('secret-449', { env: 'test', sourceIp: '10.0.0.2' })).toBe('VALID');
});

it('a corrected file can be chosen again, and cleared', async () => {
  const { page } = user;
  const file = page.locator('input[type=file]');
  await choose('digest,nam');
  await sees('line 1: the column "nam" is not known: did you mean "name"?');
  // The browser reports no change if the input has the same file already.
  expect(await file.inputValue()).toBe('');
  await choose(`digest,name\n${digest('corrected-1')},One\n${digest('corrected-2')},Two`);
  await sees('1 kB, 2 lines');
  await sees('keys.csv');
  expect(await page.getByLabel('Or paste the lines').count()).toBe(0);
  await button('Clear the lines').click();
  await page.getByLabel('Or paste the lines').waitFor();
  expect(await page.getByText('keys.csv').count()).toBe(0);
  expect(await button('Dry run').count()).toBe(0);
});

it('the lines can’t be changed during an import, and one that is stopped sends no further batch', async () => {
  const lines = Array.from({ length: 250 }, (_, i) =>
    JSON.stringify({ digest: digest(`stopped-${i}`), name: `Stopped ${i}` }),
  );
  await paste(lines.join('\n'));
  await button('Dry run').click();
  await sees('250 would be imported');
  const { answer } = await hold('"dryRun":false');
  await button('Import 250 keys').click();
  await expect.poll(() => user.page.getByLabel('Or paste the lines').isDisabled()).toBe(true);
  expect(await user.page.getByLabel('Environment of lines without one').isDisabled()).toBe(true);
  expect(await button('Clear the lines').isDisabled()).toBe(true);
  await button('Stop').click();
  await answer();
  await sees('Stopped after 150 of 250 lines.');
  await sees('150 imported, 0 existed already');
  expect(await button('Import').isDisabled()).toBe(true);
  expect(await verdict('stopped-0')).toBe('VALID');
  expect(await verdict('stopped-249')).not.toBe('VALID');
});
