const GOOGLE_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/

/** What the provider asks to wait: milliseconds, seconds or a date in its headers, or Google's own word in the body. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number,
): number | undefined {
  return (
    wait(Number(headers['retry-after-ms'] ?? Number.NaN)) ??
    wait(Number(headers['retry-after'] ?? Number.NaN) * 1000) ??
    untilDate(headers, now) ??
    wait(Number(GOOGLE_DELAY.exec(body)?.[1] ?? Number.NaN) * 1000)
  )
}

/** The provider's own clock counts, where it tells it. */
function untilDate(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const until = Date.parse(headers['retry-after'] ?? '')
  const from = Date.parse(headers.date ?? '')
  return wait(until - (Number.isNaN(from) ? now : from))
}

function wait(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
