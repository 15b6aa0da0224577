import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { type KeyQuery, linkToList } from './key-query.ts';
import { searchOfView, useSavedViews, viewOf } from './saved-views.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly close: () => void;
}

export function SavedViewsDialog({ teamId, query, close }: Props) {
  const [views, setViews] = useSavedViews(teamId);
  const [name, setName] = useState('');
  const without = (removed: string) => views.filter((view) => view.name !== removed);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    setViews([...without(name.trim()), { name: name.trim(), search: viewOf(query.chosen) }]);
    close();
  };
  return (
    <Dialog opened title="Saved filters" close={close}>
      <form onSubmit={save} noValidate>
        <Stack gap="sm">
          <Text size="sm">This browser remembers them. To share filters, copy the link to the list.</Text>
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
            label="Name of the current filters"
            data-autofocus
            maxLength={60}
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
