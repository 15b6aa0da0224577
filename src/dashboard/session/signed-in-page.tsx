import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { announceSession } from './recover.ts';

/** The end of a sign-in in a window of its own. The tab that opened the window goes on. */
export function SignedInPage() {
  useEffect(() => {
    announceSession();
    close();
  }, []);
  return (
    <Page title="You are signed in">
      <Text>
        Close this window: the page that you signed in for goes on. Or <TextLink to="/">go to the keys</TextLink> here.
      </Text>
    </Page>
  );
}
