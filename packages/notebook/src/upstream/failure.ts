import { ToolError, type ToolErrorCode } from '../tool-error.ts'
import type { Answer } from './answer.ts'
import { type Call, nameOf, statusOf } from './call.ts'
import { isPage } from './quote.ts'
import { explainRedirect, explainStoppedServer, WHAT_TO_DO } from './redirect.ts'

export const ADDRESS_HINT =
  'Give its address without /lab, /tree or /notebooks at the end, and with the prefix if it has one, such as https://hub.example.org/user/ada.'

const METHOD_NOT_ALLOWED = 405
const FAILED_DEPENDENCY = 424
const CODES: Readonly<Record<number, ToolErrorCode>> = {
  400: 'invalid_argument',
  404: 'not_found',
  409: 'conflict',
  413: 'invalid_argument',
}

/** The JSON of a successful answer, undefined for an empty one. */
export function parseAnswer(call: Call, answer: Answer): unknown {
  if (answer.text === '') return undefined
  if (isPage(answer.text)) throw explainPage(call, answer.text)
  try {
    return JSON.parse(answer.text)
  } catch (error) {
    throw new ToolError(
      'failing',
      `${nameOf(call)} answered something that is no JSON. Check whether ${call.base} is the address of a Jupyter server, and whether a proxy in front of it changes answers.`,
      { cause: error },
    )
  }
}

/** What an answer that is no success means. `refusal` is the sentence for credentials that were not accepted. */
export function explainFailure(call: Call, answer: Answer, refusal: string): ToolError {
  const { status } = answer
  if (status === 401 || status === 403)
    return new ToolError('refused', `${statusOf(call, answer)}. ${refusal}`)
  if (isHubInPlace(call, answer)) return explainStoppedServer(call)
  if (status >= 300 && status < 400) return explainRedirect(call, answer.location)
  if (status >= 500) {
    return new ToolError(
      'failing',
      `The notebook server is failing, this is no authentication problem: ${statusOf(call, answer)}. Look into its log, and try again.`,
    )
  }
  const code = CODES[status]
  if (code) return new ToolError(code, `${statusOf(call, answer)}.`)
  return new ToolError('failing', `Unexpected status ${status}: ${statusOf(call, answer)}.`)
}

export function isLoginPage(html: string): boolean {
  return /type\s{0,4}=\s{0,4}["']?password|name\s{0,4}=\s{0,4}["']?password/i.test(html)
}

/** Writes to a server that does not run are not even redirected: the hub has no such method. */
function isHubInPlace({ base }: Call, { status, text }: Answer): boolean {
  const isNoMethod = status === METHOD_NOT_ALLOWED && isPage(text) && /\/user\/[^/]+/.test(base)
  return status === FAILED_DEPENDENCY || isNoMethod
}

function explainPage(call: Call, html: string): ToolError {
  if (isLoginPage(html)) {
    return new ToolError(
      'refused',
      `${nameOf(call)} answered with a login page. This is an authentication problem: ${WHAT_TO_DO}`,
    )
  }
  const title = call.quote(html)
  return new ToolError(
    'unreachable',
    `${nameOf(call)} answered with a web page${title === '' ? '' : ` (${title})`}: ${call.base} does not look like a Jupyter server. ${ADDRESS_HINT}`,
  )
}
