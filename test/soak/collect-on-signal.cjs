// Loaded before the service (node --require): on SIGUSR2 it collects all garbage. V8 puts that off for minutes while
// there is room, and the heap goes up and down by 100 MB meanwhile, in which a leak would hide for hours.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => collect());
