import { isTable } from '../apps/user-interfaces.ts'
import { ICONS } from './icons.ts'
import { nameIn, type PartProps } from './part.ts'
import { readText } from './values.ts'

const LONGEST_PATH = 10_000

/** By its name, or drawn; without a name of its own it says nothing to screen readers. */
export function Icon({ part }: PartProps) {
  const { name } = part.component
  const label = nameIn(part)
  const said = {
    className: 'size-5 shrink-0',
    ...(label === '' ? { 'aria-hidden': true as const } : { role: 'img', 'aria-label': label }),
  }
  if (isTable(name) && typeof name.svgPath === 'string')
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: it has a name, or is hidden
      <svg viewBox="0 0 24 24" fill="currentColor" {...said}>
        <path d={name.svgPath.slice(0, LONGEST_PATH)} />
      </svg>
    )
  const known = readText(name, part.scope)
  const Known = ICONS.get(known)
  return Known ? <Known {...said} /> : <span className="text-sm text-quiet">{known}</span>
}
