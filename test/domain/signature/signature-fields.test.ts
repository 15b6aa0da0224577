import { describe, expect, test } from 'vitest';
import {
  craft,
  craftWithBody,
  created,
  digestOf,
  expectInvalid,
  keyId,
  lines,
  mac,
  nonce,
  parameters,
  target,
  valid,
  verify,
  wrongMac,
} from '../../support/crafted-request.ts';

describe('exactly the components of the profile are covered, even with the right MAC', () => {
  const all = lines();
  test.each([
    ['no component', '()', []],
    ['the method missing', '("@authority" "@path" "@query")', all.slice(1)],
    ['the query missing', '("@method" "@authority" "@path")', all.slice(0, 3)],
    ['another order', '("@authority" "@method" "@path" "@query")', [all[1], all[0], all[2], all[3]]],
    ['a duplicate', `(${target} "@query")`, [...all, all[3]]],
    ['one more derived component', `(${target} "@scheme")`, [...all, '"@scheme": https']],
    ['one more field', `(${target} "accept")`, [...all, '"accept": */*']],
    [
      'a component parameter',
      '("@method" "@authority" "@path" "@query";req)',
      [...all.slice(0, 3), '"@query";req: ?limit=5'],
    ],
    ['a name in upper case', '("@METHOD" "@authority" "@path" "@query")', all],
    ['a content-digest that is not there', `(${target} "content-digest")`, [...all, '"content-digest": ']],
    ['more spaces than the canonical form has', '( "@method" "@authority" "@path"  "@query" )', all],
  ])('%s', (_, list, covered) => {
    const request = craft({ input: `${list}${parameters()}`, lines: covered.map(String), headers: { accept: '*/*' } });
    expectInvalid(request, /^Signature-Input must/);
  });

  test.each([
    ['a content-digest', { 'content-digest': digestOf('x') }],
    ['an empty content-digest', { 'content-digest': '' }],
    ['a content-length above 0', { 'content-length': '1' }],
    ['a content-length that is no number', { 'content-length': '0x0' }],
    ['two content-lengths', { 'content-length': ['0', '0'] }],
    ['an empty content-length', { 'content-length': '' }],
    ['a transfer-encoding', { 'transfer-encoding': 'chunked' }],
  ])('a request with %s must cover content-digest', (_, headers: Record<string, string | string[]>) => {
    expectInvalid(craft({ headers }), /^Signature-Input must start with sig1=\(.*"content-digest"\)$/);
  });

  test('a request with a content-length of 0 need not', () => {
    expect(
      verify(craft({ method: 'POST', headers: { 'content-length': '0' }, lines: lines({ method: 'POST' }) })),
    ).toEqual(valid);
  });

  test('a covered content-digest is required', () => {
    const request = craft({
      headers: { 'content-length': '1' },
      input: `(${target} "content-digest")${parameters()}`,
      lines: [...lines(), '"content-digest": '],
    });
    expectInvalid(request, 'A request with a body must have Content-Digest');
  });

  test.each([
    ['no digest', 'x'],
    ['a line more', `${digestOf('a')}\n"@path": /`],
    ['a character beyond ASCII', `${digestOf('a')}é`],
    [
      'more than 4 kB',
      `${Array.from({ length: 50 }, (_, i) => `x${i}=:${'A'.repeat(88)}:`).join(', ')}, ${digestOf('a')}`,
    ],
  ])('a covered content-digest must not be %s', (_, digest) => {
    expectInvalid(craftWithBody(digest), /^Content-Digest must have|^Content-Digest must be/);
  });

  test('content-digest lines are joined and covered together', () => {
    const both = [digestOf('x'), digestOf('x', 'sha-512')];
    const signed = craftWithBody(both.join(', '), { headers: { 'content-digest': both } });
    expect(verify({ ...signed, bodyDigest: digestOf('x') })).toEqual(valid);
    const one = craftWithBody(both[0]);
    expectInvalid({ ...one, headers: { ...one.headers, 'Content-Digest': both[1] ?? '' } }, wrongMac);
  });
});

