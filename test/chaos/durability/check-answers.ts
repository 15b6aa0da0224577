/** Checks that the restarted service returns for each key the state of its history. */
import { signRequest } from '../../../src/client/sign.ts';
import { currentState, type KeyHistory, type Ledger, secretsOf, signingSecretsOf } from './ledger.ts';
import { type KeyState, stateName, told } from './model.ts';
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

/** A network on every allow-list of the run, and a network on none. */
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
    const found = shown.get(history.id);
    checks += 1;
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      violations.push(`key ${history.id} is ${JSON.stringify(found)}, and should be ${JSON.stringify(expected)}`);
    }
    for (const { what, call, code } of probesFor(history)) {
      const verdict = await reader.verify(JSON.stringify(call));
      checks += 1;
      const isRight = verdict.code === code && agrees(verdict, expected);
      if (!isRight) violations.push(`key ${history.id}, ${what}: ${JSON.stringify(verdict)} instead of ${code}`);
    }
  };
  for (const history of histories) await check(history);
  for (const { call, keyId, secret, signingSecret } of ledger.usedSignatures.splice(0)) {
    const history = ledger.keys.get(keyId);
    if (history === undefined || signingSecretsOf(history).current !== signingSecret) continue;
    if (secretsOf(history)[0] !== secret || currentState(history).disabledAt !== null) continue;
    const { code } = await reader.verify(call);
    checks += 1;
    if (code !== 'SIGNATURE_REPLAYED') violations.push(`key ${keyId}: a signature used before the kill is ${code}`);
  }
  return { checks, violations };
}

/** In the order of fields that the queries select. */
function shownKey(teamId: string, history: KeyHistory): ShownKey {
  const { id, createdAt } = history;
  const current = told(currentState(history));
  const { name, env, prefix, allowedIps, scopes, expiresAt, disabledAt, previousSecretExpiresAt } = current;
  const state = stateName(current);
  const { signingEnabled, revokedAt } = current;
  const settings = { allowedIps, scopes, expiresAt, disabledAt, previousSecretExpiresAt, signingEnabled };
  return { id, name, env, prefix, state, ...settings, createdAt, revokedAt, teamId };
}

function agrees(verdict: Readonly<Record<string, unknown>>, { id, name, env, prefix, expiresAt }: ShownKey): boolean {
  const facts = { keyId: id, name, env, prefix, expiresAt };
  return Object.entries(facts).every(([field, value]) => verdict[field] === value);
}

function probesFor(history: KeyHistory): Probe[] {
  const [key = null, ...earlier] = secretsOf(history);
  const state = currentState(history);
  return [...earlierProbes(earlier, state), ...(key === null ? [] : currentProbes(history, key, state))];
}

/** The secrets before the current one, of which at most the last is accepted. */
function earlierProbes(earlier: readonly (string | null)[], state: KeyState): Probe[] {
  return earlier.flatMap((key, i) => {
    const isAccepted = i === 0 && state.previousSecretExpiresAt !== null;
    const code = state.revokedAt !== null ? 'REVOKED' : isAccepted ? codeOfPlain(state) : 'ROTATED';
    return key === null ? [] : [{ what: `secret ${i + 1} before`, call: { key, sourceIp: allowedSource }, code }];
  });
}

/** Not if the answer that had the secret was lost. */
function currentProbes(history: KeyHistory, key: string, state: KeyState): Probe[] {
  const { id } = history;
  const sourceIp = allowedSource;
  if (state.revokedAt !== null) return [{ what: 'revoked', call: { key, sourceIp }, code: 'REVOKED' }];
  if (state.disabledAt !== null) return [{ what: 'disabled', call: { key, sourceIp }, code: 'DISABLED' }];
  const { current, former } = signingSecretsOf(history);
  const plain = codeOfPlain(state);
  const probes: Probe[] = [{ what: 'plain', call: { key, env: state.env, sourceIp }, code: plain }];
  const probe = (what: string, signingSecret: string, code: string) =>
    probes.push({ what, call: { key, sourceIp, request: signed(id, signingSecret) }, code });
  if (state.allowedIps.length > 0) {
    probes.push({ what: 'from elsewhere', call: { key, sourceIp: otherSource }, code: 'SOURCE_NOT_ALLOWED' });
  }
  const { scopes } = state;
  probes.push({ what: 'with its scopes', call: { key, sourceIp, scopes }, code: plain });
  probes.push({ what: 'with another scope', call: { key, sourceIp, scopes: ['other'] }, code: 'INSUFFICIENT_SCOPE' });
  if (!state.signingEnabled) return probes;
  if (current !== null) probe('signed', current, 'VALID');
  const last = former.at(-1);
  if (last !== undefined) probe('signed with a former secret', last, 'SIGNATURE_INVALID');
  return probes;
}

function codeOfPlain({ disabledAt, signingEnabled }: KeyState): string {
  if (disabledAt !== null) return 'DISABLED';
  return signingEnabled ? 'SIGNATURE_REQUIRED' : 'VALID';
}

function signed(keyId: string, signingSecret: string) {
  const request = { method: 'GET', url: 'https://api.example.com/orders?limit=5' };
  return { ...request, headers: signRequest(request, { keyId, signingSecret }) };
}
