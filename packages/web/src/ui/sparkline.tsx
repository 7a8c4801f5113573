export interface SparklineProps {
  readonly values: readonly number[]
  /** How many fit; fewer begin at the right. */
  readonly room: number
  /** Said to screen readers. */
  readonly label: string
}

const [WIDTH, HEIGHT] = [120, 28]

/** How a number went lately, without axes: the number itself stands beside it. */
export function Sparkline({ values, room, label }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, room - 1)
  const first = WIDTH - (values.length - 1) * step
  const points = values.map((value, index) => {
    const height = HEIGHT - 1 - (value / most) * (HEIGHT - 2)
    return `${(first + index * step).toFixed(1)},${height.toFixed(1)}`
  })
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-7 w-full text-accent"
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} className="stroke-line" />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
