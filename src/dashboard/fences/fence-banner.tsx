import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { toast } from '../components/toast.ts';
import { UnfreezeKeysDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import { type Fence, reloadFences, scopeInWords } from './fences.ts';

/** On every page of the team while keys are frozen. */
export function FenceBanner({ teamId, fences }: { readonly teamId: string; readonly fences: readonly Fence[] }) {
  const mayManage = useMay('manage_keys', teamId);
  const [asked, setAsked] = useState<Fence | null>(null);
  return (
    <Alert
      color="red"
      role="status"
      title={fences.length === 1 ? 'Keys are frozen' : `${fences.length} fences are up`}
      mb="md"
    >
      <Stack gap="xs">
        {fences.map((fence) => (
          <Group key={fence.id} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" className="breakable">
              {scopeInWords(fence)}, <Moment at={fence.createdAt} /> by {fence.createdBy}: {fence.reason}
              {fence.until != null && (
                <>
                  {' '}
                  (until <Moment at={fence.until} />)
                </>
              )}
            </Text>
            {mayManage && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Lift the fence “${fence.reason}”…`}
                onClick={() => setAsked(fence)}
              >
                Lift…
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <LiftDialog fence={asked} close={() => setAsked(null)} />
    </Alert>
  );
}

/** @param fence the fence to lift; null while the dialog is closed */
function LiftDialog({ fence, close }: { readonly fence: Fence | null; readonly close: () => void }) {
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async ({ id }: Fence) => await execute(UnfreezeKeysDocument, { id }),
    onSuccess: async () => {
      toast('The fence is lifted.');
      close();
      await reloadFences();
    },
  });
  return (
    <ConfirmDialog
      opened={fence !== null}
      close={() => {
        close();
        reset();
      }}
      title="Lift this fence?"
      confirm={() => fence !== null && submit(fence)}
      confirmLabel="Lift"
      color="red"
      pending={isPending}
      error={error}
    >
      <Text size="sm" className="breakable">
        {fence !== null && scopeInWords(fence)} will work as before, everywhere, unless another fence freezes them.
      </Text>
    </ConfirmDialog>
  );
}
