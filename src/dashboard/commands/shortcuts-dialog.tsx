import { Checkbox, Kbd, Stack, Table } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../components/dialog/dialog.tsx';
import { areSingleKeysOn, setSingleKeys, shortcuts } from './use-shortcuts.ts';

export function ShortcutsDialog({ opened, close }: { readonly opened: boolean; readonly close: () => void }) {
  const [singleKeys, setOn] = useState(areSingleKeysOn);
  const change = (on: boolean) => {
    setSingleKeys(on);
    setOn(on);
  };
  return (
    <Dialog opened={opened} close={close} title="Keyboard shortcuts">
      <Stack>
        <Table>
          <Table.Tbody>
            {shortcuts.map(({ name, keys, does }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" className="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Th>
                <Table.Td>{does}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Checkbox
          label="Shortcuts of a single key"
          description="They are never active in a text field."
          checked={singleKeys}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  );
}
