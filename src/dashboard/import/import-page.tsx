import { Title } from '@mantine/core';

export const ImportPage = () => <Title order={1}>Import</Title>;
