import { menuOnDemand } from '../components/menu-on-demand.tsx';
import { UserButton } from './user-button.tsx';

export const SessionButton = menuOnDemand<{ readonly subject: string }>(
  async () => (await import('./user-menu.tsx')).UserMenu,
  ({ open }) => <UserButton onClick={open} />,
);
