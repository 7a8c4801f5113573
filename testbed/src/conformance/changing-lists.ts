/** The one tool and the one prompt that come and go, for all servers of one process together. */
export interface ChangingLists {
  readonly hasTool: boolean
  readonly hasPrompt: boolean
  toggle(kind: ListKind): void
  /** Calls back after each change until the returned function is called. */
  watch(listener: (kind: ListKind) => void): () => void
}

export type ListKind = 'tools' | 'prompts'

export function createChangingLists(): ChangingLists {
  const shown = { tools: false, prompts: false }
  const listeners = new Set<(kind: ListKind) => void>()
  return Object.freeze({
    get hasTool() {
      return shown.tools
    },
    get hasPrompt() {
      return shown.prompts
    },
    toggle(kind: ListKind) {
      shown[kind] = !shown[kind]
      for (const listener of listeners) listener(kind)
    },
    watch(listener: (kind: ListKind) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
}
