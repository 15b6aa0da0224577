/** Reads the list of people who have access. */
import { personOf } from '../../domain/access/person.ts';
import { fileProblem } from '../../lib/file-problem.ts';
import { Failure, usageFailure } from '../failure.ts';
import { fileLines } from '../file-lines.ts';
import { openInput } from '../input-file.ts';

const maxLineBytes = 4096;

/** Returns each subject once. Rejects an empty list, with which all members would have left. */
export async function readSubjects(file: string): Promise<string[]> {
  const subjects = new Set<string>();
  try {
    for await (const { text } of fileLines(openInput(file).stream, maxLineBytes)) {
      if (text.trim() !== '') subjects.add(personOf(text));
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('FAILED', `${file}: ${fileProblem(error)}`);
  }
  if (subjects.size === 0)
    throw usageFailure('NO_MEMBERS', `${file} has no subjects: with it, everyone would have left`);
  return [...subjects];
}
