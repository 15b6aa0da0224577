/** The way from management to the process that sends webhooks. */

import type { Attempt } from '../../events/sender/attempt.ts';
import {
  type EventSender,
  SenderEndedError,
  type SendOptions,
  type WebhookRequest,
} from '../../events/sender/webhook-sender.ts';
import type { ToProcess } from './messages.ts';
import type { ProcessLink } from './process-link.ts';

export class SenderLink implements EventSender {
  readonly #link: ProcessLink;
  #isAvailable = false;
  /** The requests that wait for the process. The number of requests at the same time is limited. */
  readonly #waiting = new Set<() => void>();

  constructor(link: ProcessLink) {
    this.#link = link;
  }

  receive(message: ToProcess): void {
    if (message.kind === 'ended' && message.callee === 'sender') this.#isAvailable = false;
    else if (message.kind === 'sender-ready') {
      this.#isAvailable = true;
      for (const start of this.#waiting) start();
      this.#waiting.clear();
    }
  }

  async send(webhook: WebhookRequest, { signal, onStatus }: SendOptions = {}): Promise<Attempt> {
    await this.#available(signal);
    try {
      return await this.#link.call(
        { to: 'sender', method: 'send', arguments: [webhook] },
        { signal, onProgress: onStatus },
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw new SenderEndedError({ cause: error });
    }
  }

  async #available(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isAvailable) return;
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort);
      this.#waiting.add(start);
    });
  }
}
