import type { PendingDelivery } from '../../store/rows/delivery-queue.ts';

type OfKind = Pick<PendingDelivery, 'webhookId' | 'isReplay'>;

/**
 * Returns what is due so that new events and replays of an endpoint take turns: first the kind with fewer requests under
 * way. So if both wait, each kind gets one of two requests, and if one kind waits, it gets both.
 */
export function kindsInTurns<Due extends { readonly delivery: OfKind }>(
  due: readonly Due[],
  underWay: Iterable<OfKind>,
): Due[] {
  const counts = new Map<string, number>();
  /** Counts a request. Returns how many of its endpoint and kind there were before it. */
  const placeOf = ({ webhookId, isReplay }: OfKind) => {
    const id = `${webhookId} ${isReplay}`;
    const place = counts.get(id) ?? 0;
    counts.set(id, place + 1);
    return place;
  };
  for (const delivery of underWay) placeOf(delivery);
  const placed = due.map((one) => ({ one, place: placeOf(one.delivery), isReplay: Number(one.delivery.isReplay) }));
  return placed.sort((a, b) => a.place - b.place || a.isReplay - b.isReplay).map(({ one }) => one);
}
