/** What rejects a change under a policy. For clients, the rule is a text: later versions have more. */
export interface PolicyViolation<Rule extends string = string> {
  readonly rule: Rule;
  /** The field of the key that violates it. */
  readonly field: string;
  /** What is permitted. */
  readonly message: string;
}

/** Returns what is permitted, and by which rule. */
export function violationText({ rule, field, message }: PolicyViolation): string {
  return `${field} ${message} (${rule})`;
}
