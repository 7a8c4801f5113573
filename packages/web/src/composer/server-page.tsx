import type { ServerDetail } from '@quire/composer/contract'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { announce } from '../ui/announce.ts'
import { Asked } from '../ui/asked.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Failure } from '../ui/state.tsx'
import { useServer, useServerOperation } from './composer-queries.ts'
import { ServerActions } from './server-actions.tsx'
import { ServerFailure } from './server-failure.tsx'
import { ServerHistory } from './server-history.tsx'
import { ServerLog } from './server-log.tsx'
import { BuiltInBadge, ServerStateBadge, toHistory, toOffers, toWhatRuns } from './server-state.tsx'
import { withoutServer } from './server-tables.ts'
import { ServerTools } from './server-tools.tsx'
import { useConfigChange } from './use-config-change.ts'

export function ServerPage() {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  const query = useServer(id)
  const operation = useServerOperation({ id })
  const back = (
    <Link to="/servers" className="underline">
      All servers
    </Link>
  )
  const actions = query.data && (
    <>
      <ServerActions server={query.data} operation={operation} />
      {query.data.built_in !== true && <RemoveServer name={query.data.name} />}
    </>
  )
  return (
    <Page title={id} note={back} actions={actions}>
      {operation.isError && <Failure error={operation.error} />}
      <Asked query={query} what="the server">
        {(server) => <Sight server={server} />}
      </Asked>
    </Page>
  )
}

function Sight({ server }: { readonly server: ServerDetail }) {
  const history = toHistory(server)
  return (
    <>
      <Card className="flex flex-col gap-3" aria-label="State">
        <div className="flex flex-wrap items-center gap-3">
          <ServerStateBadge state={server.state} />
          {server.built_in && <BuiltInBadge />}
          {history !== '' && <span className="text-sm text-quiet">{history}</span>}
          {server.circuit !== 'closed' && (
            <span className="text-sm text-warn">calls are held back for a while, after many failures</span>
          )}
        </div>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 text-sm sm:gap-x-6">
          {!server.built_in && (
            <>
              <Fact name={server.transport === 'stdio' ? 'Command' : 'Address'} isCode>
                {toWhatRuns(server)}
              </Fact>
              <Fact name="Transport">{server.transport}</Fact>
            </>
          )}
          {server.pid !== null && <Fact name="Process">{String(server.pid)}</Fact>}
          <Fact name="Offers">{toOffers(server) || 'nothing now'}</Fact>
          <Fact name="Starts by itself">{server.auto_start ? 'yes' : 'no'}</Fact>
        </dl>
      </Card>
      {server.failure && <ServerFailure failure={server.failure} isCurrent={server.state === 'crashed'} />}
      <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <section aria-labelledby="log" className="flex flex-col gap-2">
          <h2 id="log" className="font-semibold">
            Log
          </h2>
          <ServerLog key={server.id} server={server.id} />
        </section>
        <section aria-labelledby="history" className="flex flex-col gap-2">
          <h2 id="history" className="font-semibold">
            Starts and ends
          </h2>
          <ServerHistory server={server.id} />
        </section>
      </div>
      <ServerTools server={server} />
    </>
  )
}

function Fact({
  name,
  children,
  isCode = false,
}: {
  readonly name: string
  readonly children: string
  readonly isCode?: boolean
}) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className={isCode ? 'min-w-0 font-mono break-all' : 'min-w-0 break-words'}>{children}</dd>
    </>
  )
}

function RemoveServer({ name }: { readonly name: string }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = useConfigChange((document) => withoutServer(document, name))
  return (
    <>
      <Button size="small" kind="danger" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden /> Remove
      </Button>
      {isAsking && (
        <Confirm
          title={`Remove ${name}?`}
          description={`"${name}" is stopped and taken out of the configuration file, with its settings. Its tools are gone from then on.`}
          action="Remove"
          isBusy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess() {
                announce(`${name} was removed.`)
                void navigate({ to: '/servers' })
              },
              onSettled: () => setAsking(false),
            })
          }
        />
      )}
      {remove.isError && <Failure error={remove.error} />}
    </>
  )
}
