/** The styles of Mantine's components in the built dashboard (the plugin in src/dashboard/vite.config.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf();

const assets = new URL('../../dist/dashboard/assets/', import.meta.url);
const mantine = new URL('../../node_modules/@mantine/', import.meta.url);

/** Mantine's class names are hashes, such as `m_77c9d27d`. */
const classesIn = (text: string) => new Set(text.match(/(?<=[."'`\s])m_[0-9a-f]+\b/g));
const built = (type: string) =>
  readdirSync(assets)
    .filter((name) => name.endsWith(type) && !/^(?:graphiql|openapi|monaco)/.test(name))
    .map((name) => readFileSync(new URL(name, assets), 'utf8'))
    .join('\n');
const all = ['core', 'charts', 'notifications', 'spotlight'].map((name) =>
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

it('the styles of a component that is loaded later win over those of its parts', async () => {
  const { id } = await user.create();
  await user.goTo(`keys/${id}`);
  const tab = user.page.getByRole('tab', { name: 'Settings' });
  // A part of a tab is a button without padding.
  expect(await tab.getAttribute('class')).toContain('mantine-UnstyledButton-root');
  expect(await tab.evaluate('(tab) => getComputedStyle(tab).paddingInlineStart')).not.toBe('0px');
});
