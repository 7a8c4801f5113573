import type { Translator } from '@quire/composer/contract/translator'

export type TranslatorKind = Translator['type']

export interface KindText {
  readonly label: string
  readonly hint: string
}

export const TRANSLATOR_KINDS: Readonly<Record<TranslatorKind, KindText>> = {
  'stdio-to-http': {
    label: 'A program, at an address',
    hint: 'It is started here. The composer must have been started with --allow-command for it, or have it in its file.',
  },
  'sse-to-http': {
    label: 'An older server, at a new address',
    hint: 'The server speaks SSE; clients of today reach it over streamable HTTP.',
  },
  'http-to-stdio': {
    label: 'An address, as a program',
    hint: 'You get the command for clients that can only start programs.',
  },
}
