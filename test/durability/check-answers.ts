/** Checks that the restarted service returns for each key the state of its history. */
import { signRequest } from '../../src/client/sign.ts';
import { currentState, type KeyHistory, type Ledger, signingSecretsOf } from './ledger.ts';
import type { KeyState } from './model.ts';
import type { ServiceReader, ShownKey } from './service-reader.ts';

export interface AnswerFindings {
  readonly checks: number;
  readonly violations: readonly string[];
}

interface Probe {
  readonly what: string;
  readonly call: object;
  readonly code: string;
}

/** A network that is on every allow-list of the run, and one that is on none. */
const allowedSource = '2001:db8::1';
const otherSource = '192.0.2.1';

export async function checkAnswers(
  reader: ServiceReader,
  ledger: Ledger,
  ids: readonly string[],
): Promise<AnswerFindings> {
  const violations: string[] = [];
  let checks = 0;
  const histories = ids.flatMap((id) => ledger.keys.get(id) ?? []);
  const shown = new Map((await reader.keys(histories.map(({ id }) => id))).map((key) => [key.id, key]));
  const check = async (history: KeyHistory) => {
    const expected = shownKey(ledger.teamId, history);
    const told = shown.get(history.id);
    checks += 1;
    if (JSON.stringify(told) !== JSON.stringify(expected)) {
      violations.push(`key ${history.id} is ${JSON.stringify(told)}, and should be ${JSON.stringify(expected)}`);
    }
    for (const { what, call, code } of probesFor(history)) {
      const verdict = await reader.verify(JSON.stringify(call));
      checks += 1;
      const isRight = verdict.code === code && agrees(verdict, expected);
      if (!isRight) violations.push(`key ${history.id}, ${what}: ${JSON.stringify(verdict)} instead of ${code}`);
    }
  };
  for (const history of histories) await check(history);
  for (const { call, keyId, signingSecret } of ledger.usedSignatures.splice(0)) {
    const history = ledger.keys.get(keyId);
    if (history === undefined || signingSecretsOf(history).current !== signingSecret) continue;
    const { code } = await reader.verify(call);
    checks += 1;
    if (code !== 'SIGNATURE_REPLAYED') violations.push(`key ${keyId}: a signature used before the kill is ${code}`);
  }
  return { checks, violations };
}

/** In the order of fields that the queries select. */
function shownKey(teamId: string, history: KeyHistory): ShownKey {
  const { id, prefix, createdAt } = history;
  const { name, env, allowedIps, expiresAt, signingEnabled, revokedAt } = currentState(history);
  const state = revokedAt === null ? 'ACTIVE' : 'REVOKED';
  return { id, teamId, name, env, prefix, state, allowedIps, expiresAt, signingEnabled, createdAt, revokedAt };
}

function agrees(verdict: Readonly<Record<string, unknown>>, { id, name, env, prefix, expiresAt }: ShownKey): boolean {
  const facts = { keyId: id, name, env, prefix, expiresAt };
  return Object.entries(facts).every(([field, value]) => verdict[field] === value);
}

function probesFor(history: KeyHistory): Probe[] {
  const { id, secret: key } = history;
  // The answer to its create was lost, and the secret with it.
  if (key === null) return [];
  const state = currentState(history);
  const sourceIp = allowedSource;
  if (state.revokedAt !== null) return [{ what: 'revoked', call: { key, sourceIp }, code: 'REVOKED' }];
  const { current, former } = signingSecretsOf(history);
  const plain = codeOfPlain(state);
  const probes: Probe[] = [{ what: 'plain', call: { key, env: state.env, sourceIp }, code: plain }];
  const probe = (what: string, signingSecret: string, code: string) =>
    probes.push({ what, call: { key, sourceIp, request: signed(id, signingSecret) }, code });
  if (state.allowedIps.length > 0) {
    probes.push({ what: 'from elsewhere', call: { key, sourceIp: otherSource }, code: 'SOURCE_NOT_ALLOWED' });
  }
  if (!state.signingEnabled) return probes;
  if (current !== null) probe('signed', current, 'VALID');
  const last = former.at(-1);
  if (last !== undefined) probe('signed with a former secret', last, 'SIGNATURE_INVALID');
  return probes;
}

function codeOfPlain({ signingEnabled }: KeyState): string {
  return signingEnabled ? 'SIGNATURE_REQUIRED' : 'VALID';
}

function signed(keyId: string, signingSecret: string) {
  const request = { method: 'GET', url: 'https://api.example.com/orders?limit=5' };
  return { ...request, headers: signRequest(request, { keyId, signingSecret }) };
}
