/** The content of the dialog of shortcuts, which is loaded when it is first opened. */
import { Checkbox, Kbd, Stack, Table } from '@mantine/core';
import { useState } from 'react';
import { areSingleKeysOn, shortcuts, turnSingleKeys } from './shortcuts.ts';

export function ShortcutList() {
  const [singleKeys, setSingleKeys] = useState(areSingleKeysOn);
  const change = (on: boolean) => {
    turnSingleKeys(on);
    setSingleKeys(on);
  };
  return (
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
  );
}
