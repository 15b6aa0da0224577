import { Button, List, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type SettingName, settingNames } from '../../../domain/key/settings.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import type { UpdateKeyInput } from '../../generated/graphql.ts';
import { changedAmong, isSame, pick } from '../../key-form/key-draft.ts';
import { inWords, nameOf, textOf } from '../history/changes-in-words.ts';
import type { Conflict } from './use-edit.ts';

interface Props {
  readonly conflict: Conflict | null;
  readonly saving: boolean;
  readonly error: unknown;
  readonly resolve: (chosen: UpdateKeyInput) => void;
  readonly close: () => void;
}

/** Shows what another session changed since the form was opened. If both changed a setting, the user chooses. */
export function MergeDialog({ conflict, saving, close, ...rest }: Props) {
  return (
    <Dialog opened={conflict !== null} close={saving ? undefined : close} title="Changed since you opened it">
      {conflict !== null && (
        <Merge key={conflict.theirs.revision} conflict={conflict} saving={saving} close={close} {...rest} />
      )}
    </Dialog>
  );
}

interface MergeProps extends Props {
  readonly conflict: Conflict;
}

function Merge({ conflict: { before, theirs, changes: mine }, saving, error, resolve, close }: MergeProps) {
  const [taken, setTaken] = useState<readonly SettingName[]>([]);
  const changed = changedAmong(settingNames, before, theirs);
  const both = changed.filter((name) => name in mine && !isSame(mine[name], theirs[name]));
  const others = changed.filter((name) => !both.includes(name));
  const wanted = Object.keys(mine).filter((name) => !taken.some((one) => one === name)) as SettingName[];
  const choose = (name: SettingName, whose: string) =>
    setTaken([...taken.filter((one) => one !== name), ...(whose === 'theirs' ? [name] : [])]);
  const describe = (name: SettingName) => inWords([{ field: name, before: before[name], after: theirs[name] }]);
  return (
    <Stack gap="sm">
      <Text size="sm">Nothing was saved yet. Another session changed this key:</Text>
      {others.length > 0 && (
        <List size="sm" aria-label="Their changes">
          {others.flatMap(describe).map((sentence) => (
            <List.Item key={sentence} className="breakable">
              {sentence}
            </List.Item>
          ))}
        </List>
      )}
      {changed.length === 0 && <Text size="sm">None of its settings differ. You can save yours.</Text>}
      {both.map((name) => (
        <Radio.Group
          key={name}
          label={nameOf(name)}
          value={taken.includes(name) ? 'theirs' : 'mine'}
          onChange={(whose) => choose(name, whose)}
        >
          <Stack gap={4} mt={4} className="breakable">
            <Radio value="mine" label={`Keep mine: ${textOf(name, mine[name])}`} />
            <Radio value="theirs" label={`Take theirs: ${textOf(name, theirs[name])}`} />
          </Stack>
        </Radio.Group>
      ))}
      <Actions error={error} justify="flex-end">
        <Button variant="default" data-autofocus disabled={saving} onClick={close}>
          Continue editing
        </Button>
        <FocusableButton loading={saving} onClick={() => resolve(pick(mine, wanted))}>
          {wanted.length === 0 ? 'Use theirs' : 'Save mine over theirs'}
        </FocusableButton>
      </Actions>
    </Stack>
  );
}
