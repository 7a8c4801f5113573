import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { Card } from '../../ui/card.tsx'
import { toClock } from '../../ui/time.ts'
import type { Column } from './series.ts'

export interface PlottedLine {
  readonly label: string
  readonly colour: 'accent' | 'bad' | 'good' | 'warn' | 'busy'
  readonly values: Column
}

export interface MetricsPlotProps {
  readonly title: string
  readonly times: readonly number[]
  readonly lines: readonly PlottedLine[]
  readonly version: number
  readonly format: (value: number) => string
  /** The least that the scale reaches up to, so that noise near zero does not look like a storm. */
  readonly atLeast: number
}

const HEIGHT = 170
const SHORTEST_SECONDS = 60
const FONT = '11px ui-sans-serif, system-ui, sans-serif'

/** Drawn on a canvas, with the same numbers as text above it and in the table of the page. */
export function MetricsPlot({ title, times, lines, version, format, atLeast }: MetricsPlotProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [index, setIndex] = useState<number | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a plot is made once; what changes are its numbers
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const options = toOptions(lines, atLeast, format, current.clientWidth, setIndex)
    const made = new uPlot(options, toData(times, lines), current)
    plot.current = made
    const size = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }))
    size.observe(current)
    const theme = new MutationObserver(() => made.redraw(false, true))
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      size.disconnect()
      theme.disconnect()
      made.destroy()
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns change in place, the version tells
  useEffect(() => plot.current?.setData(toData(times, lines)), [version])

  const at = index === null ? undefined : times[index]
  return (
    <Card aria-label={title} className="flex min-w-0 flex-col gap-2">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-medium">{title}</h2>
        <p className="flex gap-4 text-sm tabular-nums">
          {at !== undefined && <span className="text-quiet">{toClock(at * 1_000)}</span>}
          {lines.map(({ label, colour, values }) => {
            const value = index === null ? values.at(-1) : values[index]
            return (
              <span key={label} className="flex items-center gap-1.5">
                <span aria-hidden className={`size-2 rounded-full ${DOTS[colour]}`} />
                {label} {value === null || value === undefined ? 'unknown' : format(value)}
              </span>
            )
          })}
        </p>
      </header>
      <div ref={element} aria-hidden className="min-w-0 overflow-hidden" />
    </Card>
  )
}

const DOTS: Readonly<Record<PlottedLine['colour'], string>> = {
  accent: 'bg-accent',
  bad: 'bg-bad',
  good: 'bg-good',
  warn: 'bg-warn',
  busy: 'bg-busy',
}

function toData(times: readonly number[], lines: readonly PlottedLine[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

function toOptions(
  lines: readonly PlottedLine[],
  atLeast: number,
  format: (value: number) => string,
  width: number,
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const axis = {
    font: FONT,
    stroke: () => colourOf('quiet'),
    grid: { stroke: () => colourOf('line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: ({ data: [times] }) => toRange(times) },
      y: { range: (_plot, _from, to) => [0, Math.max(atLeast, to * 1.1)] },
    },
    axes: [
      { ...axis, size: 28, space: 100, values: (_plot, ticks) => ticks.map((tick) => toClock(tick * 1_000)) },
      { ...axis, size: 56, space: 30, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ label, colour }, index) => ({
        label,
        width: 1.5,
        stroke: () => colourOf(colour),
        points: { show: false },
        ...(index === 0 && { fill: () => colourOf(colour).replace(')', ' / 0.1)') }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  }
}

/** By the times themselves: round a single one the library would show years. */
function toRange(times: ArrayLike<number>): [number, number] {
  const to = times[times.length - 1] ?? SHORTEST_SECONDS
  return [Math.min(times[0] ?? to, to - SHORTEST_SECONDS), to]
}

/** Of the present theme. */
function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
