/** Verifies keys at every verification port: continuously, and in a salvo around each change. */

import { setTimeout as pause } from 'node:timers/promises';
import { Client, isUnavailable } from '../harness/client.ts';
import { anyCircumstances, tellingCircumstances } from '../harness/key-choices.ts';
import { random } from '../harness/random.ts';
import type { Circumstances, Verdict } from '../proof/history/format.ts';
import type { Recording } from '../proof/history/recording.ts';
import { verifyBody } from './calls.ts';
import type { TimedCall } from './ledger.ts';
import type { Key, Pool } from './pool.ts';

export interface VerificationPort {
  readonly at: string;
  readonly port: number;
  /** Connections that send continuously, and connections for salvos. */
  readonly connections: number;
  readonly salvo: number;
}

export interface VerificationCall extends TimedCall {
  readonly signed: boolean;
}

interface VerifiedCall extends VerificationCall {
  readonly code: string;
}

const salvoTimeoutMs = 25;
/** The delay after a 503. Without it, a port that rejects calls would cause a busy loop. */
const retryMs = 20;

interface Connection {
  readonly at: string;
  readonly client: Client;
}

export class Verifiers {
  /** By port: the number of calls, of answers with 503, and of calls without an answer. */
  readonly counts = new Map<string, { sent: number; unavailable: number; unanswered: number }>();
  readonly verifiedCalls: VerifiedCall[] = [];
  /** Those that were answered by 503. */
  readonly unavailableCalls: VerificationCall[] = [];
  /** Answers that violate the contract, at most a few. */
  readonly strange: string[] = [];
  readonly #pool: Pool;
  readonly #recording: Recording;
  readonly #continuous: readonly Connection[];
  readonly #salvo: readonly Connection[];
  readonly #inProgress = new Set<Promise<void>>();
  #running = true;

  constructor(ports: readonly VerificationPort[], pool: Pool, recording: Recording) {
    this.#pool = pool;
    this.#recording = recording;
    const connect = (count: (port: VerificationPort) => number) =>
      ports.flatMap((port) =>
        Array.from({ length: count(port) }, () => ({ at: port.at, client: new Client(port.port) })),
      );
    this.#continuous = connect(({ connections }) => connections);
    this.#salvo = connect(({ salvo }) => salvo);
    for (const { at } of ports) this.counts.set(at, { sent: 0, unavailable: 0, unanswered: 0 });
  }

  start(): void {
    for (const connection of this.#continuous) void this.#track(this.#verifyContinuously(connection));
  }

  /**
   * Sends one verification on every connection that is free. With the same `turn`, each connection repeats its last
   * request. Resolves when all are answered, or after a timeout.
   */
  async salvo(key: Key, turn = 0): Promise<void> {
    const telling = tellingCircumstances(key);
    const answers = this.#salvo.flatMap((connection, i) => {
      const circumstances = telling[(turn + i) % telling.length];
      const isFree = circumstances !== undefined && !connection.client.busy;
      return isFree ? [this.#track(this.#verify(connection, key, circumstances))] : [];
    });
    await Promise.race([Promise.all(answers), pause(salvoTimeoutMs)]);
  }

  async stop(): Promise<void> {
    this.#running = false;
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
    for (const connection of [...this.#continuous, ...this.#salvo]) connection.client.close();
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.#inProgress.delete(tracked));
    this.#inProgress.add(tracked);
    return tracked;
  }

  async #verifyContinuously(connection: Connection): Promise<void> {
    while (this.#running) {
      const key = this.#pool.any();
      await this.#verify(connection, key, anyCircumstances(key, random));
    }
  }

  async #verify(connection: Connection, key: Key, circumstances: Circumstances): Promise<void> {
    const body = verifyBody(key, circumstances);
    const { at, client } = connection;
    const counts = this.counts.get(at) ?? { sent: 0, unavailable: 0, unanswered: 0 };
    counts.sent += 1;
    const call = this.#recording.verify(key.label, circumstances, at);
    const reply = await client.call({ method: 'POST', path: '/v1/verify', body });
    const verdict = reply?.status === 200 ? verdictOf(reply.text) : undefined;
    this.#recording.verified(call, verdict);
    if (reply === null) {
      counts.unanswered += 1;
      return await pause(retryMs);
    }
    const { started, ended } = reply;
    const signed = circumstances.signedWith !== null;
    if (isUnavailable(reply)) {
      counts.unavailable += 1;
      this.unavailableCalls.push({ at, started, ended, signed });
      await pause(retryMs);
    } else {
      if (verdict !== undefined) this.verifiedCalls.push({ at, started, ended, signed, code: verdict.code });
      else if (this.strange.length < 10) this.strange.push(`${at} answered ${reply.status}: ${safe(reply.text, key)}`);
    }
  }
}

function verdictOf(text: string): (Verdict & { readonly code: string }) | undefined {
  const { valid, code, name, expiresAt, secret }: Record<string, unknown> = JSON.parse(text);
  if (typeof code !== 'string' || valid !== (code === 'VALID')) return undefined;
  if (typeof name !== 'string') return { code };
  const expiry = typeof expiresAt === 'string' ? Date.parse(expiresAt) : null;
  return { code, name, secret: secret === 'previous' ? 'previous' : 'current', expiresAt: expiry };
}

function safe(text: string, { secrets, prefix }: Key): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, prefix), text).slice(0, 300);
}
