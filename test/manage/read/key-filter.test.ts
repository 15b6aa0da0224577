/** What a filter of keys selects. */
import { expect, it } from 'vitest';
import { parseKeyFilter } from '../../../src/manage/read/key-filter.ts';
import { noTeamRules } from '../../support/plain-keys.ts';

it('a filter by violations never selects without the rules of the team, as it would revoke more keys', () => {
  for (const violating of [true, false]) {
    expect(() => parseKeyFilter({ violating }, null)).toThrow(TypeError);
    const violation = { is: violating, rules: noTeamRules };
    expect(parseKeyFilter({ violating }, noTeamRules)).toMatchObject({ value: { violating: violation } });
  }
  expect(parseKeyFilter({}, null)).toMatchObject({ value: { violating: null } });
});
