/** The verifications that wait for the service, because only the service can decide on them. */
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { forward } from './forward.ts';
import type { LocalResponder } from './local-responder.ts';
import { maxForwardsPerTeam, type Upstreams } from './upstreams.ts';

export class Forwards {
  readonly #upstreams: Upstreams;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** A team whose host names get no DNS answer must not use all connections. */
  readonly #pendingByTeam = new Map<string, number>();

  constructor(upstreams: Upstreams, timeoutMs: number, now: () => number) {
    this.#upstreams = upstreams;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** The time that finding the key has taken is part of the timeout. */
  start(call: VerificationCall, teamId: string, arrivedAt: number, respond: LocalResponder): void {
    const pending = this.#pendingByTeam.get(teamId) ?? 0;
    if (pending >= maxForwardsPerTeam) {
      const reason = "too many verifications of this team's keys wait for the service";
      respond.fail(new VerifierUnavailableError(`There is no verdict: ${reason}`, 1));
      return;
    }
    this.#pendingByTeam.set(teamId, pending + 1);
    respond.forwards?.();
    const late = `There is no verdict: the service did not answer in ${this.#timeoutMs} ms`;
    const rest = Math.max(0, arrivedAt + this.#timeoutMs - this.#now());
    let isSettled = false;
    const settle = (callback: () => void) => {
      clearTimeout(timer);
      if (!isSettled) callback();
      isSettled = true;
    };
    const timer = setTimeout(() => settle(() => respond.fail(new VerifierUnavailableError(late))), rest);
    forward(this.#upstreams, call)
      .finally(() => this.#end(teamId))
      .then((outcome) => settle(() => respond.answer(outcome)))
      .catch((error) => settle(() => respond.fail(error)));
  }

  /** Not before the connection is free again, which may be later than the timeout. */
  #end(teamId: string): void {
    const others = (this.#pendingByTeam.get(teamId) ?? 0) - 1;
    if (others > 0) this.#pendingByTeam.set(teamId, others);
    else this.#pendingByTeam.delete(teamId);
  }
}
