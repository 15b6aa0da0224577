/** The styles of Mantine's components in the built dashboard (the plugin in src/dashboard/vite.config.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const assets = new URL('../../dist/dashboard/assets/', import.meta.url);
const mantine = new URL('../../node_modules/@mantine/', import.meta.url);

/** Mantine's class names are hashes, such as `m_77c9d27d`. */
const classesIn = (text: string) => new Set(text.match(/(?<=[."'`\s])m_[0-9a-f]+\b/g));
const built = (type: string) =>
  readdirSync(assets)
    .filter((name) => name.endsWith(type) && !/^(?:graphiql|openapi|monaco)/.test(name))
    .map((name) => readFileSync(new URL(name, assets), 'utf8'))
    .join('\n');
const all = ['core', 'dates', 'charts', 'notifications', 'spotlight'].map((name) =>
  readFileSync(new URL(`${name}/styles.css`, mantine), 'utf8'),
);

it('the styles of a component are loaded if it is used, and otherwise are not', () => {
  const styled = classesIn(all.join('\n'));
  const used = [...classesIn(built('.js'))].filter((name) => styled.has(name));
  const loaded = classesIn(built('.css'));
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter((name) => !loaded.has(name))).toEqual([]);
  const core = classesIn(all[0] ?? '');
  expect([...loaded].filter((name) => core.has(name) && !used.includes(name))).toEqual([]);
});
