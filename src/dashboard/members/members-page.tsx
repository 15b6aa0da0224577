import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { DataTable } from '../components/data-table.tsx';
import { OlderPages } from '../components/older-pages.tsx';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { type MemberState, MembersDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import { ImportDialog } from './import-dialog.tsx';
import { Actions, type Asked, Keys, Seen, State } from './member-cells.tsx';
import { HandOverDialog, RemoveDialog } from './member-dialogs.tsx';
import { isMemberState, type Member, stateNames } from './members.ts';

const from = '/teams/$teamId/members';
const pageSize = 50;

export function MembersPage() {
  const { teamId } = useParams({ from });
  const { state } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      <Page title="Members" aside={<Import key={teamId} teamId={teamId} />}>
        <Text size="sm">
          People who have signed in to the team or were imported, and the keys that each is responsible for. When
          someone leaves, the keys keep working until they are handed over or revoked.
        </Text>
        <NativeSelect
          label="State"
          maw={240}
          data={[
            { value: '', label: 'Any' },
            ...Object.entries(stateNames).map(([value, label]) => ({ value, label })),
          ]}
          value={state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: isMemberState(value) ? { state: value } : {}, replace: true })
          }
        />
        <Members key={`${teamId} ${state}`} teamId={teamId} state={state} />
      </Page>
    </RequirePermission>
  );
}

function Import({ teamId }: { readonly teamId: string }) {
  const mayManage = useMay('manage_keys', teamId);
  const [opened, { open, close }] = useDisclosure();
  if (!mayManage) return null;
  return (
    <>
      <Button variant="default" onClick={open}>
        Import members…
      </Button>
      <ImportDialog teamId={teamId} opened={opened} close={close} />
    </>
  );
}

interface Props {
  readonly teamId: string;
  readonly state: MemberState | undefined;
}

function Members({ teamId, state }: Props) {
  const mayManage = useMay('manage_keys', teamId);
  // Stays while its dialog closes, which gives the focus back.
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const ask = (asked: Asked) => {
    setAsked(asked);
    setOpen(true);
  };
  const dialog = { teamId, subject: asked?.member.subject ?? '', close: () => setOpen(false) };
  const isAsked = (what: Asked['what']) => isOpen && asked?.what === what;
  const list = useInfiniteQuery({
    queryKey: ['members', teamId, state],
    queryFn: async ({ pageParam: after, signal }) => {
      const filter = state === undefined ? null : [state];
      return (await execute(MembersDocument, { teamId, state: filter, first: pageSize, after }, signal)).members;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    // A refetch would load all pages again, one by one.
    refetchOnWindowFocus: false,
  });
  const members = list.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const columns = [
    { name: 'Person', cell: ({ subject }: Member) => <span className="breakable">{subject}</span> },
    { name: 'State', cell: (member: Member) => <State member={member} /> },
    { name: 'Last seen', cell: (member: Member) => <Seen member={member} /> },
    { name: 'Keys', cell: (member: Member) => <Keys teamId={teamId} member={member} /> },
  ];
  const actions = { name: 'Actions', cell: (member: Member) => <Actions member={member} ask={ask} /> };
  return (
    <Stack>
      {list.isSuccess && members.length === 0 && (
        <Text role="status">
          {state === undefined
            ? 'No member is known yet. They appear here when they sign in.'
            : 'No member is in this state.'}
        </Text>
      )}
      {members.length > 0 && (
        <DataTable
          label="Members"
          rows={members}
          idOf={({ subject }) => subject}
          columns={mayManage ? [...columns, actions] : columns}
        />
      )}
      <OlderPages list={list} label="Show more members" />
      {/* `key` forgets what was typed for another member. */}
      <HandOverDialog key={`over ${dialog.subject}`} {...dialog} opened={isAsked('hand-over')} />
      <RemoveDialog key={`remove ${dialog.subject}`} {...dialog} opened={isAsked('remove')} />
    </Stack>
  );
}
