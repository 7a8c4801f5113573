import { Failure } from '../contract.ts'

/** A JSON answer, for `responses` of a route. */
export const json = <Schema>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** One that the handler writes itself, byte by byte: documented like any other, but its type says nothing of the body. */
export const written = (description: string, schema: object): { readonly description: string } =>
  json(description, schema)

/** For `request` of a route. */
export const body = <Schema>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/** What every closed route may answer. */
export const REFUSED = Object.freeze({
  400: json('The request is not right, or the state does not allow it', Failure),
  401: json('The token is missing or wrong', Failure),
  403: json('The token lacks the scope', Failure),
  429: json('There were too many wrong tokens, or too many calls', Failure),
})

/** Of a route that takes a body. */
export const UNREADABLE = Object.freeze({
  413: json('The body is too large', Failure),
  415: json('The body is of another type', Failure),
})

export const UNKNOWN = Object.freeze({ 404: json('There is no such thing', Failure) })

/** Of a route that asks a server. */
export const UNANSWERED = Object.freeze({
  500: json('It failed', Failure),
  503: json('The server has crashed, was lost in the middle, or is busy', Failure),
  504: json('It took too long', Failure),
})
