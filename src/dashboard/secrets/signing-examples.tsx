import { Anchor, Tabs, Text } from '@mantine/core';
import { CodeToCopy } from './copyable.tsx';
import { signingExamples } from './signing-examples.ts';

export function SigningExamples({ keyId }: { readonly keyId: string }) {
  return (
    <>
      <Text size="sm">
        With the key’s secret in API_KEY, the signing secret in SIGNING_SECRET and the address of your API in URL, this
        sends a signed GET request. A request with a body also needs a Content-Digest, which the{' '}
        <Anchor href="/openapi#/Verification/verify" target="_blank" c="inherit" inherit underline="always">
          reference
        </Anchor>{' '}
        describes.
      </Text>
      <Tabs defaultValue="curl">
        <Tabs.List aria-label="Languages">
          {signingExamples.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {signingExamples.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="xs">
            <CodeToCopy what={`the ${name} example`} text={code(keyId)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
