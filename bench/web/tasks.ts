import type { CDPSession, Page } from 'playwright-core'

export interface LongTasks {
  readonly count: number
  readonly longestMs: number
  readonly totalMs: number
  /** Frames that the page was drawn in, a second. */
  readonly framesPerSecond: number
}

/** Chromium tells of every task beyond 50 ms. */
export async function watchTasks(page: Page): Promise<() => Promise<LongTasks>> {
  await page.evaluate(`window.longTasks = []
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' })
    window.drawn = 0
    window.watchedSince = performance.now()
    requestAnimationFrame(function count() { window.drawn += 1; requestAnimationFrame(count) })`)
  return async () => {
    const seen = await page.evaluate<{ tasks: number[]; framesPerSecond: number }>(
      '({ tasks: longTasks, framesPerSecond: (drawn * 1000) / (performance.now() - watchedSince) })',
    )
    return {
      count: seen.tasks.length,
      longestMs: Math.round(Math.max(0, ...seen.tasks)),
      totalMs: Math.round(seen.tasks.reduce((sum, one) => sum + one, 0)),
      framesPerSecond: Math.round(seen.framesPerSecond),
    }
  }
}

/** In bytes, of what is still in use. */
export async function readHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN
}
