import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Asked } from '../../ui/asked.tsx'
import { SandboxFrame } from '../../ui/sandbox-frame.tsx'
import { type AppContext, answerApp, readResource } from './answer-app.ts'
import { createCallGate } from './call-gate.ts'
import { CallQuestion } from './call-question.tsx'
import { isTable, textOf } from './user-interfaces.ts'

export interface McpAppProps extends Omit<AppContext, 'onLink' | 'mostPixels' | 'gate'> {
  readonly uri: string
  readonly html?: string | undefined
}

const MOST_PIXELS = 640

/** A page that a tool brings along, in a frame that reaches nothing but us. */
export function McpApp({ uri, html, ...context }: McpAppProps) {
  const { toolset } = context
  const [link, setLink] = useState<URL>()
  const [gate] = useState(createCallGate)
  const asked = useSyncExternalStore(gate.watch, gate.asked)
  useEffect(() => gate.clear, [gate])
  const query = useQuery({
    queryKey: ['runtime', 'app', toolset, uri, html],
    queryFn: () => (html === undefined ? readPage(toolset, uri) : html),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const full = { ...context, mostPixels: MOST_PIXELS, onLink: setLink, gate }
  return (
    <section aria-label={`App of ${toolset}`} className="flex min-w-0 flex-col gap-2">
      <Asked query={query} what="the app">
        {(page) => (
          <SandboxFrame
            html={page}
            title={`App of ${toolset}`}
            mostPixels={MOST_PIXELS}
            onMessage={(message, reply) => void answerApp(full, message, reply)}
          />
        )}
      </Asked>
      {asked !== undefined && (
        <CallQuestion tool={asked} onDecide={(isAllowed) => gate.decide(asked, isAllowed)} />
      )}
      {link !== undefined && (
        <p className="text-sm break-words">
          The app would like to open a page of{' '}
          <a
            href={link.href}
            title={link.href}
            target="_blank"
            rel="noopener noreferrer"
            className="break-all text-accent underline"
          >
            {link.host}
          </a>
        </p>
      )}
    </section>
  )
}

async function readPage(toolset: string, uri: string): Promise<string> {
  const { contents } = await readResource(toolset, uri)
  const page = contents.find(isTable)
  const html = page && textOf(page)
  if (html === undefined) throw new Error(`The toolset ${toolset} has no page at ${uri}.`)
  return html
}
