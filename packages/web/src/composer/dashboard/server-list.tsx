import { Link } from '@tanstack/react-router'
import { Asked } from '../../ui/asked.tsx'
import { toCount } from '../../ui/count.ts'
import { Empty } from '../../ui/state.tsx'
import { useServers } from '../composer-queries.ts'
import { BuiltInBadge, ServerStateBadge } from '../server-state.tsx'
import { toSentence } from '../to-sentence.ts'

export function ServerList() {
  return (
    <section aria-labelledby="servers" className="flex flex-col gap-2">
      <h2 id="servers" className="font-semibold">
        Servers
      </h2>
      <Asked query={useServers()} what="the servers">
        {({ servers }) =>
          servers.length === 0 ? (
            <Empty title="No server is configured yet.">
              <Link to="/servers" className="underline">
                Add the first one
              </Link>
              .
            </Empty>
          ) : (
            <ul className="divide-y rounded-lg border bg-surface">
              {servers.map(({ id, name, state, tools_count, last_error, built_in }) => (
                <li key={id}>
                  <Link
                    to="/servers/$id"
                    params={{ id }}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-raised"
                  >
                    <span className="min-w-0 truncate font-medium sm:w-40">{name}</span>
                    <span className="sm:w-24">
                      <ServerStateBadge state={state} />
                    </span>
                    <span className="order-last min-w-0 basis-full truncate text-sm text-quiet empty:hidden sm:order-none sm:flex-1 sm:basis-0">
                      {built_in && <BuiltInBadge />}
                      {last_error !== null && state === 'crashed' && toSentence(last_error)}
                    </span>
                    <span className="ml-auto text-sm text-quiet tabular-nums">
                      {toCount(tools_count, 'tool')}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </section>
  )
}
