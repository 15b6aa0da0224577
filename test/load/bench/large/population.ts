/**
 * The keys of a large database. Everything about a key follows from its number, in the order of creation: the benchmark
 * knows the id, the team and the state of a key without reading the database.
 */
import { hash } from 'node:crypto';

/** The default of MAX_KEYS_PER_TEAM. */
const maxTeamSize = 10_000;
const meanTeamSize = 100;

/** What a key is, by its number modulo `kinds`. Those from `firstPlainKind` on are accepted from every source. */
export const kinds = 20;
export const kindOf = {
  revoked: 0,
  expired: 1,
  disabled: 2,
  imported: 3,
  rotated: 4,
  restricted: 5,
  test: 6,
  /** The first ones are revoked long ago: a fixed number, so that databases of any size have as much to purge. */
  purgeable: 7,
} as const;
export const firstPlainKind = 8;
const plainKinds = kinds - firstPlainKind;

export interface Team {
  readonly id: string;
  /** Its keys have the positions from `first` on. */
  readonly first: number;
  readonly size: number;
}

export class Population {
  readonly keys: number;
  /** Largest first. Their sizes follow Zipf's law, up to the maximum size of a team. */
  readonly teams: readonly Team[];
  /** The position of key i is `i * multiplier % keys`, so that the keys of a team are spread over the whole time. */
  readonly multiplier: number;
  readonly #inverse: number;
  readonly #plainMultiplier: number;
  /** How many rows of each kind the purge finds. */
  readonly purgeable: number;

  constructor(keys: number) {
    if (keys % kinds !== 0) throw new RangeError(`the number of keys must be a multiple of ${kinds}`);
    this.keys = keys;
    this.multiplier = coprimeNear(keys * 0.618, keys);
    this.#inverse = inverseOf(this.multiplier, keys);
    this.#plainMultiplier = coprimeNear(this.plainKeys * 0.382, this.plainKeys);
    this.teams = teamsOf(keys);
    this.purgeable = Math.min(20_000, keys / kinds);
  }

  get plainKeys(): number {
    return (this.keys / kinds) * plainKinds;
  }

  /** Returns the numbers of all plain keys, each once, in an order without any relation to teams and time. */
  plainKey(rank: number): number {
    const scattered = (rank * this.#plainMultiplier) % this.plainKeys;
    return kinds * Math.floor(scattered / plainKinds) + firstPlainKind + (scattered % plainKinds);
  }

  teamOf(key: number): Team {
    const position = (key * this.multiplier) % this.keys;
    let [low, high] = [0, this.teams.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.teams[middle]?.first ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.#team(low);
  }

  keyOf({ first }: Team, index: number): number {
    return ((first + index) * this.#inverse) % this.keys;
  }

  /** The team whose size is closest. */
  teamOfSize(size: number): Team {
    return this.#team(this.#rankOfSize(size));
  }

  /** Teams with sizes from `low` to `high`, evenly spread over the logarithms of both: in each database the same sizes. */
  teamsBetween(low: number, high: number, count: number): readonly Team[] {
    const ranks = Array.from({ length: count }, (_, i) => this.#rankOfSize(low * (high / low) ** (i / count)));
    return ranks.map((rank) => this.#team(rank));
  }

  #rankOfSize(size: number): number {
    const smaller = this.teams.findIndex((team) => team.size <= size);
    return smaller < 0 ? this.teams.length - 1 : smaller;
  }

  #team(rank: number): Team {
    const team = this.teams[rank];
    if (team === undefined) throw new RangeError(`there is no team ${rank}`);
    return team;
  }
}

export function keyId(key: number): string {
  return uuidOf(`key ${key}`);
}

/** The same as in the SQL of both databases. */
export function uuidOf(text: string): string {
  return hash('md5', text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The team of rank r has `scale / r` keys, with the scale at which all teams together have all keys. */
function teamsOf(keys: number): Team[] {
  const count = Math.ceil(keys / meanTeamSize);
  const sizeAt = (rank: number, scale: number) => Math.max(1, Math.min(maxTeamSize, Math.round(scale / (rank + 1))));
  const total = (scale: number) => {
    let sum = 0;
    for (let rank = 0; rank < count; rank += 1) sum += sizeAt(rank, scale);
    return sum;
  };
  let [low, high] = [0, keys];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (total(middle) <= keys) low = middle;
    else high = middle;
  }
  const teams: Team[] = [];
  let first = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const size = rank === count - 1 ? keys - first : sizeAt(rank, low);
    teams.push({ id: uuidOf(`team ${rank} of ${keys}`), first, size });
    first += size;
  }
  return teams;
}

function coprimeNear(target: number, modulus: number): number {
  let candidate = Math.floor(target) | 1;
  while (greatestCommonDivisor(candidate, modulus) !== 1) candidate += 2;
  return candidate;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** By the extended Euclidean algorithm. */
function inverseOf(value: number, modulus: number): number {
  let [a, b, x, y] = [value, modulus, 1, 0];
  while (b !== 0) {
    const quotient = Math.floor(a / b);
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}
