import { usePrefetchQuery } from '@tanstack/react-query';
import { useLocation, useParams } from 'react-router';
import { firstTeam, useMay, type Viewer } from '../../session/viewer.ts';
import { useKeyQuery } from '../filter/key-query.ts';
import { keyPage } from './list-queries.ts';

/** Requests the list of the page before the page is drawn, because drawing takes longer than the request. */
export function EarlyKeys({ viewer }: { readonly viewer: Viewer }) {
  const { pathname } = useLocation();
  const { teamId = firstTeam(viewer)?.id } = useParams();
  const mayView = useMay('view_team', teamId);
  const isList = pathname === '/' || pathname === `/teams/${teamId}/keys`;
  return teamId !== undefined && mayView && isList ? <Prefetch teamId={teamId} /> : null;
}

function Prefetch({ teamId }: { readonly teamId: string }) {
  usePrefetchQuery(keyPage(teamId, useKeyQuery()));
  return null;
}
