import type { Server } from '@quire/composer/contract'
import { Link } from '@tanstack/react-router'
import { Asked } from '../ui/asked.tsx'
import { Empty } from '../ui/state.tsx'
import { useTools } from './composer-queries.ts'
import { ToolRow } from './tool-row.tsx'

const SHOWN = 20

export function ServerTools({ server }: { readonly server: Server }) {
  const query = useTools({ server: server.id, limit: SHOWN })
  return (
    <section aria-labelledby="tools" className="flex flex-col gap-2">
      <h2 id="tools" className="font-semibold">
        Tools
      </h2>
      <Asked query={query} what="its tools">
        {({ tools, total }) =>
          total === 0 ? (
            <Empty title="It offers no tool now.">
              {server.state === 'running'
                ? 'It may offer prompts or resources alone.'
                : 'Start it to see its tools.'}
            </Empty>
          ) : (
            <>
              <ul className="divide-y rounded-lg border bg-surface">
                {tools.map((tool) => (
                  <ToolRow key={tool.name} tool={tool} />
                ))}
              </ul>
              {total > SHOWN && (
                <Link to="/tools" search={{ server: server.id }} className="text-sm underline">
                  All {total} tools
                </Link>
              )}
            </>
          )
        }
      </Asked>
    </section>
  )
}
