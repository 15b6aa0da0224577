/** The floor: nothing but the same Prisma insert, `concurrency` at a time, for some seconds. Prints inserts a second. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase } from '../../../src/store/database.ts';
import { migrate } from '../../../src/store/migrate.ts';

const [file = '', concurrency = '', seconds = ''] = process.argv.slice(2);
const address = { provider: 'sqlite', file } as const;
await migrate(address);
const { writer, close } = await openDatabase(address);
const teamId = randomUUID();
let revision = 0n;

function insert() {
  const label = randomBytes(8).toString('hex');
  revision += 1n;
  return writer.apiKey.create({
    data: {
      id: randomUUID(),
      teamId,
      name: 'A key',
      env: 'live',
      prefix: `lk_live_${label}`,
      digest: randomBytes(32).toString('base64url'),
      pepperId: 'bench',
      allowedIps: [],
      expiresAt: null,
      createdAt: new Date(),
      revokedAt: null,
      searchText: `\na\x0bkey\na key\nlk_live_${label}`,
      revision,
    },
  });
}

async function run(milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let inserts = 0;
  const loop = async () => {
    while (performance.now() < end) {
      await insert();
      inserts += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, loop));
  return inserts / (milliseconds / 1000);
}

await run(500);
console.log(await run(Number(seconds) * 1000));
await close();
