/** Exports for spreadsheets. */
import { expect, it } from 'vitest';
import { csvOf } from '../../src/dashboard/audit/csv.ts';

it.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1'])('the cell %j is not a formula', (cell) => {
  expect(csvOf([[cell]]).replaceAll('"', '')).toBe(`'${cell}\r\n`);
});

it('quotes separators, quotation marks and lines after RFC 4180', () => {
  expect(csvOf([['a,b', 'say "x"', 'two\nlines', 'plain']])).toBe('"a,b","say ""x""","two\nlines",plain\r\n');
});
