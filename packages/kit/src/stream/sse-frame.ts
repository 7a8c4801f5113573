export type SseMessage = Readonly<{
  id?: string | number
  event?: string
  /** May have several lines. */
  data: string
}>

export const KEEP_ALIVE = ': keep-alive\n\n'

/** A message as the event stream format writes it: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function encodeSse({ id, event, data }: SseMessage): string {
  const head =
    (id === undefined ? '' : `id: ${oneLine(id)}\n`) +
    (event === undefined ? '' : `event: ${oneLine(event)}\n`)
  const body = LINE_BREAK.test(data) ? data.split(LINE_BREAK).join('\ndata: ') : data
  return `${head}data: ${body}\n\n`
}

const LINE_BREAK = /\r\n|\n|\r/

function oneLine(field: string | number): string | number {
  return typeof field === 'number' ? field : field.replace(/[\r\n\0]/g, '')
}

/** The sequence number after which a reader wants to go on; undefined when it is absent or not one of ours. */
export function lastEventId(request: { headers: Pick<Headers, 'get'> }): number | undefined {
  const header = request.headers.get('last-event-id')
  return header !== null && /^(?:0|[1-9]\d{0,14})$/.test(header) ? Number(header) : undefined
}
