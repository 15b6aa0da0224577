interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Returns the choices of a select with its current value, which a link or another program may have set. */
export function withChoice(choices: readonly Choice[], value: string, labelOf: (value: string) => string): Choice[] {
  const isListed = choices.some((choice) => choice.value === value);
  return isListed ? [...choices] : [...choices, { value, label: labelOf(value) }];
}
