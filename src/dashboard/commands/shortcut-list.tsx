/** The content of the dialog of shortcuts, which is loaded when it is first opened. */
import { Checkbox, Kbd, Stack, Table } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { shortcuts, singleKeys } from './shortcuts.ts';

export function ShortcutList() {
  const [isOn, setOn] = useLocalStorage(singleKeys);
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
        checked={isOn !== 'off'}
        onChange={({ currentTarget }) => setOn(currentTarget.checked ? 'on' : 'off')}
      />
    </Stack>
  );
}
