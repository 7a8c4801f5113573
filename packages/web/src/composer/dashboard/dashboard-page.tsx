import { Page } from '../../ui/page.tsx'
import { Activity } from './activity.tsx'
import { Overview } from './overview.tsx'
import { ServerList } from './server-list.tsx'

/** The composer at a glance. */
export function DashboardPage() {
  return (
    <Page title="Composer" note="Many MCP servers, offered as one.">
      <div className="flex flex-col gap-4">
        <Overview />
        <Activity />
      </div>
      <ServerList />
    </Page>
  )
}
