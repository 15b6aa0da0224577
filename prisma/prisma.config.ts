import { defineConfig } from 'prisma/config';

// `prisma generate` asks for the schema engine's binary but never runs it; with any path set it does not try to
// download one, which an offline or locked-down machine cannot.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'schema.prisma' });
