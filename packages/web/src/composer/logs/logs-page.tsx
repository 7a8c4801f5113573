import type { ServerList } from '@quire/composer/contract'
import { useQuery } from '@tanstack/react-query'
import { ArrowDownToLine, Download, Eraser, Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { request } from '../../services/request.ts'
import { useSocket } from '../../services/use-socket.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'
import { downloadLines, toLineText } from './download.ts'
import { LogFilterFields } from './filter-fields.tsx'
import type { LogEntry } from './log-filter.ts'
import { LogTable } from './log-table.tsx'
import { LogSummary } from './summary.tsx'
import { useLogBook } from './use-log-book.ts'
import { useLogFilter } from './use-log-filter.ts'

const HISTORY = 1_000

export function LogsPage() {
  const [filter, setFilter] = useLogFilter()
  const { book, view } = useLogBook(filter)
  const state = useSocket('composer', `/ws/logs?history=${HISTORY}`, book.receive)
  useEffect(() => {
    if (state === 'away') book.reconnect()
  }, [state, book])
  const [isFollowing, setFollowing] = useState(true)
  const [chosen, setChosen] = useState<LogEntry>()
  const names = useServerNames(view.servers)
  const actions = (
    <>
      <Button aria-pressed={view.isPaused} onClick={() => book.pause(!view.isPaused)}>
        {view.isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        {view.isPaused ? 'Go on' : 'Pause'}
      </Button>
      <Button disabled={view.shown.length === 0} onClick={() => downloadLines(view.shown)}>
        <Download aria-hidden /> Download
      </Button>
      <Button disabled={view.kept === 0} onClick={() => book.clear()}>
        <Eraser aria-hidden /> Clear
      </Button>
    </>
  )
  return (
    <Page title="Logs" note="What the composer and its servers say, as they say it." actions={actions}>
      <LogFilterFields filter={filter} servers={names} onChange={setFilter} />
      <section aria-label="Lines" className="flex flex-col gap-2">
        <LogSummary view={view} state={state} />
        <div className="relative">
          {view.shown.length === 0 ? (
            <Empty title={view.kept === 0 ? 'Nothing was said yet.' : 'No line fits.'}>
              {view.kept === 0
                ? 'Lines appear here as soon as the composer or one of its servers writes one.'
                : 'Take a part of the filter away to see more.'}
            </Empty>
          ) : (
            <LogTable
              view={view}
              isFollowing={isFollowing && !view.isPaused}
              onFollow={setFollowing}
              chosen={chosen}
              onChoose={setChosen}
            />
          )}
          {!isFollowing && view.shown.length > 0 && (
            <Button
              size="small"
              className="absolute right-5 bottom-3 shadow-md"
              onClick={() => setFollowing(true)}
            >
              <ArrowDownToLine aria-hidden /> To the newest
            </Button>
          )}
        </div>
      </section>
      {chosen !== undefined && (
        <Code
          label="the chosen line"
          text={toLineText(chosen)}
          className="max-h-64 [&_pre]:whitespace-pre-wrap [&_pre]:break-words"
        />
      )}
    </Page>
  )
}

/** Those that are configured, and those that were heard of. */
function useServerNames(seen: readonly string[]): readonly string[] {
  const { data } = useQuery({
    queryKey: ['composer', 'servers', 'names'],
    queryFn: ({ signal }) =>
      request<ServerList>('composer', '/api/v1/servers', { query: { limit: 200 }, signal }),
  })
  return [...new Set([...seen, ...(data?.servers ?? []).map(({ id }) => id)])].sort()
}
