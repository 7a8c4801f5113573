import { z } from '@hono/zod-openapi'
import { isJsonObject, type JsonObject } from '@quire/agent/json'
import { must } from '@quire/kit/app/request-fields'

/** A field that takes any JSON object. */
export function anyObject(description?: string) {
  return z
    .custom<JsonObject>(isJsonObject, { error: must('be a JSON object') })
    .openapi({ type: 'object', additionalProperties: true, ...(description && { description }) })
}
