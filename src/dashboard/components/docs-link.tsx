import { ActionIcon, Popover, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeLink } from './code-link.tsx';
import './docs-link.css';

interface Props {
  /** The label of the field, such as `Allowed sources`. */
  readonly about: string;
  /** One or two sentences. */
  readonly help: ReactNode;
  /** Verdicts or error codes that the setting can cause, linked to the page that explains them. */
  readonly codes?: readonly string[];
  /** The field. */
  readonly children: ReactNode;
}

/** A "?" beside the label of a field. It explains the field and links to the documents that the service has. */
export function DocsLink({ about, help, codes = [], children }: Props) {
  return (
    <div className="documented">
      {children}
      <Popover withArrow width={280} position="bottom-end" trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon className="docs-link" size="sm" radius="xl" variant="default" aria-label={`About ${about}`}>
            ?
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="xs">
            <Text size="sm">{help}</Text>
            {codes.length > 0 && (
              <Text size="sm">
                Rejected calls get:{' '}
                {codes.map((code) => (
                  <span key={code}>
                    <CodeLink code={code} />{' '}
                  </span>
                ))}
              </Text>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}
