/** Bounds on what one GraphQL request may ask for. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { GraphQLError, ValidationContext, ValidationRule } from 'graphql';

/** Reported like any other validation error; the rules would throw otherwise. */
const reported = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => {
      context?.reportError(error);
    },
  ],
};

export const validationRules: ValidationRule[] = [
  // A document with a thousand aliased mutations would be a thousand calls behind one token check.
  maxAliasesRule({ n: 15, ...reported }),
  maxDepthRule({ n: 8, ...reported }),
  maxDirectivesRule({ n: 10, ...reported }),
];

/** Twice what the introspection query of common tools has. */
export const maxTokens = 1000;
