/**
 * The cost of a field, in points. A point is about 60 µs of CPU time or 1 kB of response, whichever is more. Measured
 * with 10,000 keys in a team (test/support/expensive-documents.ts): no field reads more keys.
 */
import { type GraphQLNamedType, isEnumType, isLeafType } from 'graphql';
import { fieldPrices } from '../generated/field-costs.ts';
import type { FieldPrice } from './cost-directives.ts';

export interface FieldCost {
  /** The cost of the field itself, without its selection. */
  readonly cost: number;
  /** The maximum kilobytes of a long text in one object. */
  readonly text: number;
  /** The number of objects that the selection is returned for. */
  readonly objects: number;
  /** The number of objects in each list within the selection that has `isPerEntry`, and of those with a long text. */
  readonly entries: number;
  readonly entryTexts: number;
  /** Whether the selection is returned for each entry of the enclosing page or bulk change. */
  readonly isPerEntry: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Introspection, whose fields schema.graphql does not define. */
const introspection: Readonly<Record<string, FieldPrice>> = {
  '__Schema.types': { size: 45 },
  '__Schema.directives': { size: 8 },
  '__Type.fields': { size: 3 },
  '__Type.enumValues': { size: 2 },
};

/** The bytes of a value in the response, by type. */
const bytes: Readonly<Record<string, number>> = { UUID: 38, DateTime: 26, Boolean: 5, Int: 11, ID: 26 };
const otherBytes = 60;
/** The quotation marks, colon and comma around the name of a field, and the brackets of an object. */
const punctuationBytes = 6;

/** Returns the cost of a field. `field` is `Type.field`; `key` is the field's name in the response. */
export function costOf(field: string, key: string, type: GraphQLNamedType, args: Arguments): FieldCost {
  const price = fieldPrices[field] ?? introspection[field] ?? {};
  const { weight = 0, kilobytes, isPage = false, isSizedByParent = false } = price;
  const isShort = isLeafType(type) && kilobytes === undefined;
  const value = isShort ? (bytes[type.name] ?? (isEnumType(type) ? 26 : otherBytes)) : 0;
  const size = sizeOf(price, args);
  return {
    cost: numberOf(weight, args) + (key.length + value + punctuationBytes) / 1000,
    text: kilobytes ?? 0,
    objects: isPage ? 1 : size,
    entries: isPage ? size : 0,
    entryTexts: isPage ? Math.min(size, price.longTexts ?? size) : 0,
    isPerEntry: isSizedByParent,
  };
}

/** The use case rejects a list above the maximum, and a number out of bounds, before any work. */
function sizeOf({ size = 1, slicedBy }: FieldPrice, args: Arguments): number {
  const max = numberOf(size, args);
  const slice = slicedBy === undefined ? undefined : args[slicedBy];
  if (Array.isArray(slice)) return Math.min(slice.length, max);
  return typeof slice === 'number' ? Math.min(Math.max(slice, 1), max) : max;
}

function numberOf(value: NonNullable<FieldPrice['weight']>, args: Arguments): number {
  return typeof value === 'number' ? value : Reflect.apply(value, undefined, [args]);
}
