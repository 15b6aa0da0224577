/** Envoy's own API, as @grpc/grpc-js-xds carries it: Envoy does not start with a configuration that has unknown fields. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { recipe } from './page.ts';

const { resolve } = createRequire(import.meta.url);
const carried = join(dirname(resolve('@grpc/grpc-js-xds/package.json')), 'deps');
const folders = [
  ...['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => join(carried, name)),
  dirname(resolve('protobufjs/package.json')),
];

const api = new protobuf.Root();
api.resolvePath = (_, target) => folders.map((folder) => join(folder, target)).find(existsSync) ?? target;
api.loadSync(
  [
    'envoy/config/bootstrap/v3/bootstrap.proto',
    'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
    'envoy/extensions/filters/http/ext_authz/v3/ext_authz.proto',
    'envoy/extensions/filters/http/router/v3/router.proto',
  ],
  { keepCase: true },
);

/** What is wrong with a message in protobuf's JSON: fields and enum values that are not there, values of another kind. */
function problemsOf(value: unknown, type: protobuf.Type, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no message`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = `${path}.${name}`;
    if (name === '@type') return [];
    const field = type.fields[name];
    if (field === undefined) return [`${at} is no field of ${type.fullName}`];
    field.resolve();
    if (!field.repeated) return problemsIn(inner, field, at);
    if (!Array.isArray(inner)) return [`${at} is no list`];
    return inner.flatMap((item, i) => problemsIn(item, field, `${at}[${i}]`));
  });
}

function problemsIn(value: unknown, { resolvedType, type }: protobuf.Field, path: string): string[] {
  if (resolvedType instanceof protobuf.Enum) {
    return Object.hasOwn(resolvedType.values, String(value)) ? [] : [`${path} is none of ${resolvedType.fullName}`];
  }
  const kind = kinds[resolvedType?.fullName ?? type];
  if (kind !== undefined) return kind(value) ? [] : [`${path} is no ${resolvedType?.fullName ?? type}`];
  if (resolvedType?.fullName === '.google.protobuf.Any') return problemsOfAny(value, path);
  return resolvedType === null ? [`${path}: what is a ${type}?`] : problemsOf(value, resolvedType, path);
}

/** Those that the recipe has, and that have a form of their own in JSON. */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  uint32: (value) => Number.isInteger(value),
  '.google.protobuf.BoolValue': (value) => typeof value === 'boolean',
  '.google.protobuf.Duration': (value) => typeof value === 'string' && /^\d+(?:\.\d+)?s$/.test(value),
};

function problemsOfAny(value: unknown, path: string): string[] {
  const url: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, '@type') : undefined;
  const [, name = ''] = /^type\.googleapis\.com\/(.+)$/.exec(String(url)) ?? [];
  const found = api.lookup(name);
  return found instanceof protobuf.Type ? problemsOf(value, found, path) : [`${path} has no known @type`];
}

const problems = (text: string) =>
  problemsOf(parse(text), api.lookupType('envoy.config.bootstrap.v3.Bootstrap'), 'bootstrap');

test('the recipe for Envoy has only what Envoy\u2019s API has, each of its kind', () => {
  expect(problems(recipe('Envoy').text)).toStrictEqual([]);
});

test.each([
  ['path_prefix:', 'path_prefixes:', /path_prefixes is no field of .*\.HttpService/],
  ['{ code: ServiceUnavailable }', '{ code: Unavailable }', /code is none of .*\.StatusCode/],
  ['timeout: 5s', 'timeout: 5', /timeout is no .*\.Duration/],
  ['use_remote_address: true', 'use_remote_address: 1', /use_remote_address is no .*\.BoolValue/],
  ['v3.ExtAuthz', 'v3.ExtAuth', /has no known @type/],
  ['patterns: [{ prefix: x-latchkey- }]', 'patterns: { prefix: x-latchkey- }', /patterns is no list/],
])('%s is accepted, and %s is not', (written, wrong, problem) => {
  expect(recipe('Envoy').text).toContain(written);
  expect(problems(recipe('Envoy').text.replace(written, wrong))).toStrictEqual([expect.stringMatching(problem)]);
});
