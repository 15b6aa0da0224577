/** `npm run history -- record [options]` records a history, `npm run history -- check FILE` judges one. */
const commands = ['check', 'record'];
const [command = ''] = process.argv.splice(2, 1);
if (!commands.includes(command)) {
  console.error(`usage: npm run history -- ${commands.join('|')} [options]`);
  process.exit(2);
}
await import(`./${command}-history.ts`);
