import { z } from '@hono/zod-openapi'
import { ComponentId } from './values.ts'

/** What we write. What we read may also be of the version before, which has the same messages. */
export const A2UI_VERSION = 'v0.9.1'
export const BASIC_CATALOG = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
export const A2UI_MEDIA_TYPE = 'application/a2ui+json'

export const Version = z.enum(['v0.9', A2UI_VERSION])
const SurfaceId = z.string().describe('The surface that it is about.')
const messageVersion = Version.describe('The version of A2UI.')

/** The message alone does not say of which catalog a component is: see components.ts for those of ours. */
const AnyComponent = z.looseObject({
  component: z.string().describe('The kind of component, such as `Text`.'),
  id: ComponentId.optional().describe('Its id on the surface.'),
  weight: z.number().optional().describe('How much room it takes beside the others of a row or column.'),
})

/** Agent to renderer: https://a2ui.org/specification/v0_9/server_to_client.json */
export const A2uiMessage = z
  .union([
    z.strictObject({
      version: messageVersion,
      createSurface: z
        .strictObject({
          surfaceId: SurfaceId,
          catalogId: z.string().describe('The catalog of its components.'),
          theme: z.unknown().optional().describe('How it is to look.'),
          sendDataModel: z.boolean().optional().describe('Whether actions are to bring the data along.'),
        })
        .describe('A new surface.'),
    }),
    z.strictObject({
      version: messageVersion,
      updateComponents: z
        .strictObject({
          surfaceId: SurfaceId,
          components: z
            .array(AnyComponent)
            .min(1)
            .describe('New ones, and others in place of those of their id.'),
        })
        .describe('What stands on a surface.'),
    }),
    z.strictObject({
      version: messageVersion,
      updateDataModel: z
        .strictObject({
          surfaceId: SurfaceId,
          path: z.string().optional().describe('Where in the data, as a JSON pointer.'),
          value: z.unknown().optional().describe('What is there from now on.'),
        })
        .describe('The data that components show.'),
    }),
    z.strictObject({
      version: messageVersion,
      deleteSurface: z.strictObject({ surfaceId: SurfaceId }).describe('A surface that is no more.'),
    }),
  ])
  .openapi('A2uiMessage', { description: 'A message of A2UI from an agent to a renderer.' })
export type A2uiMessage = z.infer<typeof A2uiMessage>

/** Somebody used a component. */
export const ClientAction = z
  .strictObject({
    name: z.string().describe('The name of the action, as the component has it.'),
    surfaceId: SurfaceId,
    sourceComponentId: ComponentId.describe('The component that was used.'),
    timestamp: z.iso.datetime().describe('When.'),
    context: z.record(z.string(), z.unknown()).describe('What the component says about it.'),
  })
  .openapi('A2uiAction', { description: 'Somebody used a component.' })
export type ClientAction = z.infer<typeof ClientAction>

const VALIDATION_FAILED = 'VALIDATION_FAILED'

/** The renderer could not do something. */
export const ClientError = z
  .union([
    z.strictObject({
      code: z.literal(VALIDATION_FAILED).describe('The kind of error.'),
      surfaceId: SurfaceId,
      path: z.string().describe('Where in the message, as a JSON pointer.'),
      message: z.string().describe('What went wrong.'),
    }),
    z.looseObject({
      code: z
        .string()
        .refine((code) => code !== VALIDATION_FAILED)
        .describe('The kind of error.'),
      message: z.string().describe('What went wrong.'),
      surfaceId: SurfaceId,
    }),
  ])
  .openapi('A2uiError', { description: 'The renderer could not do something.' })
