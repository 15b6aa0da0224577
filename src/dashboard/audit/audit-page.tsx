import { Title } from '@mantine/core';

export const AuditPage = () => <Title order={1}>Audit trail</Title>;
