import type { ClausePattern } from './ledger.ts'

/** What no test proves yet, by the title of the issue that will build it. Empty when the product is done. */
export const notYetBuilt = {
  'Live notebooks: the shared document, the extension, and a notebook server inside': [
    'NB-LIVE-*',
    'NB-EXT-*',
  ],
  'The web: see everything, do everything, in one calm page': ['ALL-WEB-*', 'CO-UI-*'],
} as const satisfies Record<string, readonly ClausePattern[]>
