import { Anchor, Text } from '@mantine/core';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { saveFile } from '../components/save-file.ts';
import { ReceiptDocument } from '../generated/graphql.ts';

/** Saves the receipt of a change as a page for people, which has the signed statement too. */
export function SaveReceipt({ revision }: { readonly revision: string }) {
  const { submit, isPending, error } = useSubmit({
    mutationFn: async () => {
      const { receipt } = await execute(ReceiptDocument, { revision });
      const { receiptPage } = await import('../../domain/receipt/receipt-page.ts');
      saveFile({ name: `receipt-${revision}.html`, type: 'text/html', text: receiptPage(receipt) });
    },
  });
  return (
    <>
      <Anchor component="button" type="button" inherit disabled={isPending} onClick={() => submit()}>
        Save the receipt
      </Anchor>
      {error !== null && (
        <Text span inherit c="red">
          {' '}
          {error.message}
        </Text>
      )}
    </>
  );
}
