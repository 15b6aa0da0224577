import { Stack, Tabs } from '@mantine/core';
import type { SettingName } from '../../domain/key/settings.ts';
import { DangerZone } from './details/danger-zone.tsx';
import { EditForm } from './details/edit-form.tsx';
import { Trail } from './history/trail.tsx';
import type { PartProps } from './key-change.ts';
import { type Tab, tabs } from './key-search.ts';
import { tabsId, useTab } from './key-tab.ts';
import { Overview } from './overview/overview.tsx';
import { Rotation } from './rotation/rotation.tsx';
import { Signing } from './rotation/signing.tsx';
import { SourcesForm } from './sources/sources-form.tsx';

const tabLabels: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  settings: 'Settings',
  access: 'Access',
  rotation: 'Rotation',
  history: 'History',
};

const details: readonly SettingName[] = ['name', 'description', 'expiresAt'];
const labels: readonly SettingName[] = ['externalId', 'responsible', 'tags', 'metadata'];
const restrictions: readonly SettingName[] = ['scopes', 'rateLimit'];

export function KeyTabs(props: PartProps) {
  const { apiKey, editable, ask } = props;
  const { id: keyId, teamId } = apiKey;
  const { tab, choose } = useTab();
  return (
    <Tabs
      id={tabsId}
      flex={1}
      miw={0}
      value={tab}
      onChange={choose}
      // Keeps the input in hidden tabs. Parts that load data are rendered only while their tab is shown.
      keepMounted
      // The default cleans up the effects of hidden tabs, and so stops mutations and leave guards.
      keepMountedMode="display-none"
    >
      <Tabs.List mb="md" aria-label="Parts of the key">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {tabLabels[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="overview">{tab === 'overview' && <Overview {...props} />}</Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack>
          <EditForm title="Details" settings={details} submitLabel="Save details" {...props} />
          <EditForm title="Owner and labels" settings={labels} submitLabel="Save labels" {...props} />
          {editable && <DangerZone apiKey={apiKey} ask={ask} />}
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="access">
        <Stack>
          <SourcesForm {...props} />
          <EditForm title="Restrictions" settings={restrictions} submitLabel="Save restrictions" {...props} />
          <Signing {...props} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="rotation">
        <Rotation {...props} shown={tab === 'rotation'} />
      </Tabs.Panel>
      <Tabs.Panel value="history">{tab === 'history' && <Trail teamId={teamId} filter={{ keyId }} />}</Tabs.Panel>
    </Tabs>
  );
}
