import { isSummary } from '../compaction/summary.ts'
import type { ModelRequest } from '../model/model.ts'
import { bulletsOf, firstSentence } from './text.ts'
import type { Turn } from './turn.ts'

const ASKS_FOR_SUMMARY = /\bsummar(?:y|ies|ise|ize|ising|izing)/i
const TRANSCRIPT = '<conversation>'
const OTHERS = /^(?:<\/conversation>|Assistant: |Assistant calls |Answer of the tool )/
const MOST_LOOKED_AT = 4000
const MOST_SENTENCES = 30
const LONGEST_SENTENCE = 200

/** Without tools, and with a last message that wants a summary, or a transcript for which the system prompt wants one. */
export function wantsSummary({ tools, system = '' }: ModelRequest, { request = '', results }: Turn): boolean {
  if (tools.length > 0 || results.length > 0) return false
  const asking = request.startsWith(TRANSCRIPT)
    ? [system]
    : [request.slice(0, MOST_LOOKED_AT), request.slice(-MOST_LOOKED_AT)]
  return asking.some((text) => ASKS_FOR_SUMMARY.test(text))
}

/** The first sentence of each message of the user. */
export function extractOf({ request = '', earlier }: Turn): string {
  const said = request.startsWith(TRANSCRIPT)
    ? usersTexts(request)
    : earlier.flatMap((message) => (message.role === 'user' ? [message.text] : []))
  const sentences = said.flatMap(sentencesOf).filter((sentence) => sentence !== '')
  if (sentences.length === 0) return 'Nothing has been asked yet.'
  const left = sentences.length - MOST_SENTENCES
  return [
    'What was asked, in order (an extract by fixed rules, not a summary by a language model):',
    bulletsOf(sentences.slice(-MOST_SENTENCES)),
    ...(left > 0 ? [`(${left} earlier requests are left out.)`] : []),
  ].join('\n')
}

/** An extract within an extract keeps its lines. */
function sentencesOf(text: string): readonly string[] {
  if (!isSummary({ role: 'user', text })) return [firstSentence(text, LONGEST_SENTENCE)]
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  return lines.map((line) => firstSentence(line.slice(2), LONGEST_SENTENCE))
}

function usersTexts(transcript: string): readonly string[] {
  const texts: string[][] = []
  let isUser = false
  for (const line of transcript.split('\n')) {
    if (line.startsWith('User: ')) texts.push([line.slice('User: '.length)])
    else if (isUser && !OTHERS.test(line)) texts.at(-1)?.push(line)
    isUser = line.startsWith('User: ') || (isUser && !OTHERS.test(line))
  }
  return texts.map((lines) => lines.join('\n'))
}
