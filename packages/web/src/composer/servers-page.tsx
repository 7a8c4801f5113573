import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Asked } from '../ui/asked.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'
import { AddServerDialog } from './add-server-dialog.tsx'
import { useServers } from './composer-queries.ts'
import { ServerCard } from './server-card.tsx'

export function ServersPage() {
  const query = useServers()
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button onClick={() => setAdding(true)}>
      <Plus aria-hidden /> Add a server
    </Button>
  )
  return (
    <Page title="Servers" note="The MCP servers that are supervised and offered as one." actions={add}>
      <Asked query={query} what="the servers">
        {({ servers, total }) =>
          servers.length === 0 ? (
            <Empty title="No server is configured yet.">
              Add one: a program that speaks MCP on its standard input and output, or a server at an address.
            </Empty>
          ) : (
            <>
              <ul className="grid gap-4 lg:grid-cols-2">
                {servers.map((server) => (
                  <li key={server.id} className="min-w-0">
                    <ServerCard server={server} />
                  </li>
                ))}
              </ul>
              {total > servers.length && (
                <p className="text-sm text-quiet">
                  The first {servers.length} of {total} servers are shown.
                </p>
              )}
            </>
          )
        }
      </Asked>
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}
