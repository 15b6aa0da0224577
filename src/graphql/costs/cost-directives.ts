/**
 * Reads `@cost` and `@listSize`, which stand in schema.graphql beside the fields that they price. graphql-codegen calls
 * `plugin` and writes `generated/field-costs.ts`. A field that needs a cost and has none fails `npm run codegen`; a
 * function that a directive names and cost-functions.ts lacks does not compile.
 */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';

/** A function of the arguments of a field. The arguments are valid: getArgumentValues of graphql-js has coerced them. */
type Computed = (args: never) => number;

/** What the schema says about the cost of a field. */
export interface FieldPrice {
  /** The points of the field itself, without its selection. */
  readonly weight?: number | Computed;
  /** The maximum kilobytes of a long text in one object. */
  readonly kilobytes?: number;
  /** The number of objects that the selection is returned for, or its maximum. Default: 1. */
  readonly size?: number | Computed;
  /** The argument that is the number of objects, or has an entry for each. */
  readonly slicedBy?: string;
  /** The maximum number of objects that can have a text of maximum length. Default: all. */
  readonly longTexts?: number;
  /** Whether the objects are in a list within the selection, such as the entries of a page. */
  readonly isPage?: boolean;
  /** Whether the field is such a list. */
  readonly isSizedByParent?: boolean;
}

interface PricedField {
  readonly name: string;
  readonly type: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly cost: Values | undefined;
  readonly listSize: Values | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the source of a module with the prices of the fields. */
export function plugin(schema: GraphQLSchema): string {
  const fields = fieldsOf(schema);
  const sizedByParent = new Set(fields.flatMap(sizedFields));
  for (const field of fields) requireCost(schema, field, sizedByParent.has(field.name));
  const lines = fields.flatMap((field) => {
    const price = [...priceOf(field), ...(sizedByParent.has(field.name) ? ['isSizedByParent: true'] : [])];
    return price.length === 0 ? [] : [`  '${field.name}': { ${price.join(', ')} },`];
  });
  return [
    '/** The prices of fields, by `Type.field`, from the directives of schema.graphql. */',
    "import type { FieldPrice } from '../costs/cost-directives.ts';",
    "import * as functions from '../costs/cost-functions.ts';",
    "import type * as Types from './resolver-types.ts';",
    '',
    'export const fieldPrices: Readonly<Record<string, FieldPrice>> = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

function fieldsOf(schema: GraphQLSchema): readonly PricedField[] {
  const [cost, listSize] = ['cost', 'listSize'].map((name) => schema.getDirective(name));
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({
        name: `${type.name}.${field.name}`,
        type,
        field,
        cost: cost && field.astNode ? getDirectiveValues(cost, field.astNode) : undefined,
        listSize: listSize && field.astNode ? getDirectiveValues(listSize, field.astNode) : undefined,
      })),
    );
}

/** Returns the lists within the selection of a field whose size its arguments limit. */
function sizedFields({ name, field, listSize }: PricedField): readonly string[] {
  const type = getNamedType(field.type);
  return namesIn(listSize?.sizedFields).map((sized) => {
    if (!isObjectType(type) || type.getFields()[sized] === undefined)
      throw new Error(`@listSize of ${name} names ${sized}, which ${type.name} does not have.`);
    return `${type.name}.${sized}`;
  });
}

/** Operations need a cost, and so do lists and JSON, whose size the schema does not show. */
function requireCost(
  schema: GraphQLSchema,
  { name, type, field, cost, listSize }: PricedField,
  isSized: boolean,
): void {
  if ((type === schema.getQueryType() || type === schema.getMutationType()) && cost === undefined)
    throw new Error(`${name} needs @cost in schema.graphql.`);
  const isLong = isListType(getNullableType(field.type)) || getNamedType(field.type).name === 'JSON';
  if (isLong && !isSized && cost === undefined && listSize === undefined)
    throw new Error(`${name} needs @cost or @listSize in schema.graphql.`);
}

/** Returns the members of a price, as source. */
function priceOf(priced: PricedField): readonly string[] {
  const { name, field, cost = {}, listSize = {} } = priced;
  const slicedBy = namesIn(listSize.slicingArguments);
  if (slicedBy.length > 1 || slicedBy.some((argument) => !field.args.some((one) => one.name === argument)))
    throw new Error(`@listSize of ${name} must name one argument of the field.`);
  const members = {
    weight: numberOr(priced, '@cost', cost.weight, cost.by),
    kilobytes: numberOr(priced, '@cost', cost.kilobytes),
    size: numberOr(priced, '@listSize', listSize.assumedSize, listSize.by),
    slicedBy: slicedBy[0] && `'${slicedBy[0]}'`,
    longTexts: numberOr(priced, '@listSize', listSize.longTexts),
    isPage: namesIn(listSize.sizedFields).length > 0 ? 'true' : undefined,
  };
  return Object.entries(members).flatMap(([member, source]) => (source === undefined ? [] : [`${member}: ${source}`]));
}

/** Returns the source of a number or of the function that computes it. */
function numberOr({ name, type, field }: PricedField, directive: string, number: unknown, by?: unknown) {
  if (number != null && by != null) throw new Error(`${directive} of ${name} must have either a number or by.`);
  if (by != null) return `functions.${by} satisfies (args: Types.${type.name}${capitalized(field.name)}Args) => number`;
  if (number == null) return undefined;
  if (!Number.isFinite(Number(number))) throw new Error(`${directive} of ${name} must have a number, not ${number}.`);
  return String(Number(number));
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
