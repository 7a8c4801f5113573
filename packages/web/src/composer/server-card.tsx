import type { Server } from '@quire/composer/contract'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/card.tsx'
import { joinClasses } from '../ui/join-classes.ts'
import { Failure } from '../ui/state.tsx'
import { useServerOperation } from './composer-queries.ts'
import { ServerActions } from './server-actions.tsx'
import {
  BuiltInBadge,
  ServerStateBadge,
  toHistory,
  toOffers,
  toShortCommand,
  toWhatRuns,
} from './server-state.tsx'
import { toSentence } from './to-sentence.ts'

export function ServerCard({ server }: { readonly server: Server }) {
  const operation = useServerOperation(server)
  const history = toHistory(server)
  return (
    <Card className="flex h-full flex-col gap-3" aria-label={server.name}>
      <header className="flex items-center justify-between gap-2">
        <h2 className="min-w-0 truncate font-semibold">
          <Link to="/servers/$id" params={{ id: server.id }} className="hover:underline">
            {server.name}
          </Link>
        </h2>
        <span className="flex shrink-0 gap-2">
          {server.built_in && <BuiltInBadge />}
          <ServerStateBadge state={server.state} />
        </span>
      </header>
      <p
        className={joinClasses('truncate text-sm text-quiet', !server.built_in && 'font-mono')}
        title={toWhatRuns(server)}
      >
        {toShortCommand(server)}
      </p>
      <p className="text-sm text-quiet">
        {toOffers(server) || 'Offers nothing now'}
        {history !== '' && ` · ${history}`}
      </p>
      {server.last_error !== null && server.state !== 'running' && (
        <p className="line-clamp-3 text-sm break-words text-bad">{toSentence(server.last_error)}</p>
      )}
      {operation.isError && <Failure error={operation.error} />}
      <footer className="mt-auto flex gap-2">
        <ServerActions server={server} operation={operation} />
      </footer>
    </Card>
  )
}
