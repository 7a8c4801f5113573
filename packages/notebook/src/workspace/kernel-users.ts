/** Who works in which kernel, and which of them are ours to shut down. */
export interface KernelUsers {
  /** A kernel that we started, and how it is shut down. */
  started(kernelId: string, shutDown: () => Promise<void>): void
  enter(kernelId: string): void
  has(kernelId: string): boolean
  /** When the last user of a kernel that we started leaves, its shut-down is handed over. */
  leave(kernelId: string): (() => Promise<void>) | undefined
}

export function createKernelUsers(): KernelUsers {
  const counts = new Map<string, number>()
  const ours = new Map<string, () => Promise<void>>()

  return Object.freeze({
    started: (kernelId: string, shutDown: () => Promise<void>) => void ours.set(kernelId, shutDown),
    enter: (kernelId: string) => void counts.set(kernelId, (counts.get(kernelId) ?? 0) + 1),
    has: (kernelId: string) => counts.has(kernelId),
    leave(kernelId: string) {
      const left = (counts.get(kernelId) ?? 0) - 1
      if (left > 0) {
        counts.set(kernelId, left)
        return undefined
      }
      const shutDown = ours.get(kernelId)
      counts.delete(kernelId)
      ours.delete(kernelId)
      return shutDown
    },
  })
}
