/**
 * Compiles classes of OCSF to JSON Schema (2020-12), without profiles and extensions. It does what OCSF's own server
 * does, and also checks patterns, ranges and the captions of enumerations. Run by hand for a new version of OCSF:
 *
 *     node test/support/compile-ocsf.ts <checkout of github.com/ocsf/ocsf-schema> > test/events/ocsf/schema.json
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.'] = process.argv.slice(2);

interface Attribute {
  readonly type: string;
  readonly is_array?: boolean;
  readonly requirement?: string;
  readonly enum?: Readonly<Record<string, { readonly caption: string }>>;
  /** The attribute with the caption of the enumerated value. */
  readonly sibling?: string;
  /** The attribute exists only with this profile. Null: it always exists. */
  readonly profile?: string | null;
}

type Attributes = Readonly<Record<string, Attribute>>;

/** A class of events, an object or a profile. */
interface Definition {
  readonly name: string;
  readonly caption: string;
  readonly uid?: number;
  readonly category?: string;
  readonly extends?: string;
  readonly attributes: Attributes;
  /** The files of profiles whose attributes it has too. In the files, this is a member of `attributes`. */
  readonly profileFiles: readonly string[];
  readonly constraints?: { readonly at_least_one?: readonly string[]; readonly just_one?: readonly string[] };
}

interface DataType {
  readonly type?: string;
  readonly regex?: string;
  readonly max_len?: number;
  readonly range?: readonly number[];
}

const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

function readDefinition(file: string): Definition {
  const definition = read(file);
  const { $include = [], ...attributes } = definition.attributes;
  return { ...definition, attributes, profileFiles: [$include].flat() };
}

function definitionsIn(kind: string): ReadonlyMap<string, Definition> {
  const files = globSync(`${kind}/**/*.json`, { cwd: folder });
  return new Map(files.map(readDefinition).map((definition) => [definition.name, definition]));
}

const classes = definitionsIn('events');
const objects = definitionsIn('objects');
const categories = read('categories.json').attributes;
const dictionary = read('dictionary.json');
const dataTypes: Readonly<Record<string, DataType>> = dictionary.types.attributes;

function merge(base: Attributes, own: Attributes): Attributes {
  const merged = Object.entries(own).map(([name, attribute]) => {
    const values = { ...base[name]?.enum, ...attribute.enum };
    return [name, { ...base[name], ...attribute, ...(Object.keys(values).length > 0 && { enum: values }) }];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** Returns the attributes that a profile adds, marked as its own. */
function profileAttributes(file: string): Attributes {
  const { name, attributes } = readDefinition(file);
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, { ...value, profile: name }]));
}

/** Returns the definition with what it inherits. */
function resolve(definition: Definition, all: ReadonlyMap<string, Definition>): Definition {
  const parent = all.get(definition.extends ?? '');
  const base = parent === undefined ? undefined : resolve(parent, all);
  const included = definition.profileFiles.map(profileAttributes);
  return {
    ...base,
    ...definition,
    attributes: [base?.attributes ?? {}, ...included, definition.attributes].reduce(merge),
  };
}

const $defs: Record<string, object> = {};

function objectSchema({ attributes, constraints }: Definition) {
  const present = Object.entries(attributes).filter(([, { profile }]) => profile === undefined || profile === null);
  const { at_least_one: atLeastOne, just_one: justOne } = constraints ?? {};
  const required = present.filter(([, { requirement }]) => requirement === 'required').map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(present.map(([name, attribute]) => [name, attributeSchema(name, attribute)])),
    ...(required.length > 0 && { required }),
    ...(atLeastOne && { anyOf: atLeastOne.map((name) => ({ required: [name] })) }),
    ...(justOne && { oneOf: justOne.map((name) => ({ required: [name] })) }),
    // An object without attributes, such as `unmapped`, can have any.
    additionalProperties: present.length === 0,
  };
}

function attributeSchema(name: string, own: Attribute): object {
  const attribute = merge({ [name]: dictionary.attributes[name] }, { [name]: own })[name] ?? own;
  const schema = { ...typeSchema(attribute.type), ...enumSchema(attribute) };
  return attribute.is_array === true ? { type: 'array', items: schema } : schema;
}

function enumSchema({ type, enum: values, sibling }: Attribute): object {
  if (values === undefined) return {};
  const isNumber = type === 'integer_t' || type === 'long_t';
  const captions = Object.fromEntries(Object.entries(values).map(([value, { caption }]) => [value, caption]));
  return {
    enum: Object.keys(values).map((value) => (isNumber ? Number(value) : value)),
    ...(sibling !== undefined && { captions: { attribute: sibling, ...captions } }),
  };
}

const jsonTypes: Readonly<Record<string, object>> = {
  string_t: { type: 'string' },
  integer_t: { type: 'integer' },
  long_t: { type: 'integer' },
  float_t: { type: 'number' },
  boolean_t: { type: 'boolean' },
  json_t: {},
};

function typeSchema(name: string): object {
  const dataType = dataTypes[name];
  if (dataType === undefined) return objectReference(name);
  const { type, regex: pattern, max_len: maxLength, range: [minimum, maximum] = [] } = dataType;
  if (type === undefined) return jsonTypes[name] ?? {};
  $defs[name] ??= { ...jsonTypes[type], pattern, maxLength, minimum, maximum };
  return { $ref: `#/$defs/${name}` };
}

function objectReference(name: string): object {
  const definition = objects.get(name);
  if (definition === undefined) throw new Error(`OCSF has no type "${name}"`);
  if (!(name in $defs)) {
    // Objects can contain themselves.
    $defs[name] = {};
    $defs[name] = objectSchema(resolve(definition, objects));
  }
  return { $ref: `#/$defs/${name}` };
}

/** Returns the schema of a class, with the numbers that OCSF computes of it. */
function classSchema(name: string): object {
  const definition = classes.get(name);
  if (definition === undefined) throw new Error(`OCSF has no class "${name}"`);
  const resolved = resolve(definition, classes);
  const { uid: categoryUid, caption: category } = categories[resolved.category ?? ''];
  const uid = categoryUid * 1000 + (resolved.uid ?? 0);
  const activities = Object.entries(resolved.attributes.activity_id?.enum ?? {}).map(([id, { caption }]) => {
    return [uid * 100 + Number(id), { caption: `${resolved.caption}: ${caption}` }];
  });
  // Replaces the enumerations that are inherited.
  const enums: Record<string, Attribute['enum']> = {
    category_uid: { [categoryUid]: { caption: category } },
    class_uid: { [uid]: { caption: resolved.caption } },
    type_uid: Object.fromEntries(activities),
  };
  const attributes = Object.entries(resolved.attributes).map(([attribute, value]) => {
    return [attribute, { ...value, ...(enums[attribute] && { enum: enums[attribute] }) }];
  });
  return objectSchema({ ...resolved, attributes: Object.fromEntries(attributes) });
}

const { version } = read('version.json');
const classSchemas = Object.fromEntries(['api_activity', 'authentication'].map((name) => [name, classSchema(name)]));
const $comment =
  `OCSF ${version} (https://github.com/ocsf/ocsf-schema), copyright OCSF a Series of LF Projects, LLC, licensed under ` +
  'Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0). Compiled by test/support/compile-ocsf.ts.';

/** One definition per line, so that a difference between versions can be read. */
const lines = (definitions: object) =>
  Object.entries(definitions)
    .map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
    .join(',\n');
console.log(`{\n"$comment": ${JSON.stringify($comment)},\n${lines(classSchemas)},\n"$defs": {\n${lines($defs)}\n}\n}`);
