import { z } from '@hono/zod-openapi'
import { wholeNumberText } from '@quire/kit/app/request-fields'
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
  503: json('The database is not available', Failure),
})

/** Of a route that has parameters. */
export const INVALID = Object.freeze({ 422: json('Something in it is of the wrong shape', Failure) })

/** Of every route that may come with a body. */
export const UNREADABLE = Object.freeze({
  413: json('The body is too large', Failure),
  415: json('The body is no JSON', Failure),
})

export const UNKNOWN = Object.freeze({ 404: json('There is no such team or task', Failure) })
export const CONFLICT = Object.freeze({ 409: json('It cannot be done as things are', Failure) })

export const teamParams = z.object({
  team_id: z.string().openapi({ example: '0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10' }),
})
export const taskParams = teamParams.extend({
  task_id: z.string().openapi({ example: '5e1c0e38-45b6-4a0f-8a35-1f6fd1fd2f6e' }),
})

const MOST_ITEMS = 1_000
const MOST_SKIPPED = 1_000_000_000

/** Of the query of a list. */
export const page = {
  limit: wholeNumberText(1, MOST_ITEMS)
    .optional()
    .openapi({ type: 'integer', minimum: 1, maximum: MOST_ITEMS, description: 'Absent: all of them' }),
  offset: wholeNumberText(0, MOST_SKIPPED)
    .optional()
    .openapi({ type: 'integer', minimum: 0, default: 0, description: 'How many to skip' }),
}
