import { vi } from 'vitest'

export interface SeenEvent {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape, which the tests look into
  readonly data: any
}

/** Reads an event stream until it ends or the reader leaves. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}) {
  const left = new AbortController()
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: left.signal,
  })
  const seen: SeenEvent[] = []
  let text = ''
  let isOver = false

  async function read(): Promise<void> {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      seen.push(...blocks.flatMap(toEvent))
    }
  }

  const ended = read()
    .catch((error: unknown) => {
      if (!left.signal.aborted) throw error
    })
    .finally(() => {
      isOver = true
    })

  // Whoever waits for it hears of it all the same.
  ended.catch(() => undefined)

  return {
    response,
    seen,
    ended,
    isOver: () => isOver,
    leave: () => left.abort(),
    types: () => seen.map(({ event }) => event),
    /** When so many are there. */
    async has(count: number): Promise<readonly SeenEvent[]> {
      await vi.waitUntil(() => seen.length >= count || isOver, { timeout: 30_000, interval: 5 })
      return seen
    },
  }
}

function toEvent(block: string): SeenEvent[] {
  const [, id = '', event = '', data = ''] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
  if (data === '' && !block.startsWith(':')) throw new Error(`No event: ${JSON.stringify(block)}`)
  return data === '' ? [] : [{ id, event, data: JSON.parse(data) }]
}
