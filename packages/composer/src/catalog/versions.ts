import type { ToolSettings } from '../config/config.ts'
import type { Nameable } from './assign-names.ts'

const LONGEST_VERSION = 64

/**
 * What versioning appends to each of the items that share a name. With `allowMultiple` each whose server has a known version gets it. Without,
 * only where several servers offer the name: the newest of them stays plain (the first, where they are equal), the others get it.
 */
export function createVersionSuffix<Item extends Nameable>(
  sameName: readonly Item[],
  { enabled, allowMultiple, suffix }: ToolSettings['versioning'],
): (item: Item) => string {
  if (!enabled || (!allowMultiple && sameName.length < 2)) return () => ''
  const plain = allowMultiple ? undefined : newest(sameName)
  return (item) => {
    const { version } = item
    if (version === undefined || item === plain) return ''
    return suffix.replaceAll('{version}', () => version.slice(0, LONGEST_VERSION))
  }
}

function newest<Item extends Nameable>(items: readonly Item[]): Item | undefined {
  return items.reduce((best, item) => (compareVersions(item.version, best.version) > 0 ? item : best))
}

/** By the numbers between the dots; no version is older than any. */
function compareVersions(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  const [ones, others] = [numbersOf(one), numbersOf(other)]
  for (let index = 0; index < Math.max(ones.length, others.length); index += 1) {
    const difference = (ones[index] ?? 0) - (others[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(version: string): readonly number[] {
  return version
    .slice(0, LONGEST_VERSION)
    .replace(/^v/i, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0)
}
