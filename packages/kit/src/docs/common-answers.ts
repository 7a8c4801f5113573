import type { OpenAPIHono } from '@hono/zod-openapi'

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>

type Paths = NonNullable<OpenApiDocument['paths']>
type PathItem = Paths[string]
type Operation = NonNullable<PathItem['get']>
type Answers = NonNullable<Operation['responses']>
type Answer = Answers[string]
type Components = NonNullable<OpenApiDocument['components']>
type Response = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>
type Content = Response['content']

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const text = { type: 'string' as const }

const HEADERS = Object.freeze({
  'WWW-Authenticate': {
    description: 'How to send a token, and which scopes it needs (RFC 6750).',
    schema: text,
    example: 'Bearer realm="service"',
  },
  'Retry-After': {
    description: 'After how many seconds another attempt makes sense.',
    schema: { type: 'integer' as const },
    example: 17,
  },
  RateLimit: {
    description: 'Where a limit is set: how many requests are left, and in how many seconds it begins anew.',
    schema: text,
    example: '"default";r=599;t=60',
  },
  'RateLimit-Policy': {
    description: 'Where a limit is set: how many requests in how many seconds.',
    schema: text,
    example: '"default";q=600;w=60',
  },
})
type HeaderName = keyof typeof HEADERS

const REFUSALS: Readonly<Record<string, string>> = Object.freeze({
  401: 'The token is missing or wrong.',
  403: 'The token lacks the scope, or a page of this Origin may not ask.',
  429: 'There were too many requests, or too many wrong tokens.',
})
const OTHER_ORIGIN = 'A page of this Origin may not ask.'
const WRONG_HOST = { $ref: '#/components/responses/WrongHost' }

/** For the beginning of a document. */
export const COMMON_WORDS =
  'On every path: an answer carries `X-Request-Id`, by which the log of the service knows the request. A path that does not exist is 404, another method than those of a path 405 with `Allow`, a Host that is not ours 421, a page of another Origin 403. Where limits are set, answers carry `RateLimit` and `RateLimit-Policy`, and one request too many is 429 with `Retry-After`.'

/** Writes into a document what the guards answer on every route, and the headers that come with it: no route has to say it. */
export function withCommonAnswers(document: OpenApiDocument): OpenApiDocument {
  const failure = failureIn(document)
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    completePath(item, failure),
  ])
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: {
      ...document.components,
      headers: { ...document.components?.headers, ...HEADERS },
      responses: {
        ...document.components?.responses,
        WrongHost: { description: 'The Host of the request is not one of ours.', ...withContent(failure) },
      },
    },
  }
}

function completePath(item: PathItem, failure: Content): PathItem {
  const completed: PathItem = { ...item }
  for (const method of METHODS) {
    const operation = item[method]
    if (operation) completed[method] = { ...operation, responses: completeAnswers(operation, failure) }
  }
  return completed
}

function completeAnswers({ responses = {}, security }: Operation, failure: Content): Answers {
  const isPublic = security?.length === 0
  const refusals = isPublic ? { 403: OTHER_ORIGIN } : REFUSALS
  const all: Answers = { ...responses, 421: responses['421'] ?? WRONG_HOST }
  for (const [status, description] of Object.entries(refusals))
    all[status] ??= { description, ...withContent(failure) }
  if (isPublic) return all
  return Object.fromEntries(
    Object.entries(all).map(([status, answer]) => [status, withHeaders(answer, headersOf(status))]),
  )
}

function headersOf(status: string): readonly HeaderName[] {
  if (status === '401' || status === '403') return ['WWW-Authenticate']
  if (status === '429') return ['Retry-After', 'RateLimit', 'RateLimit-Policy']
  return status.startsWith('2') ? ['RateLimit', 'RateLimit-Policy'] : []
}

function withHeaders(answer: Answer, names: readonly HeaderName[]): Answer {
  if (names.length === 0 || '$ref' in answer) return answer
  const common = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return { ...answer, headers: { ...Object.fromEntries(common), ...answer.headers } }
}

/** The error body of the service, as the routes that declare it have it. */
function failureIn({ paths }: OpenApiDocument): Content {
  const operations = Object.values(paths ?? {}).flatMap((item) =>
    METHODS.flatMap((method) => item[method] ?? []),
  )
  const answers = operations.flatMap(({ responses = {} }) => [responses['401'], responses['400']])
  const schema = answers.find((answer) => answer?.content)?.content?.['application/json']?.schema
  return schema && { 'application/json': { schema } }
}

function withContent(content: Content): Pick<Response, 'content'> {
  return content ? { content } : {}
}
