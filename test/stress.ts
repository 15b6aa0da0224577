/** `npm run stress -- <program> [options]` runs a program that puts load or faults on a built service. */
const programs = ['durability', 'hostile', 'network', 'overload', 'soak', 'torture'];
const [program = ''] = process.argv.splice(2, 1);
if (!programs.includes(program)) {
  console.error(`usage: npm run stress -- ${programs.join('|')} [options]`);
  process.exit(2);
}
await import(`./${program}/main.ts`);