describe('every parameter is there once, in its form, and no other, even with the right MAC', () => {
  test.each(['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'] as const)(
    '%s is missing, or comes twice',
    (name) => {
      const missing = craft({ input: `(${target})${parameters({ [name]: null })}` });
      expectInvalid(missing, new RegExp(`^${name} (?:must be|is required and must be)`));
      const again = new RegExp(`;${name}=[^;]*`).exec(parameters())?.[0] ?? '';
      expectInvalid(craft({ input: `(${target})${parameters()}${again}` }), 'must have each parameter once');
    },
  );

  test.each<['created' | 'expires' | 'nonce' | 'keyid' | 'alg' | 'tag', ...values: string[]]>([
    [
      'created',
      `"${created}"`,
      `-${created}`,
      `0${created}`,
      `${created}.0`,
      `@${created}`,
      '?1',
      '',
      '1234567890123456',
    ],
    ['expires', `"${created + 60}"`],
    [
      'nonce',
      ...[nonce, `:${Buffer.from(nonce).toString('base64')}:`, '""'],
      ...[21, 129, 5000].map((length) => `"${'a'.repeat(length)}"`),
      ...['\\"', '\n', ' ', 'é', '+/='].map((more) => `"${nonce}${more}"`),
    ],
    ['keyid', '1', '""', `"${keyId.toUpperCase()}"`, `"${keyId} "`],
    ['alg', 'hmac-sha256', '"HMAC-SHA256"', '"none"'],
    ['tag', 'latchkey-v1', '"Latchkey-v1"'],
  ])('%s is rejected in any other form, such as %s', (name, ...values) => {
    for (const value of values) expectInvalid(craft({ input: `(${target})${parameters({ [name]: value })}` }));
  });

  test.each([';context="x"', ';created', '; x=1', ';', ',', 'x', '\n', ';X=1'])(
    '%j is rejected behind them',
    (more) => {
      expectInvalid(craft({ input: `(${target})${parameters()}${more}` }), /^Signature-Input must/);
    },
  );
});

describe('there is one signature, sig1', () => {
  test('another label is rejected, in both headers and in one', () => {
    for (const label of ['sig2', 'SIG1']) expectInvalid(craft({ label }), /^Signature-Input must start with sig1=/);
    const request = craft();
    const signature = String(request.headers.signature).replace('sig1', 'sig2');
    expectInvalid({ ...request, headers: { ...request.headers, signature } }, 'Signature must have sig1 alone');
  });

  test.each([
    ['the same label twice', (value: string) => `${value}, ${value}`],
    ['a second label behind', (value: string) => `${value}, ${value.replace('sig1', 'sig2')}`],
    ['a second label before', (value: string) => `${value.replace('sig1', 'sig2')}, ${value}`],
    ['two header lines', (value: string) => [value, value]],
    ['an empty line and one', (value: string) => ['', value]],
    ['a folded line', (value: string) => `${value},\r\n ${value}`],
    ['a fold in the value', (value: string) => `${value.slice(0, 20)}\r\n ${value.slice(20)}`],
    ['a trailing comma', (value: string) => `${value},`],
    ['more than 4 kB', (value: string) => `${value}${' '.repeat(4096)}x`],
    ['a member without a value', (value: string) => `${value}, sig2`],
  ])('%s is rejected, in either header', (_, repeat) => {
    for (const name of ['signature', 'signature-input']) {
      const request = craft();
      const headers = { ...request.headers, [name]: repeat(String(request.headers[name])) };
      expectInvalid({ ...request, headers }, /^Signature(-Input)? must/);
    }
  });

  test('two spellings of a header are two lines of it', () => {
    const request = craft();
    const { signature = '', 'signature-input': input = '' } = request.headers;
    expectInvalid({ ...request, headers: { ...request.headers, Signature: signature } }, /^Signature must/);
    expectInvalid({ ...request, headers: { ...request.headers, 'Signature-Input': input } }, /^Signature-Input must/);
  });

  const right = mac([...lines(), `"@signature-params": (${target})${parameters()}`].join('\n'));
  test.each([
    ['31 bytes', `sig1=:${Buffer.from(right, 'base64').subarray(0, 31).toString('base64')}:`],
    ['33 bytes', `sig1=:${Buffer.concat([Buffer.from(right, 'base64'), Buffer.alloc(1)]).toString('base64')}:`],
    ['no bytes', 'sig1=::'],
    ['no padding', `sig1=:${right.replace(/=+$/, '')}:`],
    ['too much padding', `sig1=:${right}=:`],
    ['base64url', `sig1=:${Buffer.alloc(32, 0xff).toString('base64url')}=:`],
    ['padding bits that are set', `sig1=:${right.replace(/.=$/, (last) => `${nextLetter(last)}=`)}:`],
    ['a space in it', `sig1=:${right.slice(0, 8)} ${right.slice(8)}:`],
    ['a missing colon', `sig1=:${right}`],
    ['a string', `sig1="${right}"`],
    ['parameters', `sig1=:${right}:;x=1`],
    ['hex', `sig1=${Buffer.from(right, 'base64').toString('hex')}`],
  ])('a signature of %s is rejected', (_, signature) => {
    const request = craft();
    expect(request.headers.signature).toBe(`sig1=:${right}:`);
    expectInvalid({ ...request, headers: { ...request.headers, signature } }, /^(The s|S)ignature must (have|be of)/);
  });
});

/** The letter after this one in base64: it differs in the lowest bit, which the padding of 32 bytes leaves unused. */
function nextLetter(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet[alphabet.indexOf(text.charAt(0)) ^ 1] ?? '';
}
