/** clients/go: its own tests, which run the vectors in `clients/conformance`, and the examples of its README. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { blockOf, sectionsOf } from '../support/documents.ts';
import { buildGoProgram, callOfNewClient, goReadme, removeGoPrograms, runGoTool, whyNoGo } from '../support/go.ts';

if (whyNoGo !== undefined) console.warn(`The Go client is not tested: ${whyNoGo}`);

describe.skipIf(whyNoGo !== undefined)('the Go client', () => {
  afterAll(removeGoPrograms);

  it('is formatted, passes vet, and passes its tests and the conformance vectors', async () => {
    expect(await runGoTool('gofmt', ['-l', '.'])).toBe('');
    await runGoTool('go', ['vet', './...']);
    const output = await runGoTool('go', ['test', '-count=1', '-v', './...']);
    for (const subject of ['Verdicts', 'Responses', 'Signatures', 'KeyLocations', 'Sources']) {
      expect(output).toContain(`--- PASS: Test${subject}FollowTheConformanceVectors`);
    }
  });

  it('needs nothing but the standard library', async () => {
    expect(await runGoTool('go', ['list', '-m', 'all'])).toBe('latchkey.internal/latchkey\n');
  });

  it('has a README of at most 80 lines whose examples compile', async () => {
    expect(readFileSync(goReadme, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    const examples = sectionsOf(goReadme).flatMap(({ title, blocks }) =>
      blocks.map(({ language }) => [title, language]),
    );
    expect(examples).toEqual([
      ['Install', 'sh'],
      ['Protect an API', 'go'],
      ['Sign requests', 'go'],
    ]);
    await buildGoProgram(blockOf(goReadme, 'Protect an API'));
    await buildGoProgram(blockOf(goReadme, 'Sign requests'), callOfNewClient);
  });
});
