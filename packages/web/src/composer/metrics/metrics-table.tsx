import { useMemo } from 'react'
import { Card } from '../../ui/card.tsx'
import { MEASURES, type MetricsSeries, summarise } from './series.ts'
import { FORMATS, NAMES } from './units.ts'

export interface MetricsTableProps {
  readonly series: MetricsSeries
  readonly version: number
}

/** What the plots show, for who does not see them. */
export function MetricsTable({ series, version }: MetricsTableProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns change in place, the version tells
  const rows = useMemo(
    () => MEASURES.map((measure) => ({ measure, ...summarise(series.columns[measure]) })),
    [series, version],
  )
  return (
    <Card aria-label="The same as a table" tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-sm tabular-nums">
        <caption className="pb-2 text-left font-medium">The same as a table</caption>
        <thead className="text-left text-quiet">
          <tr className="[&_th]:py-1.5 [&_th]:pr-4 [&_th]:font-medium">
            <th scope="col">Measure</th>
            <th scope="col">Now</th>
            <th scope="col">Lowest</th>
            <th scope="col">Mean</th>
            <th scope="col">Highest</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ measure, now, lowest, mean, highest }) => (
            <tr key={measure} className="border-t [&_td]:py-1.5 [&_td]:pr-4">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal">
                {NAMES[measure]}
              </th>
              {Object.entries({ now, lowest, mean, highest }).map(([name, value]) => (
                <td key={name}>{value === null ? <Unknown /> : FORMATS[measure](value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Unknown() {
  return (
    <>
      <span aria-hidden>–</span>
      <span className="sr-only">not known</span>
    </>
  )
}
