import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { idsOf, useColumns } from '../list/columns.tsx';
import { type KeyQuery, linkToList } from './key-query.ts';
import { maxNameLength, searchOfView, useSavedViews, viewOf } from './saved-views.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly close: () => void;
}

export function SavedViewsDialog({ teamId, query, close }: Props) {
  const [views, setViews] = useSavedViews(teamId);
  const { shown } = useColumns(query);
  const [name, setName] = useState(query.chosen.view.slice(0, maxNameLength));
  const without = (removed: string) => views.filter((view) => view.name !== removed);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const view = { view: name.trim(), columns: idsOf(shown) };
    setViews([
      ...without(view.view),
      { name: view.view, search: viewOf({ ...query.chosen, search: query.search.search ?? '', ...view }) },
    ]);
    query.choose(view, { replace: true });
    close();
  };
  return (
    <Dialog opened title="Saved views" close={close}>
      <form onSubmit={save} noValidate>
        <Stack gap="sm">
          <Text size="sm">
            A view has the filter, the order and the columns. This browser remembers it, and the link to it carries all
            of it.
          </Text>
          {views.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap">
              <AnchorLink {...linkToList(teamId, searchOfView(view))} size="sm" className="breakable" onClick={close}>
                {view.name}
              </AnchorLink>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Delete ${view.name}`}
                onClick={() => setViews(without(view.name))}
              >
                Delete
              </Button>
            </Group>
          ))}
          <TextInput
            label="Name of the current view"
            data-autofocus
            maxLength={maxNameLength}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
