import { z } from '@hono/zod-openapi'

/** For the documentation: https://docs.ag-ui.com has them one by one. */
export const AgUiEvent = z
  .looseObject({ type: z.string().describe('The kind of event, such as `TEXT_MESSAGE_CONTENT`.') })
  .openapi('AgUiEvent', {
    description:
      'An event of AG-UI 1.0, with more fields by its type. The last is RUN_FINISHED or RUN_ERROR.',
  })

/** A run as it goes over the wire. */
export const EVENTS = `data: {"type":"RUN_STARTED","threadId":"my-first","runId":"run-1","protocolVersion":"1.0"}

data: {"type":"TEXT_MESSAGE_START","messageId":"0199f3c2.1","role":"assistant"}

id: 0199f3c2.1.20
data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"0199f3c2.1","delta":"It is sunny in Bern."}

data: {"type":"TEXT_MESSAGE_END","messageId":"0199f3c2.1"}

data: {"type":"RUN_FINISHED","threadId":"my-first","runId":"run-1","outcome":{"type":"success"}}

`
