// Loaded before the service (node --require): on SIGUSR2 it collects all garbage. V8 puts that off for minutes while
// there is memory, and the heap varies by 100 MB, which would hide a leak for hours.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => collect());
