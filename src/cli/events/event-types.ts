/** The option that selects types of events. */
import { InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../../domain/event/event-types.ts';

/** For `addHelpText`. The service may know other types than this command. */
export const typesHelp = `\nTypes of events:\n${eventTypes.map((type) => `  ${type}\n`).join('')}`;

export function typesOption(whenAbsent: string): Option {
  const description = `only these types of events, separated by commas (default: ${whenAbsent})`;
  return new Option('--types <types>', description).argParser((text) => {
    const types = text.split(',').map((type) => type.trim());
    if (types.includes('')) throw new InvalidArgumentError('Expected types separated by commas, such as key.created.');
    return types;
  });
}
