/** Returns the system's message for a file that can't be written, and what to do. */
export function fileProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const fix = typeof code === 'string' ? fixes[code] : undefined;
  return fix === undefined ? message : `${message}: ${fix}`;
}

const noPermission = 'make the user of the service its owner, or set another path';

const fixes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the quota of the user is used up; free some space',
  EROFS: 'mount the file system for reading and writing',
  EACCES: noPermission,
  EPERM: noPermission,
  ENOENT: "it can't be created there; set another path",
  ENOTDIR: 'a file has the name of the directory; set another path',
  EEXIST: 'a file has the name of the directory; set another path',
  EMFILE: 'raise the limit of open files (ulimit -n)',
};
