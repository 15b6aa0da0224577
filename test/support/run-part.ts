/** Loads the part of a program that its first argument names. The part reads the other arguments. */
export async function runPart(program: string, parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const [name = ''] = process.argv.splice(2, 1);
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    console.error(`usage: npm run ${program} -- ${Object.keys(parts).join('|')} [options]`);
    process.exit(2);
  }
  await part();
}
