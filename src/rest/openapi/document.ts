/**
 * The OpenAPI description of both ports, from the routes, schema.graphql, the tables of errors and verdicts, and
 * texts.yaml for what none of these says. Read by `npm run codegen`, which writes it to openapi.yaml.
 */
import { buildSchema, type GraphQLSchema, isEnumType } from 'graphql';
import { stringify } from 'yaml';
import { errorTable } from '../../domain/errors.ts';
import { policyRules } from '../../domain/policy/key-policy.ts';
import { typeDefs } from '../../graphql/type-defs.ts';
import { AnswerSchemas } from './answers.ts';
import { ErrorResponses } from './error-responses.ts';
import { type DescribedRoute, describedRoutes, pathsOf } from './route-operations.ts';
import { closed, type Json } from './schemas.ts';
import { type DescribedObject, mapValues, readTexts, type Texts } from './texts.ts';

export function openApiDocument(): Json {
  const texts = readTexts();
  const { operations, shared, details, paths, components, ...head } = texts;
  const schema = buildSchema(typeDefs);
  const problems = new ErrorResponses(details);
  const described = describedRoutes(texts, schema);
  return {
    ...head,
    paths: { ...pathsOf(described, problems), ...otherPaths(paths, problems) },
    components: {
      ...components,
      schemas: { ...bodiesOf(described), ...schemasOf(components.schemas, described, schema) },
      responses: { ...problems.components, ...components.responses },
    },
  };
}

function otherPaths(paths: Texts['paths'], problems: ErrorResponses): Json {
  return mapValues(paths, ({ servers, ...methods }) => ({
    ...(servers === undefined ? {} : { servers }),
    ...mapValues(methods, ({ errors, ...operation }) => ({
      ...operation,
      responses: { ...operation.responses, ...problems.of(errors?.of ?? 'verification', errors?.codes ?? []) },
    })),
  }));
}

function bodiesOf(described: readonly DescribedRoute[]): Json {
  return Object.fromEntries(described.flatMap(({ body }) => (body === null ? [] : [[body.name, body.schema]])));
}

/** The schemas in the order of the texts. A name alone is that of an answer, or of an enum of the schema. */
function schemasOf(texts: Texts['components']['schemas'], described: readonly DescribedRoute[], schema: GraphQLSchema) {
  const answers = new AnswerSchemas(schema);
  for (const { route, texts: ofRoute } of described) {
    const { schema: name, but } = ofRoute.answer;
    if (texts[name] == null) answers.add(name, route.operation, but);
  }
  const generated: Readonly<Record<string, Json>> = {
    ErrorCode: { type: 'string', description: 'The kind of problem, for programs.', enum: Object.keys(errorTable) },
    PolicyRule: {
      type: 'string',
      description: 'A rule of a policy: of an error, with POLICY_VIOLATED, the one that is violated.',
      enum: policyRules,
    },
    ...answers.components,
  };
  const unlisted = Object.keys(generated).filter((name) => texts[name] !== null);
  if (unlisted.length > 0) throw new Error(`src/rest/openapi/texts.yaml does not list the schemas ${unlisted}`);
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text === null ? (generated[name] ?? enumOf(schema, name)) : completed(text),
    ]),
  );
}

function completed({ optional = [], ...described }: DescribedObject): Json {
  if (described.properties === undefined || described.type !== undefined) return described;
  const required = Object.keys(described.properties).filter((name) => !optional.includes(name));
  return { ...described, ...closed(described.properties, required) };
}

function enumOf(schema: GraphQLSchema, name: string): Json {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`${name} is neither an answer nor an enum`);
  return { type: 'string', description: type.description, enum: type.getValues().map((value) => value.name) };
}

/** The description as it is committed. Aliases would be shorter, but few readers of OpenAPI take them. */
export function openApiText(): string {
  return `# Written by npm run codegen, from src/rest/openapi.\n${stringify(openApiDocument(), { aliasDuplicateObjects: false, lineWidth: 0 })}`;
}
