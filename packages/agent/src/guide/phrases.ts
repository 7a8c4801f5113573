import { readCall } from './call-words.ts'
import type { IntentName } from './intents.ts'
import { readChange, readCode, readNewCell, readSource } from './payload.ts'
import {
  isNoise,
  readCell,
  readCells,
  readName,
  readNamed,
  readNotebookFile,
  readNothing,
  readQuery,
} from './readers.ts'
import type { Block, Values, Wish } from './wish.ts'

interface Phrase {
  /** How it begins. Only the first characters of a text are held against it. */
  readonly head: RegExp
  /** What follows may be code or text of any kind, on several lines or in a block. */
  readonly takesPayload: boolean
  /** From what stands behind the head. Undefined: something else is meant. */
  read(rest: string, block: Block | undefined, kind: string | undefined): Wish | undefined
}

const FILLER =
  '(?: (?:me|all|of|the|my|our|this|that|these|a|an|any|some|new|empty|blank|available|open|current|running|whole|entire))*'
const SHOW =
  "(?:list|show|print|display|give|get|read|view|see|what is|what's|whats|what are|what|which are|which)(?: in)?"
const RUN = '(?:run|execute|evaluate|eval)'
const ADD = '(?:add|insert|append|create|make|write)'
const CODE = '(?: (?:the|this|these|following|my|some|python|code|snippet|blocks?)(?=[ :]|$))*'

/** The first that reads the words decides. In a head ` ~ ` stands for any number of small words, a space for any number of spaces. */
export const PHRASES: readonly Phrase[] = Object.freeze([
  open('(?:call|invoke)(?: the)?(?: tool)?|(?:use|run|execute)(?: the)? tool', readCall),
  told('search_tools', '(?:search|find|look)(?: for)? ~ tools?', readQuery),
  said('(?:describe|explain|show|read) ~ tool', (rest) => {
    const name = readName(rest)
    return name ? { kind: 'describe_tool', name } : undefined
  }),
  said(`${SHOW} ~ tools?`, (rest) => (isNoise(rest) ? { kind: 'list_tools' } : undefined)),
  told('run_cell', `${RUN} ~ cell`, readCell),
  told('run_cells', `${RUN} ~ cells`, readCells),
  told('run_cells', `${RUN} ~ notebook`, readNamed('notebook')),
  open(`${ADD} and ${RUN} ~ (?:code )?cell|${RUN} in a new cell`, (rest, block) =>
    wish('add_and_run_cell', readSource(rest, block)),
  ),
  open(`${ADD} ~ (?:(?<kind>code|markdown|md|text|raw) )?cell`, (rest, block, kind) =>
    wish('add_cell', readNewCell(rest, block, kind)),
  ),
  open('(?:set|overwrite|replace|change|update) ~ (?:(?:source|code|text) of )?cell', (rest, block) =>
    wish('overwrite_cell', readChange(rest, block)),
  ),
  told('delete_cell', '(?:delete|remove|drop) ~ cells?', readCells),
  told('read_cell', `${SHOW} ~ cell`, readCell),
  told('list_cells', `${SHOW} ~ cells`, readNamed('notebook')),
  told('list_notebooks', `${SHOW} ~ notebooks`, readNothing),
  told('list_files', `${SHOW} ~ (?:files|folders|directories|directory)`, readNamed('folder')),
  told('list_kernelspecs', `${SHOW} ~ kernel ?specs?`, readNothing),
  told('list_kernels', `${SHOW} ~ kernels`, readNothing),
  told('list_variables', `(?:${SHOW}|inspect) ~ variables`, readNamed('notebook')),
  told('create_notebook', '(?:create|make|start|add) ~ notebook|new notebook', (rest) =>
    readNotebookFile(rest, 'create'),
  ),
  told('open_notebook', '(?:open|use|load|activate|connect to|switch to) ~ notebook', (rest) =>
    readNotebookFile(rest, 'connect'),
  ),
  told('open_notebook', String.raw`(?:open|use|load|switch to)(?= \S+\.ipynb)`, (rest) =>
    readNotebookFile(rest, 'connect'),
  ),
  told('search_notebook', '(?:search|look|find)(?: in| through)? ~ notebook', readQuery),
  told('read_notebook', `${SHOW} ~ notebook`, readNamed('notebook')),
  told(
    'close_notebook',
    '(?:close|unuse|leave|stop using|disconnect from) ~ notebook',
    readNamed('notebook'),
  ),
  told('restart', '(?:restart|reset|reboot) ~ (?:notebook|kernel)', readNamed('notebook')),
  told('interrupt', '(?:interrupt|stop|halt) ~ (?:kernel|execution|code)', readNamed('notebook')),
  told('save_notebook', 'save ~ notebook', readNamed('notebook')),
  open(`${RUN}(?! ?=)${CODE}`, (rest, block) => wish('run_code', readCode(rest, block))),
])

/** Understood where nothing else is asked for. */
export const HELP = toHead(
  'help|hello|hi|hey|hallo|good (?:morning|day|afternoon|evening)|thanks|thank you|ok|okay|commands|examples|what can (?:you|i) do|what do you do|who are you|what are you|how do you work|how does this work',
)

function toHead(pattern: string): RegExp {
  const source = pattern
    .replaceAll(' ~ ', `${FILLER} `)
    .replaceAll(' ?', String.raw`\s*`)
    .replaceAll(' ', String.raw`\s+`)
  return new RegExp(String.raw`^(?:${source})(?=[\s:!?,#]|\.(?:\s|$)|$)`, 'i')
}

function said(head: string, read: Phrase['read']): Phrase {
  return { head: toHead(head), takesPayload: false, read }
}

function open(head: string, read: Phrase['read']): Phrase {
  return { head: toHead(head), takesPayload: true, read }
}

function told(intent: IntentName, head: string, read: (rest: string) => Values | undefined): Phrase {
  return said(head, (rest) => wish(intent, read(rest)))
}

function wish(intent: IntentName, values: Values | undefined): Wish | undefined {
  return values && { kind: 'do', intent, values }
}
