/** Checks that the restarted service returns for each key the state of its history, and the verdicts that the rules give it. */
import { sources, tellingCircumstances } from '../../harness/key-choices.ts';
import { historyState, shownState, stateName } from '../../harness/key-model.ts';
import type { Circumstances } from '../../proof/history/format.ts';
import { verdictOf } from '../../proof/history/rules.ts';
import { verifyBody } from '../calls.ts';
import { currentState, issuedSecrets, issuedSigningSecrets, type KeyHistory, type Ledger } from '../ledger.ts';
import type { ServiceReader, ShownKey } from './service-reader.ts';

interface AnswerFindings {
  readonly checks: number;
  readonly violations: readonly string[];
}

export async function checkAnswers(
  reader: ServiceReader,
  ledger: Ledger,
  ids: readonly string[],
): Promise<AnswerFindings> {
  const violations: string[] = [];
  let checks = 0;
  const histories = ids.flatMap((id) => ledger.keys.get(id) ?? []);
  const shown = new Map((await reader.keys(histories.map(({ id }) => id))).map((key) => [key.id, key]));
  for (const history of histories) {
    const expected = shownKey(ledger.teamId, history);
    const found = shown.get(history.id);
    checks += 1;
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      violations.push(`key ${history.id} is ${JSON.stringify(found)}, and should be ${JSON.stringify(expected)}`);
    }
    const state = historyState(currentState(history));
    for (const { circumstances, call } of probesFor(history)) {
      const { code } = verdictOf(state, circumstances, false);
      const verdict = await reader.verify(call);
      checks += 1;
      const isRight = verdict.code === code && agrees(verdict, expected);
      const how = JSON.stringify(circumstances);
      if (!isRight) violations.push(`key ${history.id}, ${how}: ${JSON.stringify(verdict)} instead of ${code}`);
    }
  }
  for (const { call, keyId, secret, signingSecret } of ledger.usedSignatures.splice(0)) {
    const history = ledger.keys.get(keyId);
    if (history === undefined || issuedSecrets(history).at(-1) !== secret) continue;
    const { signingEnabled, disabledAt } = currentState(history);
    if (!signingEnabled || disabledAt !== null || issuedSigningSecrets(history).at(-1) !== signingSecret) continue;
    const { code } = await reader.verify(call);
    checks += 1;
    if (code !== 'SIGNATURE_REPLAYED') violations.push(`key ${keyId}: a signature used before the kill is ${code}`);
  }
  return { checks, violations };
}

/** In the order of fields that the queries select. */
function shownKey(teamId: string, history: KeyHistory): ShownKey {
  const { id, createdAt } = history;
  const current = currentState(history);
  const { name, env, prefix, allowedIps, scopes, expiresAt, disabledAt, previousSecretExpiresAt, ...rest } =
    shownState(current);
  const { signingEnabled, revokedAt } = rest;
  const settings = { allowedIps, scopes, expiresAt, disabledAt, previousSecretExpiresAt, signingEnabled };
  return { id, name, env, prefix, state: stateName(current), ...settings, createdAt, revokedAt, teamId };
}

function agrees(verdict: Readonly<Record<string, unknown>>, { id, name, env, prefix, expiresAt }: ShownKey): boolean {
  const facts = { keyId: id, name, env, prefix, expiresAt };
  return Object.entries(facts).every(([field, value]) => verdict[field] === value);
}

interface Probe {
  readonly circumstances: Circumstances;
  readonly call: string;
}

/** Not those with a secret whose answer was lost. */
function probesFor(history: KeyHistory): Probe[] {
  const { id } = history;
  const { env } = currentState(history);
  const [secrets, signingSecrets] = [issuedSecrets(history), issuedSigningSecrets(history)];
  const [plain, ...others] = tellingCircumstances({ env, secrets, signingSecrets });
  if (plain === undefined) return [];
  const all = [
    { ...plain, env },
    ...others,
    { ...plain, env: env === 'live' ? 'test' : 'live' },
    { ...plain, source: sources.outside },
    { ...plain, scopes: ['other'] },
    { ...plain, signedWith: -1 },
    ...secrets.slice(0, -1).map((_, secret) => ({ ...plain, secret })),
  ];
  return all.flatMap((circumstances) => {
    const { secret, signedWith } = circumstances;
    if (secrets[secret] == null || (signedWith !== null && signingSecrets[signedWith] === null)) return [];
    const known = { id, secrets: secrets.map(String), signingSecrets: signingSecrets.map(String) };
    return [{ circumstances, call: verifyBody(known, circumstances) }];
  });
}
