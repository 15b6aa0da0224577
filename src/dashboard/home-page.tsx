import { Alert } from '@mantine/core';
import { Navigate } from 'react-router';
import { firstTeam, useViewer } from './session/viewer.ts';

/** The keys of the first team that the session may see. */
export function HomePage() {
  const { data: viewer } = useViewer();
  const team = viewer === undefined ? undefined : firstTeam(viewer);
  if (team !== undefined) return <Navigate to={`/teams/${team.id}/keys`} replace />;
  return (
    <Alert title="No teams" role="status">
      Your session token names no team, so that there is nothing to see here. Ask for one that does.
    </Alert>
  );
}
