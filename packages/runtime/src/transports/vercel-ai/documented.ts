import { z } from '@hono/zod-openapi'

/** For the documentation: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol has them one by one. */
export const UiMessageChunk = z
  .looseObject({ type: z.string().describe('The kind of chunk, such as `text-delta`.') })
  .openapi('UiMessageChunk', {
    description:
      'A chunk of the UI message stream v1, with more fields by its type. `[DONE]` comes after the last.',
  })

/** A turn as it goes over the wire. */
export const CHUNKS = `data: {"type":"start","messageId":"0199f3c2"}

data: {"type":"start-step"}

data: {"type":"text-start","id":"0199f3c2.1"}

id: 0199f3c2.1.20
data: {"type":"text-delta","id":"0199f3c2.1","delta":"It is sunny in Bern."}

data: {"type":"text-end","id":"0199f3c2.1"}

data: {"type":"finish-step"}

data: {"type":"finish","finishReason":"stop"}

data: [DONE]

`
