import { Alert } from '@mantine/core';
import { Navigate } from 'react-router';
import { firstTeam, useViewer } from './session/viewer.ts';

/** Shows the keys of the first team that the session can view. */
export function HomePage() {
  const { data: viewer } = useViewer();
  const team = viewer === undefined ? undefined : firstTeam(viewer);
  if (team !== undefined) return <Navigate to={`/teams/${team.id}/keys`} replace />;
  return (
    <Alert title="No teams" role="status">
      Your session token names no team. Sign in with a token that does.
    </Alert>
  );
}
