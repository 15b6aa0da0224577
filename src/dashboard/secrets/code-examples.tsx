import { Anchor, Code, Text } from '@mantine/core';
import quickstarts from '../../../docs/start/quickstarts.md?raw';
import type { KeyDetailsFragment } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';
import { Examples } from './examples.tsx';
import { signingSnippetsOf } from './signing-snippets.ts';
import { snippetsOf } from './snippets.ts';

/** Commands that use a key, and programs that accept it. */
export function CodeExamples({
  apiKey,
}: {
  readonly apiKey: Pick<KeyDetailsFragment, 'id' | 'env' | 'signingEnabled'>;
}) {
  const { id: keyId, env, signingEnabled } = apiKey;
  const options = { ...serverOptions(), keyId, env, signingEnabled, verifyUrl: fromServer('verify-url') };
  return (
    <>
      <Text size="sm">
        Clients send the secret as {fromServer('key-instruction')}. The command reads it from the variable{' '}
        <Code>API_KEY</Code>, which <Code>read -rs API_KEY; export API_KEY</Code> fills without showing the text. The
        other examples are APIs that accept this key.{signingEnabled && ' Requests to them must also be signed.'}
      </Text>
      <Examples label="Examples" snippets={snippetsOf(quickstarts, options)} />
    </>
  );
}

export function SigningExamples({ keyId }: { readonly keyId: string }) {
  return (
    <>
      <Text size="sm">
        With the key’s secret in <Code>API_KEY</Code>, the signing secret in <Code>SIGNING_SECRET</Code> and the address
        of your API in <Code>URL</Code>, this sends a signed GET request. A request with a body also needs a
        Content-Digest, which the{' '}
        <Anchor href="/openapi#/Verification/verify" target="_blank" c="inherit" inherit underline="always">
          reference
        </Anchor>{' '}
        describes.
      </Text>
      <Examples label="Languages" snippets={signingSnippetsOf({ ...serverOptions(), keyId })} />
    </>
  );
}

const serverOptions = () => ({
  locations: fromServer('key-locations').split(','),
  curlOption: fromServer('key-option'),
});
