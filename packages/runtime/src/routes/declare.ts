import { Failure } from '../contract.ts'

/** A JSON answer, for `responses` of a route. */
export const json = <Schema>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** For `request` of a route. */
export const body = <Schema>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/** What every closed route may answer. */
export const REFUSED = Object.freeze({
  400: json('The request cannot be read', Failure),
  401: json('The key is missing or wrong', Failure),
  403: json('The key lacks the scope', Failure),
  429: json('There were too many requests', Failure),
})

/** Of a route that takes a body, or has parameters. */
export const INVALID = Object.freeze({ 422: json('Something in it is of the wrong shape', Failure) })

export const UNREADABLE = Object.freeze({
  ...INVALID,
  413: json('The body is too large', Failure),
  415: json('The body is no JSON', Failure),
})

export const UNKNOWN = Object.freeze({ 404: json('There is no such thing', Failure) })
export const CONFLICT = Object.freeze({ 409: json('It cannot be done as things are', Failure) })
export const UNAVAILABLE = Object.freeze({ 503: json('The database is not available', Failure) })
