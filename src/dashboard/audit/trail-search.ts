import { texts } from '../shell/search.ts';

export const criteria = ['action', 'actor', 'key', 'from', 'to'] as const;
export type Criterion = (typeof criteria)[number];

export const trailSearch = texts(criteria);
