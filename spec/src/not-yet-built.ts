import type { ClausePattern } from './ledger.ts'

/** What no test proves yet, by the title of the issue that will build it. Empty when the product is done. */
export const notYetBuilt = {
  'The team service: agents that share work and lose none of it': [
    'ALL-DOCS-1',
    'ALL-DOCS-2',
    'ALL-DOCS-3',
    'ALL-METRICS-1',
    'TM-TEAM-*',
    'TM-LIFE-*',
    'TM-MODE-*',
    'TM-REVIEW-*',
    'TM-BUDGET-*',
    'TM-SVC-*',
    'TM-AUTH-*',
    'TM-ERR-*',
    'TM-TASK-*',
    'TM-METRIC-*',
    'TM-EVENT-*',
    'TM-DURABLE-*',
  ],
  'Live notebooks: the shared document, the extension, and a notebook server inside': [
    'NB-LIVE-*',
    'NB-EXT-*',
  ],
  'The web: see everything, do everything, in one calm page': ['ALL-WEB-*', 'CO-UI-*'],
} as const satisfies Record<string, readonly ClausePattern[]>
