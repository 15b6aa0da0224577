/** What an address touched: the keys of the team that were presented from it. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatIpAddress, parseIpAddress } from '../../domain/source/ip-address.ts';
import { execute } from '../api/execute.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { EnvBadge, KeyStateDot } from '../components/state-dot.tsx';
import { AddressActivityDocument, type AddressActivityQuery } from '../generated/graphql.ts';

/** The most keys that the API returns. */
const maxUses = 100;

type Use = AddressActivityQuery['addressActivity'][number];

export function AddressPage() {
  const { teamId = '' } = useParams({ strict: false });
  const { address = '' } = useSearch({ from: '/teams/$teamId/addresses' });
  const parsed = parseIpAddress(address);
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      <Page title="What an address touched">
        {/* Keyed: a link can lead to another address. */}
        <AddressForm key={address} address={address} />
        {parsed !== null && <Touched teamId={teamId} address={formatIpAddress(parsed)} />}
      </Page>
    </RequirePermission>
  );
}

const validate = {
  address: (text: string) => (parseIpAddress(text.trim()) === null ? 'This is not an IP address.' : null),
};

function AddressForm({ address }: { readonly address: string }) {
  const navigate = useNavigate({ from: '/teams/$teamId/addresses' });
  const form = useForm({ initialValues: { address }, validate });
  return (
    <form noValidate onSubmit={form.onSubmit(({ address }) => void navigate({ search: { address: address.trim() } }))}>
      <Group align="flex-start" gap="xs">
        <TextInput
          label="IPv4 or IPv6 address"
          w={320}
          maxLength={64}
          spellCheck={false}
          {...form.getInputProps('address')}
        />
        <Button type="submit" variant="default" mt={25}>
          Show its keys
        </Button>
      </Group>
    </form>
  );
}

function Touched({ teamId, address }: { readonly teamId: string; readonly address: string }) {
  const query = useQuery({
    queryKey: ['address', teamId, address],
    queryFn: async ({ signal }) =>
      (await execute(AddressActivityDocument, { teamId, address }, signal)).addressActivity,
  });
  return (
    <>
      <Text size="sm">
        The keys of this team that were presented from {address} in the last 31 days. Of each key, the addresses that
        its page lists are counted.
      </Text>
      <QueryView query={query}>
        {(uses) =>
          uses.length === 0 ? (
            <Text size="sm" role="status">
              No key of this team was presented from this address.
            </Text>
          ) : (
            <>
              <DataTable label="Keys" columns={columnsFor(teamId)} rows={uses} idOf={({ apiKey }) => apiKey.id} />
              {uses.length >= maxUses && (
                <Text size="sm" role="status">
                  Only the {maxUses} keys that were seen last are shown, and their numbers may be too small.
                </Text>
              )}
            </>
          )
        }
      </QueryView>
    </>
  );
}

const columnsFor = (teamId: string): readonly Column<Use>[] => [
  {
    name: 'Key',
    cell: ({ apiKey: { id, name } }) => (
      <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }} className="breakable">
        {name}
      </TextLink>
    ),
  },
  { name: 'Environment', cell: ({ apiKey }) => <EnvBadge env={apiKey.env} /> },
  { name: 'State', cell: ({ apiKey }) => <KeyStateDot {...apiKey} /> },
  { name: 'Accepted', isNumber: true, cell: ({ accepted }) => formatNumber(accepted) },
  { name: 'Rejected', isNumber: true, cell: ({ rejected }) => formatNumber(rejected) },
  { name: 'First seen', cell: ({ firstAt }) => <Moment at={firstAt} /> },
  { name: 'Last seen', cell: ({ lastAt }) => <Moment at={lastAt} /> },
];
