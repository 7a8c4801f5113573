import type { History, Kept } from './history.ts'

const MOST = 200
const LARGEST = 128 * 1024 * 1024

/** Histories for as long as the process lives; the ones that were not written for the longest time are forgotten first. */
export function createMemoryHistory(): History {
  const all = new Map<string, Kept>()
  let bytes = 0

  function forget(fileId: string): void {
    bytes -= all.get(fileId)?.update.byteLength ?? 0
    all.delete(fileId)
  }

  return Object.freeze({
    read: async (fileId: string) => all.get(fileId),
    async write(fileId: string, kept: Kept) {
      forget(fileId)
      all.set(fileId, kept)
      bytes += kept.update.byteLength
      for (const oldest of all.keys()) {
        if (all.size <= MOST && bytes <= LARGEST) return
        forget(oldest)
      }
    },
    remove: async (fileId: string) => forget(fileId),
  })
}
